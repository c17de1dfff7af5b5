package cli

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"memoir/internal/cli/terminal"
	"memoir/internal/wire"
)

func runImport(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("import", flag.ContinueOnError)
	server := addressFlags(flags)
	var maps stringList
	apply := flags.Bool("apply", false, "")
	into := flags.String("into", "", "")
	kind := flags.String("type", "", "")
	flags.Var(&maps, "map", "")
	asJSON := flags.Bool("json", false, "")
	words, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return misused("import takes one FILE or directory, or - for standard input")
	}
	to, err := w.addressOf(server)
	if err != nil {
		return err
	}
	query := importQuery(*apply, maps)
	if *into != "" {
		query.Set("into", *into)
	}
	if *kind != "" {
		query.Set("type", *kind)
	}
	from, err := openImport(w, words[0])
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	var report wire.ImportReport
	text, err := to.Upload(ctx, "/import?"+query.Encode(), from, &report)
	if err != nil {
		return err
	}
	return printReport(w, *asJSON, text, report, "Nothing was changed. Import with --apply.")
}

// printReport prints the report of an import, as text or as the JSON in text. If nothing was imported,
// it prints preview on standard error.
func printReport(w *World, asJSON bool, text []byte, report wire.ImportReport, preview string) error {
	if asJSON {
		_, err := w.Stdout.Write(text)
		return err
	}
	if err := writeReport(w.Stdout, report); err != nil {
		return err
	}
	if !report.Applied {
		fmt.Fprintln(w.Stderr, preview)
	}
	return nil
}

func importQuery(apply bool, maps []string) url.Values {
	query := url.Values{"map": maps}
	if apply {
		query.Set("dry_run", "false")
	}
	return query
}

// openImport opens a file, standard input, or a directory as a tar file.
func openImport(w *World, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(w.Stdin), nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if ext := strings.ToLower(filepath.Ext(name)); !info.IsDir() && (ext == ".md" || ext == ".markdown") {
		from, to := io.Pipe() // with its name
		go func() { to.CloseWithError(pack(to, filepath.Dir(name), []string{name})) }()
		return from, nil
	}
	if !info.IsDir() {
		return os.Open(name)
	}
	files, err := filesToImport(name)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no Markdown and no JSON files", name)
	}
	from, to := io.Pipe()
	go func() { to.CloseWithError(pack(to, name, files)) }()
	return from, nil
}

// filesToImport returns the Markdown files below a directory. Without any, it returns the JSON files
// directly in it: transcripts of conversations have that ending too.
func filesToImport(dir string) (files []string, err error) {
	var jsons []string
	err = filepath.WalkDir(dir, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && p != dir && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		switch strings.ToLower(filepath.Ext(p)) {
		case ".md", ".markdown":
			files = append(files, p)
		case ".json", ".jsonl":
			if filepath.Dir(p) == filepath.Clean(dir) {
				jsons = append(jsons, p)
			}
		}
		return nil
	})
	if len(files) == 0 {
		files = jsons
	}
	return files, err
}

// pack writes files below dir as a compressed tar file.
func pack(to io.Writer, dir string, files []string) error {
	compressed, err := zstd.NewWriter(to)
	if err != nil {
		return err
	}
	w := tar.NewWriter(compressed)
	slices.Sort(files)
	for _, name := range files {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: filepath.ToSlash(rel), Mode: 0o600, Size: int64(len(raw)), ModTime: info.ModTime(), Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), compressed.Close())
}

// writeReport prints what an import changes or has changed.
func writeReport(to io.Writer, report wire.ImportReport) error {
	for _, a := range report.Agents {
		name := a.Agent
		if a.From != a.Agent && a.From != "" {
			name = a.From + " → " + a.Agent
		}
		if a.Creates {
			name += " (new)"
		}
		if a.Problem != nil {
			fmt.Fprintf(to, "%s: not imported. %s\n", terminal.Printable(name), terminal.Printable(*a.Problem))
			continue
		}
		fmt.Fprintf(to, "%s: %s\n", terminal.Printable(name), countsOf(a.Counts))
		rows := [][]string{}
		for _, item := range a.Items {
			rows = append(rows, []string{"  " + item.Outcome, terminal.Cut(terminal.Printable(item.Name), nameColumns), terminal.Printable(orNone(item.Reason))})
		}
		if len(rows) > 0 {
			if err := terminal.WriteTable(to, rows); err != nil {
				return err
			}
		}
		if a.Counts.Conflict > 0 && report.Applied {
			fmt.Fprintf(to, "  Decide about the conflicts with memoir review, or on the page Review.\n")
		}
	}
	for _, s := range report.Skipped {
		fmt.Fprintf(to, "skipped %s: %s\n", terminal.Printable(s.Path), terminal.Printable(s.Reason))
	}
	return nil
}

func countsOf(c wire.ImportCounts) string {
	raw, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	var all map[string]int
	if err := json.Unmarshal(raw, &all); err != nil {
		return err.Error()
	}
	var parts []string
	for _, name := range []string{"new", "changed", "deleted", "conflict", "pending", "failed", "tombstoned", "newer", "same"} {
		if all[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", all[name], name))
		}
	}
	if c.History > 0 {
		parts = append(parts, fmt.Sprintf("%d with more history", c.History))
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}
