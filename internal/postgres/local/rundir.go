package local

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	runName    = "run"
	tempPrefix = "memoir-run-"
	port       = 5432 // only part of the socket's name: .s.PGSQL.5432
)

// runDir is the private directory of a run: the server's socket and its access rules.
type runDir struct {
	path string // directory of the socket
	link string // link to path in the data directory, if path is a temporary directory
}

// makeRunDir removes the directory of the last run and makes a new one with the access rules, with
// mode 0700 and the account as owner. If its path in the data directory is unsuitable for a socket,
// that path is a link to a temporary directory. It returns ErrAccess if no path is short enough.
// After an error nothing is left.
func makeRunDir(dataDir string, a account) (*runDir, error) {
	at := filepath.Join(dataDir, runName)
	removeRun(at)
	run := &runDir{path: at}
	err := run.make(at)
	if err == nil {
		err = run.writeRules(a)
	}
	if err != nil {
		run.remove()
		return nil, err
	}
	return run, nil
}

// make creates the directory at the path. If the path is unsuitable for a socket, it creates a
// temporary directory, makes the path a link to it, and sets r.path and r.link. It returns
// ErrAccess if no path is short enough.
func (r *runDir) make(at string) error {
	if fitsSocket(at) {
		return os.Mkdir(at, 0o700)
	}
	for _, parent := range []string{os.TempDir(), "/tmp"} {
		if !fitsSocket(filepath.Join(parent, tempPrefix+"1234567890")) {
			continue
		}
		temp, err := os.MkdirTemp(parent, tempPrefix)
		if err != nil {
			return err
		}
		r.path, r.link = temp, at
		return os.Symlink(temp, at)
	}
	return fmt.Errorf("%w: no directory has a path short enough for a socket; choose a shorter --data-dir", ErrAccess)
}

// fitsSocket reports whether a socket in the directory has a path that the kernel accepts (107
// bytes on Linux, 103 on macOS). It is false if dir has a comma, because clients would parse a list
// of hosts.
func fitsSocket(dir string) bool {
	const maxPath = len(syscall.RawSockaddrUnix{}.Path) - 1
	return len(filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(port))) <= maxPath && !strings.Contains(dir, ",")
}

// writeRules writes access rules with peer authentication that admit only the user who runs Memoir.
// It makes the account the owner of them and of the directory. It returns ErrAccess if this user
// has no name.
func (r *runDir) writeRules(a account) error {
	self, err := userByID(os.Geteuid())
	if err != nil {
		return fmt.Errorf("%w: PostgreSQL needs a user with a name: %w", ErrAccess, err)
	}
	hba, ident := filepath.Join(r.path, "pg_hba.conf"), filepath.Join(r.path, "pg_ident.conf")
	if err := os.WriteFile(hba, []byte("local all all peer map=memoir\n"), 0o600); err != nil {
		return err
	}
	name := strings.ReplaceAll(self.Username, `"`, `""`)
	rules := fmt.Sprintf("memoir \"%s\" memoir\nmemoir \"%s\" %s\n", name, name, superuser)
	if err := os.WriteFile(ident, []byte(rules), 0o600); err != nil {
		return err
	}
	return errors.Join(a.own(r.path), a.own(hba), a.own(ident))
}

// url returns the connection string for a role and a database over the socket, for pgx and libpq.
// It has no password.
func (r *runDir) url(role, database string) string {
	// libpq does not decode + as a space.
	host := strings.ReplaceAll(url.QueryEscape(r.path), "+", "%20")
	return fmt.Sprintf("postgres:///%s?host=%s&port=%d&user=%s", database, host, port, role)
}

func (r *runDir) remove() {
	if r.link != "" {
		_ = os.Remove(r.link)
	}
	_ = os.RemoveAll(r.path)
}

// removeRun removes the directory of an earlier run at a path. If that is a link to a temporary
// directory of Memoir, it removes both. It does nothing if the path is missing, and ignores errors.
func removeRun(at string) {
	if temp, err := os.Readlink(at); err == nil && strings.HasPrefix(filepath.Base(temp), tempPrefix) {
		_ = os.RemoveAll(temp)
	}
	_ = os.RemoveAll(at)
}
