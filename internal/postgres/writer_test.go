package postgres_test

import (
	"context"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// TestAnAgentIsLetGoOfWhenWhatIsReadWithTheLockCannotBeRead has the lock taken and the statement after it fail.
func TestAnAgentIsLetGoOfWhenWhatIsReadWithTheLockCannotBeRead(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 1)
	var id string
	query(t, l.conn, "SELECT id::text FROM memories", &id)
	read := func() error {
		return l.store.WithMemory(t.Context(), l.agent.ID, id, func(w *postgres.Writer) error {
			_, _, err := w.HeadWithFiles(t.Context(), id)
			return err
		})
	}
	for range 20 { // until each connection that is used has the statements prepared: else none is carried out
		if err := read(); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, l.conn, "ALTER TABLE memories RENAME TO elsewhere")
	if err := read(); err == nil {
		t.Fatal("a memory was read from a table that is not there")
	}
	execute(t, l.conn, "ALTER TABLE elsewhere RENAME TO memories")
	other, err := postgres.Open(t.Context(), l.conn.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := other.WithAgent(soon, l.agent.ID, func(*postgres.Writer) error { return nil }); err != nil {
		t.Errorf("another server cannot have the agent: %v", err)
	}
}

func TestWhatWasReadWithTheLockIsNotKeptOverAChange(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 1)
	var id string
	query(t, l.conn, "SELECT id::text FROM memories", &id)
	err := l.store.WithMemory(t.Context(), l.agent.ID, id, func(w *postgres.Writer) error {
		head, err := w.Head(t.Context(), id)
		if err != nil {
			return err
		}
		if err := w.Delete(t.Context(), postgres.Deletion{Head: head, Actor: memories.ByScript}); err != nil {
			return err
		}
		head, _, err = w.HeadWithFiles(t.Context(), id)
		if head.State != memories.Deleted {
			t.Errorf("after the deletion it is %s", head.State)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
