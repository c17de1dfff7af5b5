package local_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"memoir/internal/postgres/local"
)

func TestBackup_BeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	f := setup(t)
	begin := func(schema int64) *local.Server {
		t.Helper()
		options := f.options()
		options.Schema = schema
		server, err := local.Start(f.ctx, options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.stop(server) })
		return server
	}
	backups := func(want ...string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(f.dir, "postgres.*"))
		if err != nil || len(found) != len(want) {
			t.Fatalf("copies are %q (%v), want %q", found, err, want)
		}
		for i, path := range found {
			if filepath.Base(path) != want[i] {
				t.Errorf("copy %d is %s, want %s", i, path, want[i])
			}
			if _, err := os.Stat(filepath.Join(path, "PG_VERSION")); err != nil {
				t.Error(err)
			}
		}
	}

	server := begin(5) // a new cluster needs no copy
	backups()
	if err := server.SetSchema(); err != nil {
		t.Fatal(err)
	}
	f.stop(server)

	f.stop(begin(5)) // the same version
	backups()

	f.stop(begin(6)) // an unfinished upgrade
	backups("postgres.before-6")
	marker := filepath.Join(f.dir, "postgres.before-6", "first")
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server = begin(6) // the first copy stays
	backups("postgres.before-6")
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("the first copy was replaced: %v", err)
	}
	if err := server.SetSchema(); err != nil {
		t.Fatal(err)
	}
	f.stop(server)

	month := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(f.dir, "postgres.before-6"), month, month); err != nil {
		t.Fatal(err)
	}
	f.stop(begin(6))
	backups()
}
