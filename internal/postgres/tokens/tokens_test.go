package tokens_test

import (
	"testing"
	"time"

	"memoir/internal/access"

	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
)

func TestSignIns_EndWhenRemovedOrExpired(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	open := func() *postgres.Store {
		t.Helper()
		store, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		return store
	}
	one, two := open(), open()
	keep := func(id, seal string, expires time.Time) {
		t.Helper()
		if err := one.SaveSignIn(t.Context(), []byte(id), access.SignIn{Seal: []byte(seal), ExpiresAt: expires}); err != nil {
			t.Fatal(err)
		}
	}
	has := func(id, want string) {
		t.Helper()
		if in, err := two.SignIn(t.Context(), []byte(id)); err != nil || string(in.Seal) != want {
			t.Errorf("SignIn(%s) = %q, %v, want %q", id, in.Seal, err, want)
		}
	}
	keep("a", "seal of a", time.Now().Add(time.Hour))
	keep("b", "seal of b", time.Now().Add(time.Hour))
	keep("old", "seal of old", time.Now().Add(-time.Hour))
	has("a", "seal of a")
	has("old", "")
	has("none", "")
	for range 2 {
		if err := two.EndSignIn(t.Context(), []byte("a")); err != nil {
			t.Error(err)
		}
		has("a", "")
	}
	has("b", "seal of b")
	keep("c", "seal of c", time.Now().Add(time.Hour)) // removes what has expired
	rows := 0
	if err := pgtest.Connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM sign_ins").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d rows, %v, want 2", rows, err)
	}
}
