// Package backup makes archives of everything that Memoir keeps, and writes the files of an archive
// back. An archive has the tables of the database as they were at one moment, and the files of the
// agents' directories that Memoir reads and writes. Package archive is its format, and package
// postgres/dump copies the tables.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/backup/archive"
	"memoir/internal/files"
	"memoir/internal/postgres/dump"
)

// maxFile is the largest file that a backup contains, in bytes. A memory has at most 1 MiB, and
// Memoir reads the last MiB of a log. Arbitrary.
const maxFile = 64 << 20

// take writes a backup to w: the tables of a snapshot, and the files as they are now. A memory file
// of the snapshot that has gone since is written with the bytes that the snapshot knows.
func take(ctx context.Context, w io.Writer, s *dump.Snapshot, version string) (archive.Manifest, error) {
	to, err := archive.NewWriter(w, archive.Manifest{Memoir: version, Schema: s.Schema(), StartedAt: s.StartedAt()})
	if err != nil {
		return archive.Manifest{}, err
	}
	for _, t := range s.Tables() {
		err := to.Table(t.Name, t.Columns, func(w io.Writer) (int64, error) { return s.Copy(ctx, t, w) })
		if err != nil {
			return archive.Manifest{}, err
		}
	}
	sequences, err := s.Sequences(ctx)
	if err != nil {
		return archive.Manifest{}, err
	}
	to.Sequences(sequences)
	homes, err := s.Agents(ctx)
	if err != nil {
		return archive.Manifest{}, err
	}
	for _, home := range homes {
		c := collector{ctx: ctx, to: to, snapshot: s, home: home, dirs: map[string]bool{}, done: map[string]bool{}}
		if err := c.agent(); err != nil {
			return archive.Manifest{}, fmt.Errorf("back up the files of %s: %w", home.Slug, err)
		}
	}
	return to.Close()
}

// collector writes the files of one agent.
type collector struct {
	ctx      context.Context
	to       *archive.Writer
	snapshot *dump.Snapshot
	home     dump.Agent
	root     *os.Root
	dirs     map[string]bool // whose mode is recorded
	done     map[string]bool // paths that were written or left out
}

func (c *collector) agent() error {
	c.to.Agent(archive.Agent{Slug: c.home.Slug, Layout: c.home.Layout, Dir: c.home.Dir})
	root, err := files.OpenRoot(c.home.Dir)
	if err != nil {
		c.to.LeaveOut(c.home.Dir, reasonOf(err))
		return nil
	}
	defer root.Close() //nolint:errcheck // only read
	c.root = root
	agent := agents.Agent{Slug: c.home.Slug, Layout: agents.Layout(c.home.Layout), Dir: c.home.Dir}
	listing := agents.Walk(root, agent, []string{"."}, func(string) {})
	logs := agents.WalkLogs(root, agent, []string{"."}, func(string) {})
	if err := errors.Join(listing.Exhausted, logs.Exhausted); err != nil {
		return err
	}
	paths := slices.Clone(listing.Indexes)
	for _, e := range listing.Files {
		paths = append(paths, e.Path)
	}
	for _, o := range listing.Others {
		paths = append(paths, o.Path)
	}
	for _, e := range logs.Files {
		paths = append(paths, e.Path)
	}
	if name := agent.ClaudeMDPath(root); name != "" {
		names := []string{name, "CLAUDE.md"}
		for _, t := range agents.Targets() {
			names = append(names, t.Path)
		}
		for _, name := range names {
			if _, err := root.Lstat(name); err == nil {
				paths = append(paths, name)
			}
		}
	}
	for _, p := range paths {
		if err := c.file(p, nil); err != nil {
			return err
		}
	}
	known, err := c.snapshot.Files(c.ctx, c.home.ID)
	if err != nil {
		return err
	}
	for _, p := range known {
		if err := c.file(p, func() bool { return listing.Covers(p) }); err != nil {
			return err
		}
	}
	return nil
}

// file writes the file at a path unless that is done. If the file is missing and isGone is true, it
// writes the bytes that the snapshot knows. It leaves out what it cannot read.
func (c *collector) file(relPath string, isGone func() bool) error {
	if c.done[relPath] {
		return nil
	}
	c.done[relPath] = true
	at := filepath.Join(c.home.Dir, filepath.FromSlash(relPath))
	data, info, err := c.read(relPath)
	switch {
	case err == nil:
		return c.write(archive.File{Path: archive.EscapePath(relPath), Mode: uint32(info.Mode().Perm()), ModifiedAt: info.ModTime()}, data)
	case files.IsExhausted(err):
		return err
	case errors.Is(err, fs.ErrNotExist) && isGone != nil && isGone():
		raw, modified, err := c.snapshot.File(c.ctx, c.home.ID, relPath)
		if err != nil || raw != nil {
			if err == nil {
				err = c.write(archive.File{Path: archive.EscapePath(relPath), Mode: 0o644, ModifiedAt: modified, FromDatabase: true}, raw)
			}
			return err
		}
	case errors.Is(err, fs.ErrNotExist) && isGone == nil && !agents.IsMisnamed(c.root, relPath):
		return nil // removed since the walk
	}
	c.to.LeaveOut(at, reasonOf(err))
	return nil
}

func (c *collector) write(f archive.File, data []byte) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	relPath, err := archive.UnescapePath(f.Path)
	if err != nil {
		return err
	}
	for dir := path.Dir(relPath); !c.dirs[dir]; dir = path.Dir(dir) {
		c.dirs[dir] = true
		if info, err := c.root.Stat(dir); err == nil {
			c.to.Directory(archive.Directory{Path: archive.EscapePath(dir), Mode: uint32(info.Mode().Perm())})
		}
	}
	return c.to.File(f, data)
}

// errTooLarge means that a file has more than maxFile bytes.
var errTooLarge = fmt.Errorf("larger than %d MiB", maxFile>>20)

// read returns the content of a file. It does not read a link at the end of the path: its target is
// listed itself.
func (c *collector) read(relPath string) ([]byte, fs.FileInfo, error) {
	info, err := c.root.Lstat(relPath)
	if err != nil {
		return nil, nil, err
	}
	if info.Mode().Type() == fs.ModeSymlink {
		return nil, nil, errLink
	}
	file, err := files.Open(c.root, relPath)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	if info, err = file.Stat(); err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errTooLarge
	}
	return data, info, err
}

// errLink means that a path is a symbolic link.
var errLink = errors.New("a link; what it leads to is in the backup if Memoir reads it")

// reasonOf returns why a path is left out, for people.
func reasonOf(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "not found"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}
