package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/cli/remote"
	"memoir/internal/recallbench"
)

// benchCall is one run of bench, with its flags.
type benchCall struct {
	*World
	server       *remote.Server
	agent, unit  string
	isDeliberate bool
	missesFile   string
	json         bool
}

// maxBenchFile limits a file of questions, in bytes. LoCoMo's has 3 MB. Arbitrary.
const maxBenchFile = 64 << 20

// benchFile is a file of questions that was read: own ones, or LoCoMo's.
type benchFile struct {
	name   string
	own    recallbench.QuestionFile
	locomo recallbench.LoCoMo // nil if own is set
}

func runBench(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	c := &benchCall{World: w, server: addressFlags(flags)}
	flags.StringVar(&c.agent, "agent", "", "")
	flags.StringVar(&c.unit, "unit", "", "")
	flags.BoolVar(&c.isDeliberate, "deliberate", false, "")
	flags.StringVar(&c.missesFile, "misses", "", "")
	flags.BoolVar(&c.json, "json", false, "")
	names, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return misused("bench takes a FILE with questions")
	case c.unit != "" && c.unit != string(recallbench.Sessions) && c.unit != string(recallbench.Facts):
		return misused("unknown unit %q: use sessions or facts", c.unit)
	}
	for _, name := range names {
		if isSameFile(name, c.missesFile) {
			return misused("--misses would replace the questions in %s: use another file", name)
		}
	}
	files := make([]benchFile, len(names))
	for i, name := range names {
		if files[i], err = readBenchFile(name); err != nil {
			return err
		}
	}
	err = c.run(ctx, files)
	if ctx.Err() != nil {
		return fmt.Errorf("measurement stopped: %w", context.Cause(ctx))
	}
	return err
}

// isSameFile reports whether both names lead to one existing file.
func isSameFile(a, b string) bool {
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(of, other)
}

// readBenchFile reads a file of questions. Its errors name the file, and for own questions the
// lines.
func readBenchFile(name string) (benchFile, error) {
	raw, err := readAtMost(name, maxBenchFile)
	if err != nil {
		return benchFile{}, err
	}
	f := benchFile{name: name}
	if recallbench.IsLoCoMo(raw) {
		if f.locomo, err = recallbench.ParseLoCoMo(raw); err != nil {
			return f, fmt.Errorf("%s: %w. Own questions are a mapping with questions, not a list", name, err)
		}
		return f, nil
	}
	own, mistakes := recallbench.ParseQuestions(raw)
	f.own = own
	return f, f.mistaken(mistakes)
}

// readAtMost returns the content of a file that has at most limit bytes.
func readAtMost(name string, limit int64) ([]byte, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("file %s not found", name)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	raw, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("%s has more than %d MiB", name, limit>>20)
	}
	return raw, err
}

// mistaken returns an error with the file and line of each mistake, at most 10, one on a line. It
// returns nil if there are none.
func (f benchFile) mistaken(mistakes []recallbench.Mistake) error {
	const most = 10
	var lines []string
	for _, m := range mistakes[:min(len(mistakes), most)] {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", f.name, m.Line, m.Reason))
	}
	if more := len(mistakes) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more mistakes", f.name, more))
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

// run measures all files, prints the results, and writes the misses.
func (c *benchCall) run(ctx context.Context, files []benchFile) error {
	var misses *os.File // before the questions, so that a wrong path fails at once
	if c.missesFile != "" {
		var err error
		if misses, err = os.Create(c.missesFile); err != nil {
			return err
		}
		defer misses.Close() //nolint:errcheck // closed below, after it was written
	}
	report := benchReport{Results: []*benchResult{}}
	for _, f := range files {
		results, err := c.measureFile(ctx, f)
		if err != nil {
			return err
		}
		report.Results = append(report.Results, results...)
	}
	if misses != nil {
		var text bytes.Buffer
		for _, result := range report.Results {
			for _, miss := range result.misses {
				if err := writeJSONLine(&text, miss); err != nil {
					return err
				}
			}
		}
		_, err := misses.Write(text.Bytes())
		if err := errors.Join(err, misses.Close()); err != nil {
			return err
		}
	}
	if c.json {
		return writeJSONLine(c.Stdout, report)
	}
	return writeBench(c.Stdout, report)
}

// writeJSONLine writes value as JSON on one line.
func writeJSONLine(to io.Writer, value any) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// measureFile returns the results of a file: one of own questions, or one for each unit of LoCoMo.
func (c *benchCall) measureFile(ctx context.Context, f benchFile) ([]*benchResult, error) {
	if f.locomo != nil {
		return c.measureLoCoMo(ctx, f)
	}
	server, err := c.addressOf(c.server)
	if err != nil {
		return nil, err
	}
	set, err := c.ownSet(ctx, server, f)
	var absent *remote.AbsentError
	if errors.As(err, &absent) {
		return nil, fmt.Errorf("%w; own questions need a running server", err)
	}
	if err != nil {
		return nil, err
	}
	result := &benchResult{File: f.name, Agent: &set.store.Slug}
	return []*benchResult{result}, c.measure(ctx, result, []benchSet{set})
}

// measureLoCoMo writes the conversations as memories into a temporary directory, and asks a Memoir
// of its own. The directory is removed afterwards.
func (c *benchCall) measureLoCoMo(ctx context.Context, f benchFile) (results []*benchResult, err error) {
	dir, err := os.MkdirTemp("", "memoir-locomo-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	units := []recallbench.Unit{recallbench.Sessions, recallbench.Facts}
	sets, questions := map[recallbench.Unit][]recallbench.Set{}, 0
	// The other unit is written too: recall tries similar spellings of all agents' words.
	for _, unit := range units {
		sets[unit] = f.locomo.Sets(unit)
		for _, set := range sets[unit] {
			if c.measures(unit) {
				questions += len(set.Questions)
			}
			if err := writeMemories(filepath.Join(dir, "agents", set.Agent), set.Files); err != nil {
				return nil, err
			}
		}
	}
	fmt.Fprintf(c.Stderr, "memoir: asking a Memoir of its own %d questions\n", questions)
	sandbox, err := c.StartSandbox(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer sandbox.Stop()
	server := remote.Server{URL: sandbox.URL, Token: sandbox.Token}
	for _, unit := range slices.DeleteFunc(units, func(unit recallbench.Unit) bool { return !c.measures(unit) }) {
		var ready []benchSet
		for _, set := range sets[unit] {
			one, err := locomoSet(ctx, server, set)
			if err != nil {
				return nil, err
			}
			ready = append(ready, one)
		}
		result := &benchResult{File: f.name, Unit: &unit}
		if err := c.measure(ctx, result, ready); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// measures reports whether --unit selects the unit.
func (c *benchCall) measures(unit recallbench.Unit) bool {
	return c.unit == "" || c.unit == string(unit)
}

// writeMemories writes an agent's memory files.
func writeMemories(agentDir string, files []recallbench.File) error {
	for _, file := range files {
		at := filepath.Join(agentDir, filepath.FromSlash(file.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, file.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
