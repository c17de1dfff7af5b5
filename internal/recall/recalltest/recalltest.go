// Package recalltest is the set by which ways to choose memories are measured: what one agent remembers, questions to it, and which
// memories are relevant to each (quality/README.md says how that was judged). The tests of recall hold it to a level, and the
// benchmarks compare ways by it.
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

//go:embed quality
var quality embed.FS

// Most is how many memories a way may choose.
const Most = 5

// Question is one of the set.
type Question struct {
	ID       string   `yaml:"id"`
	Query    string   `yaml:"query"`
	Relevant []string `yaml:"relevant"` // names; none: nothing is to be chosen
	Kind     string   `yaml:"kind"`
	Split    Split    `yaml:"split"`
}

// Split is the half of the set that a question is in.
type Split string

// The halves. What is reported is of HeldOut, which nobody looks at while they change how memories are chosen.
const (
	Tune    Split = "tune"
	HeldOut Split = "held_out"
)

// Questions returns a half of the questions.
func Questions(t testing.TB, of Split) []Question {
	t.Helper()
	raw, err := quality.ReadFile("quality/queries.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []Question
	if err := yaml.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(q Question) bool { return q.Split != of })
}

// Files returns the memories as files, by name.
func Files(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	found, err := fs.Glob(quality, "quality/memories/*.md")
	if err != nil || len(found) == 0 {
		t.Fatalf("the set has no memories: %v", err)
	}
	for _, file := range found {
		raw, err := quality.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[path.Base(file)] = string(raw)
	}
	return files
}

// Verdict is how a way to choose did, in percent.
type Verdict struct {
	Recall    float64 // of what is relevant, how much was chosen; over the questions that have anything relevant
	Precision float64 // of what was chosen, how much is relevant
	Silent    float64 // of the other questions, for how many nothing was chosen
	Kinds     []Kind
}

// Kind is how it did with one kind of question.
type Kind struct {
	Name      string
	Questions int
	Right     float64 // Recall, or where nothing is relevant, Silent
}

// Kind returns how a way did with the kind of that name.
func (v Verdict) Kind(name string) Kind {
	for _, k := range v.Kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{}
}

// Judge asks all the questions. choose returns names of memories, the best first.
func Judge(questions []Question, choose func(query string) []string) Verdict {
	var v Verdict
	kinds := map[string]*Kind{}
	chosen, relevant, answerable := 0, 0, 0
	for _, q := range questions {
		kind := kinds[q.Kind]
		if kind == nil {
			kind = &Kind{Name: q.Kind}
			kinds[q.Kind] = kind
		}
		got := choose(q.Query)
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
