package cli_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"memoir/internal/servertest"
)

func TestVersion_SameEverywhere(t *testing.T) {
	t.Parallel()
	term := setup(t)
	line := term.memoir("version").wants(0, "memoir devel (", "").stdout
	term.memoir("--version").wantsAll(line)
}

func TestVersion_Release(t *testing.T) {
	t.Parallel()
	term := setup(t)
	path := filepath.Join(t.TempDir(), "memoir")
	if _, err := servertest.Build(path, "-ldflags=-X memoir/internal/version.release=v1.2.3"); err != nil {
		t.Fatal(err)
	}
	term.run(path, "", "version").wants(0, "memoir v1.2.3 (", "")
	var info struct{ Version, Go, Platform string }
	if out := term.run(path, "", "version", "--json").wants(0, "", "").stdout; json.Unmarshal([]byte(out), &info) != nil ||
		info.Version != "v1.2.3" || info.Go == "" || info.Platform == "" {
		t.Errorf("version --json printed %s", out)
	}
}
