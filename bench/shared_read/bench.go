package main

import (
	"fmt"
	"strconv"
)

type row struct {
	id, field int
	name      string
}

func build(n int) []*row {
	var table []*row
	for i := 0; i < n; i++ {
		table = append(table, &row{i, i % 10, "row " + strconv.Itoa(i)})
	}
	return table
}

func main() {
	table := build(1000)
	sums := make(chan int, 2)
	for part := 0; part < 2; part++ {
		go func() {
			total := 0
			for round := 0; round < 4000; round++ {
				for k := 0; k < 1000; k++ {
					total += table[k].field
				}
				for _, r := range table {
					total += r.id % 3
				}
			}
			sums <- total
		}()
	}
	fmt.Println(<-sums + <-sums)
}
