package agents_test

import (
	"slices"
	"testing"

	"memoir/internal/agents"
)

func TestAssignSlugs_UniqueAndStable(t *testing.T) {
	t.Parallel()
	hive := agents.Found{Slug: "ada", Layout: agents.Hive, Dir: "/h/ada"}
	claude := agents.Found{Slug: "ada", Layout: agents.Claude, Dir: "/c/agent-memory/ada"}
	byHand := agents.Found{Slug: "ada", Layout: agents.Directory, Dir: "/d"}
	known := func(slug string, f agents.Found, present bool) agents.KnownAgent {
		return agents.KnownAgent{Slug: slug, Layout: f.Layout, Dir: f.Dir, Present: present}
	}
	at := func(f agents.Found, dir string) agents.Found {
		f.Dir = dir
		return f
	}
	for name, c := range map[string]struct {
		found []agents.Found
		known []agents.KnownAgent
		want  []string
	}{
		"the first of a name has it plain": {
			[]agents.Found{hive, claude, byHand}, nil, []string{"ada", "ada-2", "ada-3"}},
		"a slug that reads like a number is not given twice": {
			[]agents.Found{hive, {Slug: "ada-2", Layout: agents.Hive, Dir: "/h/ada-2"}, claude}, nil, []string{"ada", "ada-2", "ada-3"}},
		"a known agent keeps its slug, whoever comes before it": {
			[]agents.Found{hive, claude}, []agents.KnownAgent{known("ada", claude, true)}, []string{"ada-2", "ada"}},
		"a numbered agent keeps its number when the first is gone": {
			[]agents.Found{claude}, []agents.KnownAgent{known("ada", hive, false), known("ada-2", claude, true)}, []string{"ada-2"}},
		"a directory of a slug whose agent is gone goes on as it": {
			[]agents.Found{claude}, []agents.KnownAgent{known("ada", hive, false)}, []string{"ada"}},
		"an agent that could not be looked at keeps its slug": {
			[]agents.Found{claude}, []agents.KnownAgent{known("ada", hive, true)}, []string{"ada-2"}},
		"a number is not inherited by somebody else": {
			[]agents.Found{hive, byHand}, []agents.KnownAgent{known("ada", hive, true), known("ada-2", claude, false)}, []string{"ada", "ada-3"}},
		"a number is inherited by the same directory in another place": {
			[]agents.Found{hive, at(claude, "/moved/agent-memory/ada")},
			[]agents.KnownAgent{known("ada", hive, true), known("ada-2", claude, false)}, []string{"ada", "ada-2"}},
		"a project is called after its directory, not after memory": {
			[]agents.Found{hive, at(claude, "/moved/projects/-b/memory")},
			[]agents.KnownAgent{known("ada", hive, true), known("ada-2", at(claude, "/c/projects/-a/memory"), false)}, []string{"ada", "ada-3"}},
		"an agent that is back has its slug again": {
			[]agents.Found{hive, claude}, []agents.KnownAgent{known("ada", hive, false), known("ada-2", claude, true)}, []string{"ada", "ada-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for i, agent := range agents.AssignSlugs(c.found, c.known) {
				got = append(got, agent.Slug)
				if agent.Dir != c.found[i].Dir || agent.Layout != c.found[i].Layout {
					t.Errorf("agent %d is %+v, want it where it was found", i, agent)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("slugs %v, want %v", got, c.want)
			}
		})
	}
}

func TestMarkPresent_Unreadable(t *testing.T) {
	t.Parallel()
	known := []agents.KnownAgent{
		{Slug: "there", Layout: agents.Hive, Dir: "/a/there"},
		{Slug: "gone", Layout: agents.Hive, Dir: "/a/gone", Present: true},
		{Slug: "hidden", Layout: agents.Hive, Dir: "/closed/hidden"},
		{Slug: "neighbour", Layout: agents.Hive, Dir: "/closed-not/neighbour", Present: true},
		{Slug: "other-layout", Layout: agents.Claude, Dir: "/a/there", Present: true},
	}
	found := []agents.Found{{Slug: "there", Layout: agents.Hive, Dir: "/a/there"}}
	var present []string
	for _, k := range agents.MarkPresent(known, found, []string{"/closed"}) {
		if k.Present {
			present = append(present, k.Slug)
		}
	}
	if want := []string{"there", "hidden"}; !slices.Equal(present, want) {
		t.Errorf("present are %v, want %v", present, want)
	}
}
