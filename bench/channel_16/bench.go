package main

import "fmt"

func warmUp(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		t += i % 7
	}
	return t
}

var sink [2]int

func main() {
	ch := make(chan int, 16)
	out := make(chan int)
	go func() {
		sink[0] = warmUp(300000)
		for i := 0; i < 1000000; i++ {
			ch <- i
		}
		close(ch)
	}()
	go func() {
		sink[1] = warmUp(300000)
		total := 0
		for v := range ch {
			total += v
		}
		out <- total
	}()
	fmt.Println(<-out)
}
