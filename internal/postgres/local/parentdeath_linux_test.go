package local_test

import (
	"errors"
	"os"
	"testing"
	"time"
)

func TestServer_ParentDeath(t *testing.T) {
	t.Parallel()
	f := setup(t)
	memoir := act(t, nil, "serve", "LOCAL_TEST_DIR="+f.dir)
	f.remember(memoir.says("ready"))
	memoir.kill()
	// Only a clean shutdown removes the pid file.
	for {
		if _, err := os.Stat(f.pgdata("postmaster.pid")); errors.Is(err, os.ErrNotExist) {
			break
		}
		select {
		case <-f.ctx.Done():
			t.Fatal("the server goes on without its Memoir")
		case <-time.After(10 * time.Millisecond):
		}
	}
	f.remembers(f.start().URL())
}
