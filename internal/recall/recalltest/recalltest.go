// Package recalltest contains sets of memories and questions that measure ways to choose memories,
// with the relevant memories of each question (see quality/README.md and abilities/README.md). The
// tests of package recall require a minimum result, and the benchmarks compare ways with it. Only
// tests use it.
package recalltest

import (
	"embed"
	"io/fs"
	"maps"
	"path"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"
)

//go:embed quality abilities
var files embed.FS

// Most is how many memories a way may choose, as recall.MaxChosen.
const Most = 5

// Set is a set of memories of one agent, and of questions about them.
type Set struct{ dir, questions string }

// The sets. Quality has all kinds of questions, and phrases for its memories. Abilities has questions
// that need something special, such as slips, lists and other scripts.
var (
	Quality   = Set{"quality", "queries.yaml"}
	Abilities = Set{"abilities", "questions.yaml"}
)

// Question is a question of a set.
type Question struct {
	ID       string   `yaml:"id"`
	Before   string   `yaml:"before"` // the prompt before it in the conversation, or empty
	Query    string   `yaml:"query"`
	Relevant []string `yaml:"relevant"` // names of memories; may be empty
	Kind     string   `yaml:"kind"`
	Split    Split    `yaml:"split"`
}

// Split is the half of a set to which a question belongs.
type Split string

// Tune is for adjusting how memories are chosen. HeldOut is for reports, and must not influence
// adjustments.
const (
	Tune    Split = "tune"
	HeldOut Split = "held_out"
)

// Questions returns the questions of one half of the set. If the set cannot be read, it ends the
// test.
func (s Set) Questions(t testing.TB, of Split) []Question {
	t.Helper()
	var all []Question
	s.read(t, s.questions, &all)
	return slices.DeleteFunc(all, func(q Question) bool { return q.Split != of })
}

// AskedAs returns by the name of a memory the phrases that it is asked as. Only Quality has them. If
// they cannot be read, it ends the test.
func (s Set) AskedAs(t testing.TB) map[string][]string {
	t.Helper()
	phrases := map[string][]string{}
	s.read(t, "asked_as.yaml", &phrases)
	return phrases
}

func (s Set) read(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := files.ReadFile(path.Join(s.dir, name))
	if err == nil {
		err = yaml.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Files returns the memory files of the set: their texts by file name, such as x.md. If they
// cannot be read, it ends the test.
func (s Set) Files(t testing.TB) map[string]string {
	t.Helper()
	texts := map[string]string{}
	found, err := fs.Glob(files, path.Join(s.dir, "memories", "*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("the set has no memories: %v", err)
	}
	for _, file := range found {
		raw, err := files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[path.Base(file)] = string(raw)
	}
	return texts
}

// Verdict is the result of a way to choose, in percent.
type Verdict struct {
	Recall    float64 // chosen share of the relevant memories; questions without any do not count
	Precision float64 // relevant share of the chosen memories
	Silent    float64 // share of the questions without relevant memories for which none was chosen
	Kinds     []Kind
}

// Kind is the result for one kind of question.
type Kind struct {
	Name      string
	Questions int
	Right     float64 // percent: Recall, or Silent without relevant memories
}

// Kind returns the result for the kind of question with this name, or the zero Kind if there is no
// such kind.
func (v Verdict) Kind(name string) Kind {
	for _, k := range v.Kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{}
}

// Judge calls choose with each question, in order. It returns how well the choices match the relevant
// memories, in percent, in all and by kind sorted by name. choose returns names of memories, at most
// Most.
func Judge(questions []Question, choose func(Question) []string) Verdict {
	var v Verdict
	kinds := map[string]*Kind{}
	chosen, relevant, answerable := 0, 0, 0
	for _, q := range questions {
		kind := kinds[q.Kind]
		if kind == nil {
			kind = &Kind{Name: q.Kind}
			kinds[q.Kind] = kind
		}
		got := choose(q)
		hits := 0
		for _, name := range got {
			if slices.Contains(q.Relevant, name) {
				hits++
			}
		}
		right := 0.0
		switch {
		case len(q.Relevant) > 0:
			right = float64(hits) / float64(min(len(q.Relevant), Most))
			v.Recall += right
			answerable++
		case len(got) == 0:
			right = 1
			v.Silent++
		}
		kind.Questions++
		kind.Right += right
		chosen, relevant = chosen+len(got), relevant+hits
	}
	v.Recall = percent(v.Recall, answerable)
	v.Precision = percent(float64(relevant), chosen)
	v.Silent = percent(v.Silent, len(questions)-answerable)
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		kind := *kinds[name]
		kind.Right = percent(kind.Right, kind.Questions)
		v.Kinds = append(v.Kinds, kind)
	}
	return v
}

func percent(sum float64, of int) float64 { return 100 * sum / float64(max(of, 1)) }
