package cli

import (
	"context"
	"flag"
	"fmt"

	"memoir/internal/version"
)

// runVersion prints the build of the program, in one line or as JSON.
func runVersion(_ context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("version", flag.ContinueOnError)
	isJSON := flags.Bool("json", false, "")
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return misused("unexpected argument %q", words[0])
	}
	if *isJSON {
		return writeJSONLine(w.Stdout, version.Current())
	}
	_, err = fmt.Fprintln(w.Stdout, "memoir", version.Current())
	return err
}
