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

// cluster is the data of one private server, locked by this process, with all that is needed to run it.
type cluster struct {
	dir            string // the user's data directory, absolute
	pgdata         string // the cluster below it
	lock           *dirLock
	run            *runDir
	installation   installation
	account        account
	log            *slog.Logger
	maxConnections int
	noSync         bool
	schema         int64 // Options.Schema
}

// openCluster checks the data directory before it changes anything, claims it, and ends what a crash left running.
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
	found := findInstallations(ctx, opts.BinDirs)
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

// takeOver readies a claimed data directory for the server, after a crash too.
func (c *cluster) takeOver(ctx context.Context, found []installation) (err error) {
	// Another Memoir may have made the cluster between the first check and the lock.
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

// check looks at the data directory without touching it, and settles the installation and the account.
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

// checkDataDir refuses a directory with contents that are not Memoir's, rather than mixing with them.
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
		case "lost+found": // a volume of its own
		default:
			foreign = entry.Name()
		}
	}
	if foreign != "" {
		return fmt.Errorf("%w: %s holds other things (%s, for one); nothing was changed: choose an empty or a new directory as --data-dir",
			ErrForeign, c.dir, foreign)
	}
	return nil
}

// major gives the version of PostgreSQL that made the cluster, 0 when there is none yet.
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
	// Up to 9.6 the version had two parts.
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

// bringUp starts the server for the first time in this process, on a cluster that it makes when there is none.
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

// close gives the data directory back. The server must have ended.
func (c *cluster) close() {
	if c.run != nil {
		c.run.remove()
	}
	c.lock.release()
}
