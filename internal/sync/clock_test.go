package sync_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	engine "memoir/internal/sync"
)

// timesOf are the columns with times of an agent, by table, and the condition that selects the
// agent's rows.
var timesOf = map[string]struct {
	columns []string
	of      string
}{
	"memories":   {[]string{"content_at", "modified_at", "created_at", "updated_at", "deleted_at"}, "agent_id = $2"},
	"files":      {[]string{"content_at", "modified_at"}, "agent_id = $2"},
	"activity":   {[]string{"at", "modified_at"}, "agent_id = $2"},
	"revisions":  {[]string{"seen_at"}, "memory_id IN (SELECT id FROM memories WHERE agent_id = $2)"},
	"tombstones": {[]string{"deleted_at"}, "agent_id = $2"},
}

// setClockBack makes of everything that is known of the agent what a clock has seen that was ahead
// of the present one, or, by less than nothing, behind it.
func (b *bench) setClockBack(slug string, by time.Duration) {
	b.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, b.url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is left to be written
	agent, err := b.store.Agent(ctx, slug)
	if err != nil {
		b.Fatal(err)
	}
	for table, times := range timesOf {
		for _, column := range times.columns {
			shift := fmt.Sprintf("UPDATE %s SET %s = %[2]s + $1 WHERE %[3]s", table, column, times.of)
			if _, err := conn.Exec(ctx, shift, by, agent.ID); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// withinToday is an hour, or less when the day ends before: what happened is counted by days.
func withinToday() time.Duration {
	now := time.Now().UTC()
	return min(time.Hour, now.Truncate(24*time.Hour).Add(24*time.Hour-time.Second).Sub(now))
}

// sinceToday is an hour, or less when the day has begun since.
func sinceToday() time.Duration {
	now := time.Now().UTC()
	return max(0, min(time.Hour, now.Sub(now.Truncate(24*time.Hour))-time.Minute))
}

func TestClock_SetBack(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stopWatching()
	tells := pgtest.Journal(t, b.url)
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.write("ada/memory/b.md", note("Deploy", memories.User, "one"))
	b.link("ada/memory/c.md", "nowhere")
	b.scan("ada")
	b.setClockBack("ada", withinToday())

	b.remove("ada/memory/c.md")
	b.write("ada/memory/a.md", note("Tabs", memories.User, "two"))
	b.scan("ada")
	b.hasBody("ada", "Tabs", "two")
	b.save(engine.Draft{Name: "Deploy", Type: memories.User, Body: "two"})
	b.hasBody("ada", "Deploy", "two")
	b.setClockBack("ada", withinToday())
	b.delete("ada", "Deploy")
	b.remove("ada/memory/a.md")
	b.scan("ada")
	for _, name := range []string{"Tabs", "Deploy"} {
		b.isIn("ada", name, memories.Deleted)
	}
	b.setClockBack("ada", withinToday())
	b.write("ada/memory/a.md", note("Tabs", memories.User, "three"))
	b.scan("ada")
	b.hasBody("ada", "Tabs", "three")
	b.verify("Tabs")
	if gaps := tells(); len(gaps) > 0 {
		t.Errorf("the journal does not lead to what is: %q", gaps)
	}
	agent := b.agent("ada")
	page, err := b.store.Memories(t.Context(), agent, memories.Filter{AsOf: memories.MomentOf(time.Now().Add(24 * time.Hour))}, memories.PageRequest{Limit: 10})
	if err != nil || len(page.Memories) != 1 || page.Memories[0].Body != "three" {
		t.Errorf("in the end there is %+v, %v", page.Memories, err)
	}
}
