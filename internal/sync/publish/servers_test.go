package publish_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	"memoir/internal/sync/publish"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// server is one of two servers with the same database.
type server struct {
	*testing.T
	store *postgres.Store
	cache *publish.Cache
	agent records.Agent
	ids   *[]string // of all memories, also deleted ones
}

func setupServers(t *testing.T) (one, other *server) {
	t.Helper()
	url := pgtest.New(t)
	ids := new([]string)
	open := func() *server {
		store, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		return &server{T: t, store: store, cache: publish.NewCache(), ids: ids}
	}
	one, other = open(), open()
	if _, err := one.store.SaveAgent(t.Context(), records.Agent{Slug: "ada", Layout: "hive", Dir: "/ada", Present: true}); err != nil {
		t.Fatal(err)
	}
	agent, err := one.store.AgentUncounted(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	one.agent, other.agent = agent, agent
	return one, other
}

// TestCache_TwoServers changes one agent from two servers in turns. Some changes fail. What is
// compiled must equal the saved rows.
func TestCache_TwoServers(t *testing.T) {
	t.Parallel()
	s, idle := setupServers(t)
	random := rand.New(rand.NewPCG(7, 8))
	for step := range 400 {
		// A server makes several steps in a row, so that it uses what it has cached.
		if random.IntN(3) == 0 {
			s, idle = idle, s
		}
		err := s.store.WithAgent(t.Context(), s.agent.ID, func(w *postgres.Writer) error {
			var changed []uuid.UUID
			if random.IntN(4) > 0 {
				changed = s.change(w, random)
			}
			if random.IntN(3) == 0 {
				return nil
			}
			return s.publish(w, changed, random)
		})
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
	}
}

// publish compares what the cache returns with all that is on record, and records costs.
func (s *server) publish(w *postgres.Writer, changed []uuid.UUID, random *rand.Rand) error {
	row, err := w.Rows.Agent(s.Context())
	if err != nil {
		return err
	}
	sources, err := s.cache.Take(s.Context(), w.Rows, row.ID, row.ClaudeMD.Version, changed)
	if err != nil {
		return err
	}
	onRecord, err := w.Rows.Summaries(s.Context())
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(sources.Summaries, onRecord) {
		return fmt.Errorf("compiled is\n%v\nand on record\n%v", sources.Summaries, onRecord)
	}
	p := records.Publication{ClaudeMD: records.ClaudeMD{Chars: random.IntN(100), PublishKey: "so"}}
	for _, m := range onRecord {
		if random.IntN(3) == 0 {
			p.Costs = append(p.Costs, claudemd.Cost{ID: m.ID, Chars: random.IntN(500), Listed: random.IntN(2) == 0})
		}
	}
	if random.IntN(4) == 0 {
		return nil // CLAUDE.md could not be written
	}
	if err := w.Published(s.Context(), p); err != nil {
		return err
	}
	s.cache.Put(row.ID, row.ClaudeMD.Version+1, sources, p.Costs)
	return nil
}

// change makes a few changes; Postgres refuses some of them. It returns the memories that it has
// changed.
func (s *server) change(w *postgres.Writer, random *rand.Rand) (changed []uuid.UUID) {
	s.Helper()
	for range 1 + random.IntN(3) {
		var b records.ChangeSet
		refused := random.IntN(3) == 0
		var head records.MemoryRow
		switch action := random.IntN(5); {
		case len(*s.ids) < 20 || action == 0:
			id := uuid.Must(uuid.NewV7())
			head = records.MemoryRow{UUID: id, RevisionID: uuid.Must(uuid.NewV7())}
			head.Name, head.Readable, head.State, head.Type = "New "+id.String(), true, memories.Active, memories.User
			b.NewHeads = []records.MemoryRow{head}
		case action == 1:
			head = s.any(w, random)
			if err := w.Delete(s.Context(), records.Deletion{Head: head, Actor: memories.ByScript}); err != nil {
				s.Fatal(err)
			}
			changed = append(changed, head.UUID)
			continue
		default:
			head = s.any(w, random)
			head.Description = fmt.Sprintf("What is said of it now: %d", random.IntN(1000))
			head.Type = memories.Types()[random.IntN(4)]
			head.State, head.DeletedAt, head.DeletedBy = memories.Active, time.Time{}, ""
			if random.IntN(4) == 0 {
				head.Type, head.State = "", memories.NeedsAttention
			}
			b.Heads = []records.MemoryRow{head}
		}
		if refused { // at the end of the transaction
			b.Activity = []records.JournalEntry{records.NewJournalEntry(head, head.CountKey(), records.Now(), "unheard of", memories.ByScript)}
		}
		err := w.Apply(s.Context(), &b)
		if refused != (err != nil) || errors.Is(err, memories.ErrUnavailable) {
			s.Fatalf("Apply() error = %v, want one: %v", err, refused)
		}
		if err == nil {
			changed = append(changed, b.Memories()...)
			if len(b.NewHeads) > 0 {
				*s.ids = append(*s.ids, head.UUID.String())
			}
		}
	}
	return changed
}

func (s *server) any(w *postgres.Writer, random *rand.Rand) records.MemoryRow {
	s.Helper()
	head, err := w.Rows.Row(s.Context(), (*s.ids)[random.IntN(len(*s.ids))])
	if err != nil {
		s.Fatal(err)
	}
	return head
}
