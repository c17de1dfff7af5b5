package claudemd_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

var (
	parserBodies = flag.Int("parser-bodies", 4000, "generated bodies that the Markdown parsers of npm read")
	parserSeed   = flag.Uint64("parser-seed", 1, "what those bodies are generated from")
)

// TestCompile_OtherParsersFindEveryHeading parses compiled hostile memories with commonmark and
// marked.
func TestCompile_OtherParsersFindEveryHeading(t *testing.T) {
	t.Parallel()
	here := filepath.Join("testdata", "parsers")
	if _, err := os.Stat(filepath.Join(here, "node_modules")); err != nil {
		t.Fatal("the parsers are not installed; scripts/setup markdown-parsers installs them")
	}
	bodies := slices.Concat(hostileBodies, fuzzedStrings(t, "FuzzCompile"))
	random := rand.New(rand.NewPCG(*parserSeed, 0))
	known := len(bodies)
	for range *parserBodies {
		var body strings.Builder
		if random.IntN(4) == 0 {
			from := bodies[random.IntN(known)]
			body.WriteString(from[:random.IntN(len(from)+1)])
		}
		for range random.IntN(12) + 1 {
			body.WriteString(fragments[random.IntN(len(fragments))])
		}
		bodies = append(bodies, body.String())
	}
	var texts []string
	var want [][]string
	for i, body := range bodies {
		set := []memoirtest.Section{
			{ID: "1", Name: "a", Type: memories.Feedback, Body: body},
			{ID: "2", Name: "b", Type: memories.Feedback, Body: "plain"},
			{ID: "3", Name: "c", Type: memories.User, Body: bodies[(i*7+1)%len(bodies)]},
			{ID: "4", Name: "d", Type: memories.Reference, Body: "\"quoted\" (text) 'end'\n\n]: x\n\n--> ?> ]]> </pre>\n"},
		}
		for j := range set {
			set[j].Body = memories.Content{Body: set[j].Body}.Canonical().Body
		}
		block, costs := memoirtest.Compile(set, 0, 0)
		_, learned, _ := bytes.Cut(block, []byte("# Learned Memory"))
		headings, _ := expectedHeadings(set, costs)
		texts = append(texts, "# Learned Memory"+string(learned))
		want = append(want, headings[1:])
	}
	found := parsedHeadings(t, here, texts)
	failed := 0
	for i, got := range found {
		for parser, headings := range got {
			if slices.Equal(plainAll(headings), plainAll(want[i])) {
				continue
			}
			if failed++; failed <= 10 {
				t.Errorf("%s finds %q, not %q, in %q", parser, headings, want[i], texts[i])
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d texts fail", failed, len(texts))
	}
}

func plainAll(headings []string) []string {
	all := make([]string, len(headings))
	for i, heading := range headings {
		all[i] = plain(heading)
	}
	return all
}

// parsedHeadings returns the headings of each text, by parser. One Node process parses all texts.
func parsedHeadings(t *testing.T, dir string, texts []string) []map[string][]string {
	t.Helper()
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "headings.js"))
	command.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("node: %v; scripts/setup markdown-parsers installs it\n%s", err, stderr.String())
	}
	var found []map[string][]string
	if err := json.Unmarshal(output, &found); err != nil || len(found) != len(texts) {
		t.Fatalf("%d of %d texts were read: %v", len(found), len(texts), err)
	}
	return found
}

var fuzzedString = regexp.MustCompile(`(?m)^string\((".*")\)$`)

// fuzzedStrings returns the strings in the corpus of a fuzz test.
func fuzzedStrings(t *testing.T, target string) (found []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "fuzz", target, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus of %s: %v", target, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fuzzedString.FindAllSubmatch(raw, -1) {
			s, err := strconv.Unquote(string(m[1]))
			if err != nil {
				t.Fatal(fmt.Errorf("%s: %w", file, err))
			}
			found = append(found, s)
		}
	}
	return found
}
