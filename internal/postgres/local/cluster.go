package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const clusterName = "postgres"

// cluster is the data of a private server, locked by this process. The data directory contains:
//
//   - memoir.lock, with the process id of the Memoir that has locked it;
//   - postgres/, the cluster, and postgres.init-*, unfinished clusters;
//   - schema, the version of the tables;
//   - postgres.before-N, a copy of the cluster before its tables were upgraded to version N;
//   - run/, the socket and access rules, or a link to them if the path is too long for a socket.
type cluster struct {
	dir            string // absolute path of the data directory
	pgdata         string // path of the cluster in it
	lock           *dirLock
	run            *runDir
	installation   installation
	account        account
	log            *slog.Logger
	maxConnections int
	noSync         bool
	schema         int64 // Options.Schema
}

// Exists reports whether a data directory has a cluster. It reports true if that cannot be found out.
func Exists(dataDir string) bool {
	_, err := os.Lstat(filepath.Join(dataDir, clusterName))
	return !errors.Is(err, fs.ErrNotExist)
}

// Check returns the version of the Postgres that Start would use, such as 16. It changes nothing,
// apart from the links that PostgreSQL from npm needs. It returns ErrForeign, ErrNoPostgres, ErrVersion
// or ErrAccess if Start would.
func Check(ctx context.Context, dataDir string) (major int, err error) {
	c := &cluster{dir: dataDir, pgdata: filepath.Join(dataDir, clusterName)}
	err = c.check(findInstallations(ctx, nil, slog.New(slog.DiscardHandler)))
	return c.installation.major, err
}

// openCluster checks the data directory, creates it if missing, locks it and prepares a start of
// the server. It ends processes that a crash left, removes incomplete clusters, copies the cluster
// before an upgrade, and makes the socket's directory. It creates no cluster. The caller must call
// close. It returns ErrForeign, ErrNoPostgres, ErrVersion, ErrAccess or ErrInUse if the directory
// cannot be used. After an error the directory is unlocked.
func openCluster(ctx context.Context, opts Options) (*cluster, error) {
	if opts.DataDir == "" {
		return nil, fmt.Errorf("%w: none was named; set --data-dir", ErrAccess)
	}
	dir, err := filepath.Abs(opts.DataDir)
	if err != nil {
		return nil, err
	}
	c := &cluster{
		dir:            dir,
		pgdata:         filepath.Join(dir, clusterName),
		log:            opts.Log,
		maxConnections: opts.MaxConnections,
		noSync:         opts.NoSync,
		schema:         opts.Schema,
	}
	found := findInstallations(ctx, opts.BinDirs, opts.Log)
	if err := c.check(found); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w; choose another --data-dir", ErrAccess, err)
	}
	if c.lock, err = lockDir(dir); err != nil {
		return nil, err
	}
	if err := c.takeOver(ctx, found); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// takeOver prepares the locked data directory for a start of the server. It checks it again, ends
// orphaned processes, removes incomplete clusters, copies the cluster before an upgrade, and makes
// the directory of the socket. After an error, the caller must call close.
func (c *cluster) takeOver(ctx context.Context, found []installation) (err error) {
	// Another Memoir may have created the cluster between the first check and the lock.
	if err := c.check(found); err != nil {
		return err
	}
	if err := c.endOrphans(ctx); err != nil {
		return err
	}
	if err := c.removeHalfMade(); err != nil {
		return err
	}
	if err := c.backUp(ctx); err != nil {
		return err
	}
	c.run, err = makeRunDir(c.dir, c.account)
	return err
}

// check chooses the installation and the account that fit the data directory, and sets both in c.
// It changes nothing on disk. It returns ErrForeign, ErrNoPostgres, ErrVersion or ErrAccess if the
// directory cannot be used. A missing or empty directory is fine.
func (c *cluster) check(found []installation) error {
	if err := c.checkDataDir(); err != nil {
		return err
	}
	major, err := c.major()
	if err != nil {
		return err
	}
	if c.installation, err = chooseInstallation(found, major, c.pgdata); err != nil {
		return err
	}
	c.account, err = accountFor(c.dir, c.pgdata)
	return err
}

// checkDataDir returns ErrForeign if the data directory is a file, or has files but no lock file of
// Memoir. It returns ErrAccess if it cannot be read. It returns nil for a missing or empty
// directory, and ignores lost+found.
func (c *cluster) checkDataDir() error {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %s is a file; choose another --data-dir", ErrForeign, c.dir)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; start Memoir as the user who owns it, or choose another --data-dir", ErrAccess, err)
	}
	foreign := ""
	for _, entry := range entries {
		switch entry.Name() {
		case lockName:
			return nil
		case "lost+found": // the directory is a mount
		default:
			foreign = entry.Name()
		}
	}
	if foreign != "" {
		return fmt.Errorf("%w: %s contains other files (such as %s); nothing was changed: choose an empty or new --data-dir",
			ErrForeign, c.dir, foreign)
	}
	return nil
}

// major returns the major version of PostgreSQL that made the cluster, or 0 if the cluster's
// directory is missing or empty. It returns ErrForeign if the directory has files but no PG_VERSION
// with a number, and ErrAccess if it cannot be read.
func (c *cluster) major() (int, error) {
	entries, err := os.ReadDir(c.pgdata)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w; start Memoir as the user who owns it, or choose another --data-dir", ErrAccess, err)
	}
	if len(entries) == 0 {
		return 0, nil
	}
	content, err := os.ReadFile(filepath.Join(c.pgdata, "PG_VERSION"))
	if err != nil {
		return 0, c.notACluster()
	}
	// Before PostgreSQL 10, the major version had two parts.
	first, _, _ := strings.Cut(strings.TrimSpace(string(content)), ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return 0, c.notACluster()
	}
	return major, nil
}

func (c *cluster) notACluster() error {
	return fmt.Errorf("%w: %s is not empty and not a PostgreSQL cluster; nothing was changed: move it away, or choose another --data-dir",
		ErrForeign, c.pgdata)
}

// bringUp creates the cluster if it is missing, starts the server, and creates Memoir's role and
// database if they are missing. It returns the server when it accepts connections. After an error
// no server runs, but a created cluster stays.
func (c *cluster) bringUp(ctx context.Context) (*postmaster, error) {
	major, err := c.major()
	if err != nil {
		return nil, err
	}
	if major == 0 {
		if err := c.create(ctx); err != nil {
			return nil, err
		}
	}
	running, err := c.launch(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.createDatabase(ctx); err != nil {
		running.shutDown(nil)
		return nil, err
	}
	return running, nil
}

// close removes the directory of the socket and unlocks the data directory. It does not stop the
// server, which must have ended.
func (c *cluster) close() {
	if c.run != nil {
		c.run.remove()
	}
	c.lock.release()
}
