package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var n int64
	for p := 0; p < 4; p++ {
		wg.Add(1)
		go func() {
			for i := 0; i < 75000; i++ {
				mu.Lock()
				atomic.AddInt64(&n, 1)
				mu.Unlock()
			}
			wg.Done()
		}()
	}
	wg.Wait()
	fmt.Println(n)
}
