package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// minMajor is the oldest PostgreSQL version that Memoir's queries support.
const minMajor = 15

// usualDirs are the directories outside PATH where packages install initdb and postgres.
var usualDirs = []string{
	"/usr/lib/postgresql/*/bin",                                       // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                                // Red Hat, from postgresql.org
	"/usr/bin",                                                        // Red Hat, Fedora, Arch
	"/usr/libexec/postgresql*",                                        // Alpine
	"/opt/homebrew/opt/postgresql*/bin",                               // Homebrew on ARM
	"/usr/local/opt/postgresql*/bin",                                  // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",                  // Homebrew on Linux
	"/Applications/Postgres.app/Contents/Versions/*/bin",              // Postgres.app
	"/Library/PostgreSQL/*/bin",                                       // the installer for macOS
	"/usr/local/pgsql/bin",                                            // built from source
	"/nix/var/nix/profiles/default/bin", "/run/current-system/sw/bin", // Nix
}

// installation is an installed PostgreSQL.
type installation struct {
	initdb, postgres string
	major            int
}

// findInstallations returns the PostgreSQL installations in binDirs, in order. If binDirs is nil,
// it returns those in PATH, in order, then those in usualDirs, newest first, and then those from
// npm. It includes unsupported versions, and leaves out directories without a working installation.
// It runs the program postgres of each for its version.
func findInstallations(ctx context.Context, binDirs []string, log *slog.Logger) []installation {
	if binDirs != nil {
		return installationsIn(ctx, binDirs)
	}
	onPath := installationsIn(ctx, filepath.SplitList(os.Getenv("PATH")))
	var usual []string
	for _, pattern := range usualDirs {
		dirs, _ := filepath.Glob(pattern)
		usual = append(usual, dirs...)
	}
	others := installationsIn(ctx, usual)
	slices.SortStableFunc(others, func(a, b installation) int { return cmp.Compare(b.major, a.major) })
	return slices.Concat(onPath, others, installationsIn(ctx, foundNPMDirs(log)))
}

func installationsIn(ctx context.Context, dirs []string) []installation {
	var found []installation
	for _, dir := range dirs {
		if one, err := installationIn(ctx, dir); err == nil && !slices.Contains(found, one) {
			found = append(found, one)
		}
	}
	return found
}

var majorOfVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// installationIn returns the installation in a directory, with links followed. It runs postgres
// --version for the version. It returns an error if dir is not absolute, postgres or initdb is
// missing, or the version is unknown.
func installationIn(ctx context.Context, dir string) (installation, error) {
	if !filepath.IsAbs(dir) {
		return installation{}, errors.New("not an absolute directory")
	}
	postgres, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return installation{}, err
	}
	initdb, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
	if err != nil {
		return installation{}, err
	}
	command := exec.CommandContext(ctx, postgres, "--version")
	command.Env = bareEnvironment()
	output, err := command.Output()
	if err != nil {
		return installation{}, err
	}
	match := majorOfVersion.FindSubmatch(output)
	if match == nil {
		return installation{}, fmt.Errorf("unknown version %q", output)
	}
	major, err := strconv.Atoi(string(match[1]))
	return installation{initdb: initdb, postgres: postgres, major: major}, err
}

// chooseInstallation returns the first installation in found with the cluster's major version. For
// a new cluster (major 0), it returns the first one from minMajor on. It returns ErrNoPostgres if
// all are older than minMajor, and ErrVersion if no other one has the cluster's version.
func chooseInstallation(found []installation, major int, clusterDir string) (installation, error) {
	usable := slices.DeleteFunc(slices.Clone(found), func(i installation) bool { return i.major < minMajor })
	if len(usable) == 0 {
		return installation{}, noPostgres(found)
	}
	if major == 0 {
		return usable[0], nil
	}
	if i := slices.IndexFunc(usable, func(i installation) bool { return i.major == major }); i >= 0 {
		return usable[i], nil
	}
	return installation{}, otherVersion(usable, major, clusterDir)
}

func noPostgres(tooOld []installation) error {
	problem := ErrNoPostgres.Error()
	if len(tooOld) > 0 {
		problem = fmt.Sprintf("the PostgreSQL found (%s) is older than %d", versions(tooOld), minMajor)
	}
	return &explained{ErrNoPostgres, fmt.Sprintf("%s; install PostgreSQL %d or later (Debian: apt install postgresql; "+
		"macOS: brew install postgresql; without root: %s), or point --database-url at a server, or put the directory of its initdb and postgres on PATH",
		problem, minMajor, npmAdvice())}
}

func otherVersion(usable []installation, major int, clusterDir string) error {
	install := fmt.Sprintf("install PostgreSQL %d (Debian: postgresql-%d) beside it, or ", major, major)
	if major < minMajor {
		install = ""
	}
	return &explained{ErrVersion, fmt.Sprintf("%s was made by PostgreSQL %d, and this machine has %s; nothing was changed: %smove "+
		"the data with pg_upgrade or pg_dump, or choose another --data-dir", clusterDir, major, versions(usable), install)}
}

func versions(found []installation) string {
	var majors []string
	for _, one := range found {
		majors = append(majors, strconv.Itoa(one.major))
	}
	return strings.Join(slices.Compact(majors), ", ")
}

// explained is an error with a complete sentence in place of its sentinel's text.
type explained struct {
	sentinel error
	sentence string
}

func (e *explained) Error() string { return e.sentence }
func (e *explained) Unwrap() error { return e.sentinel }
