package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const halfMadePrefix = clusterName + ".init-"

// create creates the missing cluster in a temporary directory, renames that to the cluster's name
// when complete, and syncs the data directory. So a cluster is never incomplete, even after a power
// cut. After an error it removes the temporary directory.
func (c *cluster) create(ctx context.Context) error {
	c.log.Info("creating private Postgres", "dir", c.pgdata, "major", c.installation.major)
	staging, err := os.MkdirTemp(c.dir, halfMadePrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	if err := c.account.own(staging); err != nil {
		return err
	}
	if err := c.initdb(ctx, staging); err != nil {
		return err
	}
	if err := os.Rename(staging, c.pgdata); err != nil {
		return err
	}
	return syncDir(c.dir)
}

// ctypes are the character types to try, in order. Search needs Unicode to find É by é. C.UTF-8 is
// missing on older systems of Apple and Red Hat. Text is always ordered by bytes.
var ctypes = []string{"C.UTF-8", "en_US.UTF-8", "UTF-8", "C"}

func (c *cluster) initdb(ctx context.Context, dir string) (err error) {
	for _, ctype := range ctypes {
		var output string
		output, err = c.initdbWith(ctx, dir, ctype)
		if err == nil {
			return nil
		}
		if !strings.Contains(output, "invalid locale") {
			break
		}
	}
	return err
}

// initdbWith runs initdb for dir with the locale ctype for characters. It returns the output, also
// with an error. If ctx ends, it ends initdb and returns an error. It returns ErrAccess if the
// system refuses to run it as the account.
func (c *cluster) initdbWith(ctx context.Context, dir, ctype string) (output string, err error) {
	// Pdeathsig refers to the thread that started the program, so the thread must not end earlier.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd, paths, err := c.account.command(ctx, c.installation.initdb, dir)
	if err != nil {
		return "", err
	}
	defer closeInherited(cmd)
	cmd.Args = append(cmd.Args, "--pgdata="+paths[0], "--username="+superuser, "--auth=peer", "--data-checksums",
		"--encoding=UTF8", "--locale=C", "--lc-ctype="+ctype)
	if c.noSync {
		cmd.Args = append(cmd.Args, "--no-sync")
	}
	cmd.SysProcAttr = c.account.processAttributes(syscall.SIGKILL)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second

	text, err := cmd.CombinedOutput()
	if err := c.account.refusedByKernel(err); err != nil {
		return string(text), fmt.Errorf("initdb as the user %s: %w: %s", c.account.name, err, bytes.TrimSpace(text))
	}
	return string(text), nil
}

// removeHalfMade removes incomplete clusters that an interrupted start left in the data directory.
func (c *cluster) removeHalfMade() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), halfMadePrefix) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(c.dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// superuser is the role that creates Memoir's role and database.
const superuser = "postgres"

// createDatabase connects to the running server as superuser, and creates the role memoir and its
// database memoir where they are missing.
func (c *cluster) createDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.run.url(superuser, "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, step := range []struct{ missing, create string }{
		{"SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'memoir')", "CREATE ROLE memoir LOGIN CREATEDB"},
		{"SELECT NOT EXISTS (SELECT FROM pg_database WHERE datname = 'memoir')", "CREATE DATABASE memoir OWNER memoir"},
	} {
		var missing bool
		if err := conn.QueryRow(ctx, step.missing).Scan(&missing); err != nil {
			return err
		}
		if !missing {
			continue
		}
		if _, err := conn.Exec(ctx, step.create); err != nil {
			return err
		}
	}
	return nil
}

func syncDir(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer handle.Close()
	return handle.Sync()
}
