package review

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/findings"
	"memoir/internal/findings/links"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// messyNow is the present of the messy set.
var messyNow = time.Date(2026, time.November, 25, 12, 0, 0, 0, time.UTC)

// messyAgent is one agent of a part of the messy set, examined.
type messyAgent struct {
	texts map[string]records.ReviewText // by file
	items []records.ReviewItem
}

// examineMessy examines the memories of an agent in a part of the messy set, without a database.
func examineMessy(t *testing.T, part, agent string) messyAgent {
	t.Helper()
	dir := filepath.Join("testdata", "messy", part)
	written := map[string]time.Time{}
	for _, row := range rows(t, filepath.Join(dir, "dates.tsv")) {
		if row[1] == agent {
			day, err := time.Parse(time.DateOnly, row[3])
			if err != nil {
				t.Fatal(err)
			}
			written[row[2]] = day
		}
	}
	a := messyAgent{texts: map[string]records.ReviewText{}}
	byID := map[string]records.ReviewText{}
	for file, day := range written {
		if file == "MEMORY.md" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, agent, "memory", file))
		if err != nil {
			t.Fatal(err)
		}
		parsed := frontmatter.Parse(raw, strings.TrimSuffix(file, ".md"))
		id := uuid.NewSHA1(uuid.Nil, []byte(agent+file)).String()
		m := memories.Memory{
			ID: id, Name: parsed.Name, Readable: !parsed.Unreadable, Type: parsed.Type, Description: parsed.Description, State: memories.Active, Problems: parsed.Problems,
			Path: "memory/" + file, ModifiedAt: day, ContentAt: day, Fingerprint: parsed.Fingerprint(nil), Body: parsed.Body,
		}
		for _, match := range heldMatches(parsed) {
			m.Problems = append(m.Problems, memories.QuarantineProblem(string(match.Kind), match.Reason))
		}
		if m.Type == "" {
			m.State = memories.NeedsAttention
		}
		text := records.ReviewText{MemoryRow: records.MemoryRow{Memory: m, UUID: uuid.MustParse(id)}}
		a.texts[file], byID[id] = text, text
	}
	x := newExamination(records.Agent{Slug: agent}, messyNow, nil, links.Targets{
		HasFile: func(path string) bool {
			_, has := a.texts[strings.TrimPrefix(path, "memory/")]
			return has || strings.HasSuffix(path, "MEMORY.md")
		},
		IsDeleted: func(string) bool { return false },
	})
	files := make([]string, 0, len(a.texts))
	for file := range a.texts {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		x.memory(a.texts[file])
	}
	err := x.pairItems(t.Context(), func(_ context.Context, ids []string) ([]records.ReviewText, error) {
		var found []records.ReviewText
		for _, id := range ids {
			found = append(found, byID[id])
		}
		return found, nil
	}, func(context.Context, []string) (map[string]bool, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	a.items = x.items
	return a
}

// rows returns the lines of a file with tabs between the fields.
func rows(t *testing.T, path string) [][]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			all = append(all, strings.Split(line, "\t"))
		}
	}
	return all
}

// score counts what was found and what is there.
type score struct{ right, wrong, missed int }

func (s score) precision() float64 { return ratio(s.right, s.right+s.wrong) }
func (s score) recall() float64    { return ratio(s.right, s.right+s.missed) }

func (s score) f1() float64 { return ratio(2*s.right, 2*s.right+s.wrong+s.missed) }

func ratio(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// add counts the elements of both sets.
func (s *score) add(found, there map[string]bool) {
	for f := range found {
		if there[f] {
			s.right++
		} else {
			s.wrong++
		}
	}
	for f := range there {
		if !found[f] {
			s.missed++
		}
	}
}

// goals are the lowest figures for the messy set.
var goals = []struct {
	name              string
	f1, recall, exact float64 // precision is exact
}{
	{"secret", 0.90, 0, 0},
	{"injection", 0.75, 0, 0},
	{"expired", 0.75, 0, 0},
	{"link", 0.90, 0, 0},
	{"duplicate", 1, 0, 0},
	{"pair", 0, 0.75, 0.6},
	{"queue", 0, 0.75, 0.6},
}

// measure returns the figures of a part of the messy set, and the share of the traps of each kind
// that were taken for it.
func measure(t *testing.T, part string) (scores map[string]*score, trapped map[string]int) {
	t.Helper()
	scores, trapped = map[string]*score{}, map[string]int{}
	at := func(name string) *score {
		if scores[name] == nil {
			scores[name] = &score{}
		}
		return scores[name]
	}
	labels := rows(t, filepath.Join("testdata", "messy", part, "labels.tsv"))
	for _, agent := range []string{"harbor-api", "studio-site"} {
		a := examineMessy(t, part, agent)
		file := map[string]string{}
		for name, text := range a.texts {
			file[text.ID] = name
		}
		found, there := map[string]map[string]bool{}, map[string]map[string]bool{}
		in := func(sets map[string]map[string]bool, kind, what string) {
			if sets[kind] == nil {
				sets[kind] = map[string]bool{}
			}
			sets[kind][what] = true
		}
		for _, item := range a.items {
			var names []string
			for _, m := range item.Memories {
				names = append(names, file[m.ID])
			}
			slices.Sort(names)
			kind := string(item.Kind)
			if kind != "unchecked" { // the set has no labels for age
				for _, name := range names {
					in(found, "queue", name)
				}
			}
			if len(names) == 1 {
				in(found, kind, names[0])
				continue
			}
			eachPair(names, func(one, other string) {
				in(found, "pair", one+" "+other)
				if bareText(a.texts[one]) == bareText(a.texts[other]) {
					in(found, "duplicate", one+" "+other)
				}
			})
		}
		for _, label := range labels {
			if label[1] != agent || label[2] == "MEMORY.md" {
				continue
			}
			kind, names := label[0], []string{label[2]}
			if len(label) > 3 && strings.HasSuffix(label[3], ".md") {
				names = append(names, label[3])
			}
			if trap, isTrap := strings.CutPrefix(kind, "trap-"); isTrap {
				if trap == "pair" {
					trapped[trap] += count(found["pair"][pairOf(names)])
				} else {
					trapped[trap] += count(found[trap][names[0]])
				}
				continue
			}
			for _, name := range names {
				in(there, "queue", name)
			}
			switch kind {
			case "duplicate", "near", "contradiction", "superseded":
				if len(names) == 2 {
					in(there, "pair", pairOf(names))
				}
				if kind == "duplicate" {
					in(there, kind, pairOf(names))
				}
			default:
				in(there, kind, names[0])
			}
		}
		for _, kind := range []string{"secret", "injection", "expired", "link", "junk", "duplicate", "pair", "queue"} {
			at(kind).add(found[kind], there[kind])
		}
		if os.Getenv("MEMOIR_MESSY_WRONG") != "" && part == "seen" {
			for kind := range found {
				for f := range found[kind] {
					if !there[kind][f] {
						t.Logf("%s: wrong %s %s", agent, kind, f)
					}
				}
			}
			for kind := range there {
				for f := range there[kind] {
					if !found[kind][f] {
						t.Logf("%s: missed %s %s", agent, kind, f)
					}
				}
			}
		}
	}
	return scores, trapped
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// bareText returns the body of a memory without a heading, which may be its name.
func bareText(t records.ReviewText) string {
	body := strings.TrimSpace(t.Body)
	if strings.HasPrefix(body, "# ") {
		_, body, _ = strings.Cut(body, "\n")
	}
	return strings.TrimSpace(body)
}

// pairOf returns the names in one order.
func pairOf(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), " ") }

// eachPair calls do with each pair of the sorted names.
func eachPair(names []string, do func(one, other string)) {
	for i, a := range names {
		for _, b := range names[i+1:] {
			do(a, b)
		}
	}
}

func TestMessySet_Goals(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"seen", "unseen"} {
		if part == "unseen" && os.Getenv("MEMOIR_MESSY") == "seen" {
			continue
		}
		scores, trapped := measure(t, part)
		for _, goal := range goals {
			s := scores[goal.name]
			line := fmt.Sprintf("%s %s: precision %.2f, recall %.2f, F1 %.2f (%d right, %d wrong, %d missed; %d traps)",
				part, goal.name, s.precision(), s.recall(), s.f1(), s.right, s.wrong, s.missed, trapped[goal.name])
			t.Log(line)
			if s.f1() < goal.f1 || s.recall() < goal.recall || s.precision() < goal.exact {
				t.Errorf("below the goal: %s", line)
			}
		}
		t.Logf("%s junk: %+v F1 %.2f, traps %d", part, *scores["junk"], scores["junk"].f1(), trapped["junk"])
	}
}

// heldMatches returns what keeps a parsed file from agents.
func heldMatches(f frontmatter.File) []findings.Match {
	return quarantine.Examine(findings.Text{Name: f.Name, Description: f.Description, Body: f.Body})
}
