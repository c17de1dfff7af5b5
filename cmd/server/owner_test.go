package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAccessOfOwner(t *testing.T) {
	t.Parallel()
	unknown := func() bool { return false }
	if got, err := accessOfOwner("", func() bool { return true }); err != nil || got != (ownerAccess{}) {
		t.Errorf("where the kernel tells: %+v, %v", got, err)
	}
	if _, err := accessOfOwner("", unknown); err == nil || !strings.Contains(err.Error(), "--token") {
		t.Errorf("without a data directory: error = %v", err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	first, err := accessOfOwner(dir, unknown)
	if err != nil || first.token == "" || first.code == "" {
		t.Fatalf("accessOfOwner() = %+v, %v", first, err)
	}
	info, err := os.Stat(first.file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v (%v)", info.Mode(), err)
	}
	again, err := accessOfOwner(dir, unknown)
	if err != nil || again.token != first.token || again.code == first.code {
		t.Errorf("the next start: %+v, %v", again, err)
	}
	// A token that others could read is replaced.
	if err := os.Chmod(first.file, 0o644); err != nil {
		t.Fatal(err)
	}
	replaced, err := accessOfOwner(dir, unknown)
	if err != nil || replaced.token == first.token {
		t.Errorf("after chmod: %+v, %v", replaced, err)
	}
	link := replaced.link("http", "127.0.0.1:0", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8145})
	if link != "http://127.0.0.1:8145/sign-in?code="+replaced.code {
		t.Errorf("link() = %s", link)
	}
}
