package cli

import (
	"archive/zip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/cli/remote"
)

// stringList is a flag that can be given several times.
type stringList []string

func (l *stringList) String() string     { return strings.Join(*l, ",") }
func (l *stringList) Set(s string) error { *l = append(*l, s); return nil }

// exportCall is one run of export, with its flags.
type exportCall struct {
	format  string
	agents  stringList
	secrets bool
}

func runExport(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("export", flag.ContinueOnError)
	server, c := addressFlags(flags), exportCall{}
	flags.StringVar(&c.format, "format", "", "")
	flags.Var(&c.agents, "agent", "")
	flags.BoolVar(&c.secrets, "secrets", false, "")
	words, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return misused("export takes one FILE, a directory for Markdown, or - for standard output")
	}
	to := words[0]
	isZip := strings.HasSuffix(to, ".zip")
	if c.format == "" {
		switch {
		case strings.HasSuffix(to, ".jsonl"):
			c.format = "jsonl"
		case isZip:
			c.format = "markdown"
		default:
			c.format = "archive"
		}
	}
	isTree := c.format == "markdown" || c.format == "okf"
	if !isTree && c.format != "archive" && c.format != "jsonl" {
		return misused("unknown format %q: use archive, markdown, jsonl or okf", c.format)
	}
	from, err := w.addressOf(server)
	if err != nil {
		return err
	}
	query := url.Values{"format": {c.format}, "agent": c.agents}
	if c.secrets && c.format != "archive" {
		query.Set("secrets", "include")
	}
	if to == "-" {
		return from.Download(ctx, "/export?"+query.Encode(), w.Stdout)
	}
	if isTree && !isZip {
		err = exportTree(ctx, from, query, to)
	} else {
		err = exportFile(ctx, from, query, to)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w.Stderr, "exported to %s\n", to)
	if c.format == "archive" || c.secrets {
		fmt.Fprintln(w.Stderr, "note: it contains everything, also secrets that are masked in lists. Keep it safe.")
	}
	return nil
}

// exportFile writes an export to a file, which exists only when it is complete.
func exportFile(ctx context.Context, from remote.Server, query url.Values, to string) error {
	return replaceFile(to, func(part io.Writer) error { return from.Download(ctx, "/export?"+query.Encode(), part) })
}

// exportTree writes an export of files into a new or empty directory.
func exportTree(ctx context.Context, from remote.Server, query url.Values, to string) error {
	if found, err := os.ReadDir(to); err == nil && len(found) > 0 {
		return misused("%s is not empty: name a new directory", to)
	}
	part, err := os.CreateTemp("", "memoir-export-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) //nolint:errcheck // temporary
	defer part.Close()           //nolint:errcheck // temporary
	if err := from.Download(ctx, "/export?"+query.Encode(), part); err != nil {
		return err
	}
	size, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	files, err := zip.NewReader(part, size)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // a directory
	for _, f := range files.File {
		if err := unpack(root, f); err != nil {
			return err
		}
	}
	return nil
}

// unpack writes one file of a zip below root.
func unpack(root *os.Root, f *zip.File) error {
	if dir := filepath.Dir(filepath.FromSlash(f.Name)); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := root.OpenFile(filepath.FromSlash(f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
