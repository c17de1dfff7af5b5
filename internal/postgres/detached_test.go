package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
)

// brief is the timeout of the tests, in which Postgres must respond.
const brief = 50 * time.Millisecond

func setupAttend(t *testing.T) (*postgres.Store, *linetest.Line) {
	t.Helper()
	line := linetest.New(t, pgtest.New(t), nil)
	store, err := postgres.Open(t.Context(), line.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store, line
}

func TestRunDetached_LongChange(t *testing.T) {
	t.Parallel()
	store, _ := setupAttend(t)
	gone, leave := context.WithCancel(t.Context())
	err := store.RunDetached(gone, time.Second, func(ctx context.Context) error {
		leave() // the caller stops waiting
		time.Sleep(3 * brief)
		return ctx.Err()
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRunDetached_StoreCloses(t *testing.T) {
	t.Parallel()
	store, _ := setupAttend(t)
	err := store.RunDetached(t.Context(), time.Minute, func(ctx context.Context) error {
		go store.Close()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("failed with %v", err)
	}
}

func TestRunDetached_SilentBefore(t *testing.T) {
	t.Parallel()
	store, line := setupAttend(t)
	defer line.Silence()()
	err := store.RunDetached(t.Context(), brief, func(context.Context) error {
		t.Error("it has begun")
		return nil
	})
	if !errors.Is(err, memories.ErrUnavailable) || errors.Is(err, memories.ErrInterrupted) {
		t.Errorf("failed with %v", err)
	}
}

func TestRunDetached_SilentDuring(t *testing.T) {
	t.Parallel()
	store, line := setupAttend(t)
	ended := make(chan error, 1)
	var speak func()
	err := store.RunDetached(t.Context(), brief, func(ctx context.Context) error {
		speak = line.Silence()
		_, err := store.Agents(ctx)
		ended <- err
		return err
	})
	if !errors.Is(err, memories.ErrInterrupted) || !errors.Is(err, memories.ErrUnavailable) {
		t.Errorf("failed with %v", err)
	}
	speak()
	if err := <-ended; err != nil {
		t.Errorf("the change ended with %v", err)
	}
}

func TestRunDetached_StoreClosesAfterReturn(t *testing.T) {
	t.Parallel()
	store, line := setupAttend(t)
	ended := make(chan struct{})
	var speak func()
	err := store.RunDetached(t.Context(), brief, func(ctx context.Context) error {
		speak = line.Silence()
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	})
	if !errors.Is(err, memories.ErrInterrupted) {
		t.Errorf("failed with %v", err)
	}
	speak()
	go store.Close()
	<-ended
}

func TestRunDetached_Panic(t *testing.T) {
	t.Parallel()
	store, _ := setupAttend(t)
	defer func() {
		if recover() != "a fault" {
			t.Error("the panic did not arrive")
		}
	}()
	_ = store.RunDetached(t.Context(), time.Minute, func(context.Context) error { panic("a fault") })
}
