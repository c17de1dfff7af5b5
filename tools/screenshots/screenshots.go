// Command screenshots takes the pictures in README.md and docs/ from the sample agents:
//
//	go run ./tools/screenshots bin/memoir docs/pictures
//
// It owns the content of the pictures. It runs the given server with its own files and database in
// a fixed place, so that paths in the pictures stay equal, and removes both. `make screenshots`
// calls it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/screenshots SERVER DIR")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, dir string) (err error) {
	place := filepath.Join(os.TempDir(), "memoir-pictures")
	if err := os.Mkdir(place, 0o755); err != nil {
		return fmt.Errorf("%w: is another run at work? Otherwise remove it", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(place)) }()
	s, err := startServer(ctx, program, place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.use(ctx); err != nil {
		return fmt.Errorf("use the examples: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return s.takePictures(ctx, dir)
}
