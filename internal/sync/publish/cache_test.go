package publish_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/sync/publish"
)

// agent stands for an agent in the database.
type agent struct {
	version   int64
	summaries map[uuid.UUID]claudemd.Summary
	reads     []string // what was read of it: "all", or the names of the changed memories
}

func newAgent(names ...string) *agent {
	a := &agent{summaries: map[uuid.UUID]claudemd.Summary{}}
	for _, name := range names {
		a.save(name, "")
	}
	return a
}

func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.Nil, []byte(name)) }

// save makes a change as the writer does, and returns the changed memories.
func (a *agent) save(name, description string) []uuid.UUID {
	id := idOf(name)
	a.summaries[id] = claudemd.Summary{ID: id.String(), Name: name, Type: memories.User, Description: description, Revision: id}
	a.version++
	return []uuid.UUID{id}
}

func (a *agent) delete(name string) []uuid.UUID {
	delete(a.summaries, idOf(name))
	a.version++
	return []uuid.UUID{idOf(name)}
}

func (a *agent) Summaries(context.Context) ([]claudemd.Summary, error) {
	a.reads = append(a.reads, "all")
	return a.all(), nil
}

func (a *agent) all() []claudemd.Summary {
	all := slices.Collect(maps.Values(a.summaries))
	claudemd.Sort(all)
	return all
}

func (a *agent) SummariesOf(_ context.Context, ids []uuid.UUID) ([]claudemd.Summary, error) {
	var found []claudemd.Summary
	for _, id := range ids {
		if m, ok := a.summaries[id]; ok {
			found = append(found, m)
		}
	}
	a.reads = append(a.reads, fmt.Sprint(len(ids)))
	claudemd.Sort(found)
	return found, nil
}

// publish takes the sources of an agent, checks them, and puts them back. It returns what was read
// for that.
func publishAgent(t *testing.T, c *publish.Cache, id int64, a *agent, changed []uuid.UUID) []string {
	t.Helper()
	a.reads = nil
	s, err := c.Take(t.Context(), a, id, a.version, changed)
	if err != nil {
		t.Fatal(err)
	}
	if want := a.all(); !slices.Equal(s.Summaries, want) {
		t.Errorf("summaries %v, want %v", s.Summaries, want)
	}
	a.version++ // the record of the publication
	c.Put(id, a.version, s, nil)
	return a.reads
}

func TestCache_ReadsChangedMemoriesAlone(t *testing.T) {
	t.Parallel()
	c, a := publish.NewCache(), newAgent("a", "b", "c")
	wants := func(step string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: read %q, want %q", step, got, want)
		}
	}
	wants("first", publishAgent(t, c, 1, a, nil), "all")
	wants("nothing new", publishAgent(t, c, 1, a, nil))
	wants("changed", publishAgent(t, c, 1, a, a.save("b", "other")), "1")
	wants("new", publishAgent(t, c, 1, a, a.save("d", "")), "1")
	wants("deleted", publishAgent(t, c, 1, a, a.delete("a")), "1")
	wants("twice", publishAgent(t, c, 1, a, slices.Concat(a.save("b", "third"), a.delete("b"))), "2")
	a.save("c", "from another server")
	wants("changed elsewhere", publishAgent(t, c, 1, a, nil), "all")
	a.save("c", "from another server")
	wants("changed elsewhere too", publishAgent(t, c, 1, a, a.save("d", "here")), "all")
	if _, err := c.Take(t.Context(), a, 1, a.version, nil); err != nil {
		t.Fatal(err)
	}
	wants("not put back", publishAgent(t, c, 1, a, nil), "all")
}

func TestCache_OldestAgentGoesFirst(t *testing.T) {
	t.Parallel()
	c := publish.NewCache()
	many := func(n int) *agent {
		a := newAgent()
		for i := range n {
			a.save(fmt.Sprint(i), "")
		}
		return a
	}
	agents := []*agent{many(5_000), many(5_000), many(5_000), many(13_000)}
	for i, a := range agents[:3] {
		publishAgent(t, c, int64(i), a, nil)
	}
	for i, a := range agents[1:3] {
		if read := publishAgent(t, c, int64(i+1), a, nil); len(read) > 0 {
			t.Errorf("agent %d was not kept", i+1)
		}
	}
	if read := publishAgent(t, c, 0, agents[0], nil); len(read) == 0 {
		t.Error("more is kept than there is room for")
	}
	publishAgent(t, c, 3, agents[3], nil)
	if read := publishAgent(t, c, 3, agents[3], nil); len(read) == 0 {
		t.Error("an agent with more memories than there is room for is kept")
	}
}

func TestSources_Text(t *testing.T) {
	t.Parallel()
	c, a := publish.NewCache(), newAgent("a", "b", "c", "d")
	var read []string
	bodies := func(_ context.Context, of []claudemd.Summary) (map[[16]byte]string, error) {
		found := map[[16]byte]string{}
		for _, m := range of {
			read = append(read, m.Name)
			found[m.Revision] = "Body of " + m.Name
		}
		return found, nil
	}
	publication := func(changed []uuid.UUID, full int) []string {
		read = nil
		s, err := c.Take(t.Context(), a, 1, a.version, changed)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range s.Summaries[:full] {
			text, err := s.Text(t.Context(), s.Summaries[i:full], bodies)
			if want := claudemd.FullSection(m, "Body of "+m.Name); err != nil || text != want {
				t.Errorf("Text of %s = %q, %v, want %q", m.Name, text, err, want)
			}
		}
		c.Put(1, a.version, s, nil)
		return read
	}
	none := func() []uuid.UUID { return nil }
	for _, step := range []struct {
		what    string
		changes func() []uuid.UUID
		full    int
		want    []string
	}{
		{"first", none, 3, []string{"a", "b", "c"}},
		{"again", none, 3, nil},
		{"one more", none, 4, []string{"d"}},
		{"deleted", func() []uuid.UUID { return a.delete("a") }, 3, nil},
		{"others", func() []uuid.UUID { return slices.Concat(a.delete("b"), a.save("e", "")) }, 3, []string{"e"}},
		{"fewer", none, 1, nil},
		{"as many as before", none, 3, []string{"d", "e"}},
	} {
		if got := publication(step.changes(), step.full); !slices.Equal(got, step.want) {
			t.Errorf("%s: read %q, want %q", step.what, got, step.want)
		}
	}
}

// The next memories may have no content on record: those of a preview are edited.
func TestSources_TextOfFirstAlone(t *testing.T) {
	t.Parallel()
	a := newAgent("a", "b")
	bodies := func(context.Context, []claudemd.Summary) (map[[16]byte]string, error) {
		return map[[16]byte]string{idOf("a"): "Body"}, nil
	}
	var s publish.Sources
	if text, err := s.Text(t.Context(), a.all(), bodies); err != nil || text != claudemd.FullSection(a.all()[0], "Body") {
		t.Errorf("Text() = %q, %v", text, err)
	}
	if _, err := s.Text(t.Context(), a.all()[1:], bodies); err == nil {
		t.Error("a memory without content has a text")
	}
}
