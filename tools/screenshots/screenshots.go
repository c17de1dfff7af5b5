// Command screenshots takes the pictures in README.md and docs/ from the sample agents:
//
//	go run ./tools/screenshots bin/memoir docs/pictures .cache/states
//
// The second directory gets pictures of the pages in difficult states, on three screens and in both
// themes, to be looked at. It owns the content of the pictures. It runs the given server with its
// own files and database in a fixed place, so that paths in the pictures stay equal, and removes
// both. `make screenshots` calls it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"memoir/examples"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/screenshots SERVER DIR STATES_DIR")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, dir, statesDir string) (err error) {
	place := filepath.Join(os.TempDir(), "memoir-pictures")
	if err := os.Mkdir(place, 0o755); err != nil {
		return fmt.Errorf("%w: is another run at work? Otherwise remove it", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(place)) }()
	for _, d := range []string{dir, statesDir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	return withBrowser(ctx, func(browser context.Context) error {
		err := withServer(ctx, program, filepath.Join(place, "examples"), examples.Copy, nil, func(s *server) error {
			if err := s.use(ctx); err != nil {
				return fmt.Errorf("use the examples: %w", err)
			}
			return s.takePictures(browser, dir)
		})
		if err != nil {
			return err
		}
		none := func(dir string) error { return os.Mkdir(dir, 0o755) }
		flags := []string{"--token=" + writer, "--read-token=" + reader}
		return withServer(ctx, program, filepath.Join(place, "empty"), none, flags, func(empty *server) error {
			return withServer(ctx, program, filepath.Join(place, "busy"), seed, flags, func(busy *server) error {
				if err := busy.finishReview(ctx); err != nil {
					return err
				}
				if err := busy.addTokens(ctx); err != nil {
					return err
				}
				return takeStates(ctx, browser, busy, empty, statesDir)
			})
		})
	})
}

// withServer starts a server with its files in place, calls use, and stops it. fill writes the
// directories of the agents.
func withServer(ctx context.Context, program, place string, fill func(dir string) error, flags []string, use func(*server) error) (err error) {
	if err := os.Mkdir(place, 0o755); err != nil {
		return err
	}
	s, err := startServer(ctx, program, place, fill, flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	return use(s)
}
