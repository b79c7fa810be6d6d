package main

import (
	"fmt"
	"sync"
)

func main() {
	var mu sync.Mutex
	n := 0
	for i := 0; i < 300000; i++ {
		mu.Lock()
		n++
		mu.Unlock()
	}
	fmt.Println(n)
}
