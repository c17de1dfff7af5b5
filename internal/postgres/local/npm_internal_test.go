package local

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// pretendNPM installs a PostgreSQL 99 below dir as npm would. Its program needs a link that npm's
// archives leave out.
func pretendNPM(t *testing.T, dir string) {
	t.Helper()
	native := filepath.Join(dir, "node_modules", npmPackage(), "native")
	write(t, filepath.Join(native, "lib", "version.1.2"), "postgres (PostgreSQL) 99.1\n", 0o644)
	write(t, filepath.Join(native, "pg-symlinks.json"), `[{"source":"native/lib/version.1.2","target":"native/lib/version"}]`, 0o644)
	write(t, filepath.Join(native, "bin", "postgres"), "#!/bin/sh\nexec cat \"${0%/*}/../lib/version\"\n", 0o755)
	write(t, filepath.Join(native, "bin", "initdb"), "#!/bin/sh\n", 0o755)
}

// TestFindInstallations_NPM changes the environment, so it is not parallel.
func TestFindInstallations_NPM(t *testing.T) {
	home := t.TempDir()
	pretendNPM(t, filepath.Join(home, npmDirName))
	t.Setenv("XDG_DATA_HOME", home)
	for range 2 { // the second time, the link exists
		found := findInstallations(t.Context(), nil, slog.New(slog.DiscardHandler))
		if len(found) == 0 || found[len(found)-1].major != 99 {
			t.Errorf("findInstallations() = %+v, want PostgreSQL 99 at the end", found)
		}
	}
}

func TestNPMDirs(t *testing.T) {
	t.Parallel()
	bin := "/" + npmPackage() + "/native/bin"
	for _, c := range []struct {
		name, program, dataHome string
		want                    []string
	}{
		{"not from npm", "/tmp/memoir", "", nil},
		{"data directory", "/usr/bin/memoir", "/home/ada/.local/share", []string{"/home/ada/.local/share/memoir-postgres/node_modules" + bin}},
		{"as a dependency", "/opt/lib/node_modules/@memoir/linux/bin/memoir", "", []string{
			"/opt/lib/node_modules/@memoir/linux/bin/node_modules" + bin,
			"/opt/lib/node_modules/@memoir/linux/node_modules" + bin,
			"/opt/lib/node_modules/@memoir/node_modules" + bin,
			"/opt/lib/node_modules" + bin,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := npmDirs(c.program, c.dataHome); !slices.Equal(got, c.want) {
				t.Errorf("npmDirs() = %q, want %q", got, c.want)
			}
		})
	}
}

func TestCreateLinks_OnlyInPackage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "package")
	write(t, filepath.Join(dir, "native", "pg-symlinks.json"), `[{"source":"native/lib/a.1","target":"../outside"}]`, 0o644)
	if err := createLinks(dir); err == nil {
		t.Error("createLinks() created a link outside the package")
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "outside")); err == nil {
		t.Error("the link exists")
	}
}
