// Command longrun stores the result of a long run outside Go's tests, such as the fuzzing, in
// docs/RELIABILITY.md:
//
//	go run ./tools/longrun COMMIT WHAT MUCH OUTCOME
package main

import (
	"fmt"
	"os"

	"memoir/internal/longrun"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/longrun COMMIT WHAT MUCH OUTCOME")
		os.Exit(2)
	}
	if err := longrun.Record(longrun.Run{Commit: os.Args[1], What: os.Args[2], Much: os.Args[3], Outcome: os.Args[4]}); err != nil {
		fmt.Fprintln(os.Stderr, "longrun:", err)
		os.Exit(1)
	}
}
