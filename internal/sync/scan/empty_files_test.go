package scan

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/agents"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

func TestWriterTimeLeft_FileFirstSeenEmpty(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.md")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for name, known := range map[string]*records.File{"new": nil, "with bytes before": {Present: true, Size: 100}} {
		synctest.Test(t, func(t *testing.T) {
			tx := &agenttx.Tx{State: agenttx.NewState(1), Root: root}
			empty := func() *agents.Entry {
				now := time.Now()
				if err := os.Chtimes(file, now, now); err != nil {
					t.Fatal(err)
				}
				return &agents.Entry{Path: "a.md", ModTime: now.UnixNano(), ChangeTime: now.UnixNano()}
			}
			left := func(entry *agents.Entry) time.Duration {
				left := writerTimeLeft(tx, entry, known)
				if left <= 0 || left > agenttx.EmptyFileTimeout {
					t.Errorf("%s: a file that has just been emptied is left to its writer for %v", name, left)
				}
				return left
			}
			entry := empty()
			time.Sleep(200 * time.Millisecond)
			time.Sleep(left(entry) - 1)
			entry = empty() // the writer wrote, and begins anew
			time.Sleep(200 * time.Millisecond)
			time.Sleep(left(entry))
			if more := writerTimeLeft(tx, entry, known); more != 0 {
				t.Errorf("%s: its time is over, and it has %v more", name, more)
			}
		})
	}
}
