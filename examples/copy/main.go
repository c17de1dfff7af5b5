// Command copy writes the example agents into a directory that is missing or empty: go run ./examples/copy DIR
package main

import (
	"fmt"
	"os"

	"memoir/examples"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./examples/copy DIR")
		os.Exit(2)
	}
	if err := examples.Copy(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
