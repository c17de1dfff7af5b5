package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// Two servers change one agent in turns, and not every change succeeds. What either has kept of the headings may never be seen
// to differ from what is.
func TestWhateverAnybodyChangesTheKeptHeadingsAreThoseOnRecord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ memories, steps int }{
		"few":                           {60, 400},
		"more than are kept for longer": {12_100, 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := setupLibrary(t, c.memories)
			other, err := postgres.Open(t.Context(), l.conn.Config().ConnString())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(other.Close)
			random := rand.New(rand.NewPCG(7, 8))
			store, idle := l.store, other
			for step := range c.steps {
				// One of them stays at it for some steps, so that it goes by what it has kept.
				if random.IntN(3) == 0 {
					store, idle = idle, store
				}
				err := store.WithAgent(t.Context(), l.agent.ID, func(w *postgres.Writer) error {
					if random.IntN(4) > 0 {
						l.changes(w, random)
					}
					if random.IntN(3) == 0 {
						return nil
					}
					return l.publishes(store, w, random)
				})
				if err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
			}
		})
	}
}

// publishes compares what is compiled with what is read anew, and records costs, as a publication does.
func (l *library) publishes(store *postgres.Store, w *postgres.Writer, random *rand.Rand) error {
	agent, err := w.Agent(l.Context())
	if err != nil {
		return err
	}
	sections, err := w.Sections(l.Context(), agent)
	if err != nil {
		return err
	}
	err = store.ReadSections(l.Context(), agent, time.Time{}, func(onRecord postgres.Sections) error {
		for i, m := range onRecord.Headings {
			onRecord.Headings[i] = m.WithEntry()
		}
		if !reflect.DeepEqual(sections.Headings, onRecord.Headings) {
			return fmt.Errorf("compiled is\n%v\nand on record\n%v", sections.Headings, onRecord.Headings)
		}
		return nil
	})
	if err != nil || random.IntN(2) == 0 {
		return err
	}
	p := postgres.Publication{ClaudeMD: postgres.ClaudeMD{Chars: random.IntN(100), InStep: "so"}}
	for _, m := range sections.Headings {
		if random.IntN(3) == 0 {
			p.Costs = append(p.Costs, memories.Cost{ID: m.ID, Chars: random.IntN(500), Listed: random.IntN(2) == 0})
		}
	}
	return l.records(w, agent, p, random)
}

// records records a publication, or one that is taken back.
func (l *library) records(w *postgres.Writer, before postgres.Agent, p postgres.Publication, random *rand.Rand) error {
	if len(p.Costs) == 0 || random.IntN(2) == 0 {
		return w.Published(l.Context(), p)
	}
	var refused error
	if random.IntN(2) == 0 {
		refused = errors.New("the disk is full")
	}
	m, err := w.PublishedAndRead(l.Context(), p, before.Slug, p.Costs[0].ID, func() error { return refused })
	if refused == nil {
		if err != nil || m.ClaudeMDChars != p.Costs[0].Chars {
			return fmt.Errorf("recorded is %+v: %v", m, err)
		}
		return nil
	}
	after, readErr := w.Agent(l.Context())
	if !errors.Is(err, refused) || readErr != nil || after.ClaudeMD != before.ClaudeMD {
		return fmt.Errorf("a record that was taken back: %v, %v; before %+v, after %+v", err, readErr, before.ClaudeMD, after.ClaudeMD)
	}
	return nil
}

// changes makes a few changes, some of which Postgres refuses, at once or when all else has been said.
func (l *library) changes(w *postgres.Writer, random *rand.Rand) {
	for range 1 + random.IntN(3) {
		refused, late := random.IntN(3) == 0, random.IntN(2) == 0
		b := &postgres.Batch{}
		head := l.anyHead(w, random)
		var err error
		switch random.IntN(4) {
		case 0:
			refused = false
			err = w.Delete(l.Context(), postgres.Deletion{Head: head, Actor: memories.ByScript}, nil)
		case 1:
			id := uuid.Must(uuid.NewV7())
			head.UUID, head.Name = id, "New "+id.String()
			head.State, head.DeletedAt, head.DeletedBy = memories.Active, time.Time{}, ""
			b.NewHeads = []postgres.Head{head}
			err = l.applies(w, b, refused, late)
		default:
			head.Description = fmt.Sprintf("What is said of it now: %d", random.IntN(1000))
			head.Type = memories.Types()[random.IntN(4)]
			head.State, head.DeletedAt, head.DeletedBy = memories.Active, time.Time{}, ""
			if random.IntN(4) == 0 {
				head.Type, head.State = "", memories.NeedsAttention
			}
			b.Heads = []postgres.Head{head}
			err = l.applies(w, b, refused, late)
		}
		if refused != (err != nil) {
			l.Fatalf("a change that was to be refused: %v; the error: %v", refused, err)
		}
	}
}

// applies saves the one memory of a batch, unless that is to be refused: for what it says, or for what is to be written last.
func (l *library) applies(w *postgres.Writer, b *postgres.Batch, refused, late bool) error {
	heads := b.NewHeads
	if heads == nil {
		heads = b.Heads
	}
	switch {
	case refused && late:
		b.Activity = []postgres.Happening{postgres.HappensTo(heads[0], heads[0].Life(), postgres.Now(), "unheard of", memories.ByScript)}
	case refused:
		heads[0].State = "unheard of"
	}
	return w.Apply(l.Context(), b)
}

func (l *library) anyHead(w *postgres.Writer, random *rand.Rand) postgres.Head {
	l.Helper()
	var id string
	query := "SELECT id::text FROM memories ORDER BY id OFFSET $1 LIMIT 1"
	if err := l.conn.QueryRow(l.Context(), query, random.IntN(60)).Scan(&id); err != nil {
		l.Fatal(err)
	}
	head, err := w.Head(l.Context(), id)
	if err != nil {
		l.Fatal(err)
	}
	return head
}
