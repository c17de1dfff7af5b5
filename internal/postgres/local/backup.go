package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	// schemaName is the file with the version of the tables in the cluster.
	schemaName = "schema"
	// backupPrefix and the new version of the tables are the name of a copy.
	backupPrefix = clusterName + ".before-"
	// copyingName is an unfinished copy.
	copyingName = clusterName + ".copying"
	// backupTime is how long a copy is kept. It is arbitrary: long enough to notice an error.
	backupTime = 30 * 24 * time.Hour
)

// SetSchema writes Options.Schema into the data directory as the version of the tables. The caller
// must have migrated them to it. A later start with that version then does not copy the cluster.
func (s *Server) SetSchema() error {
	path := filepath.Join(s.cluster.dir, schemaName)
	if err := os.WriteFile(path, []byte(strconv.FormatInt(s.cluster.schema, 10)+"\n"), 0o600); err != nil {
		return fmt.Errorf("record the version of the tables: %w", err)
	}
	return nil
}

// backUp removes copies older than backupTime. Then it copies a stopped cluster if its recorded
// schema is below Options.Schema or unknown. It copies nothing if there is no cluster,
// Options.Schema is 0, or a copy made before the upgrade to Options.Schema exists. If the copy
// fails, it returns an error, and the cluster is unchanged.
func (c *cluster) backUp(ctx context.Context) error {
	if err := c.removeOldBackups(); err != nil {
		return err
	}
	major, err := c.major()
	if err != nil || major == 0 || c.schema == 0 {
		return err
	}
	recorded, err := c.recordedSchema()
	if err != nil || recorded >= c.schema {
		return err
	}
	backup := filepath.Join(c.dir, backupPrefix+strconv.FormatInt(c.schema, 10))
	if _, err := os.Lstat(backup); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	copying := filepath.Join(c.dir, copyingName)
	if err := os.RemoveAll(copying); err != nil {
		return err
	}
	c.log.Info("copying database before upgrade", "to", backup)
	args := []string{"-a", c.pgdata, copying}
	if runtime.GOOS == "linux" {
		args = append([]string{"--reflink=auto"}, args...)
	}
	if out, err := exec.CommandContext(ctx, "cp", args...).CombinedOutput(); err != nil {
		os.RemoveAll(copying) //nolint:errcheck // the next copy removes it
		return fmt.Errorf("copy the database before its upgrade: %w: %s; nothing was changed: make room in %s, and start Memoir again",
			err, strings.TrimSpace(string(out)), c.dir)
	}
	now := time.Now()
	if err := os.Chtimes(copying, now, now); err != nil {
		return err
	}
	return os.Rename(copying, backup)
}

// recordedSchema returns the version of the tables that SetSchema wrote, or 0 and nil if the file
// is missing or damaged. It returns an error if the file cannot be read.
func (c *cluster) recordedSchema() (int64, error) {
	content, err := os.ReadFile(filepath.Join(c.dir, schemaName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	version, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	if err != nil {
		return 0, nil // damaged file: an additional copy is harmless
	}
	return version, nil
}

func (c *cluster) removeOldBackups() error {
	backups, err := filepath.Glob(filepath.Join(c.dir, backupPrefix+"*"))
	if err != nil {
		return err
	}
	for _, backup := range backups {
		info, err := os.Stat(backup)
		if err != nil {
			return err
		}
		if time.Since(info.ModTime()) > backupTime {
			if err := os.RemoveAll(backup); err != nil {
				return err
			}
		}
	}
	return nil
}
