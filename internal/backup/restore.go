package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/backup/archive"
	"memoir/internal/files"
	"memoir/internal/postgres/dump"
)

// Place is where a file of a backup goes.
type Place struct {
	Path string // absolute
	State
}

// State is what a restore does with a file.
type State int

// The states of a file.
const (
	Missing State = iota // the file is written
	Same                 // the file is there with the same bytes
	Differs              // a file with other bytes is there, and stays
	Refused              // nothing may be written there
)

// Plan says what a restore does with the files of a backup: Places[i][j] is about the file
// Agents[i].Files[j] of the manifest.
type Plan struct {
	Dirs   []string // of the agents
	Places [][]Place
	// Problems say why files are Refused, once for each agent.
	Problems []string
}

// Count returns the number of files in a state.
func (p Plan) Count(s State) (n int) {
	for _, places := range p.Places {
		for _, place := range places {
			if place.State == s {
				n++
			}
		}
	}
	return n
}

// In returns the paths of the files in a state, in order.
func (p Plan) In(s State) (paths []string) {
	for _, places := range p.Places {
		for _, place := range places {
			if place.State == s {
				paths = append(paths, place.Path)
			}
		}
	}
	return paths
}

// MakePlan compares the files of a backup with the disk. It changes nothing.
func MakePlan(ctx context.Context, m archive.Manifest, moves []dump.Move) (Plan, error) {
	var p Plan
	for _, a := range m.Agents {
		dir := moved(a.Dir, moves)
		p.Dirs = append(p.Dirs, dir)
		places, problem, err := planAgent(ctx, a, dir)
		if err != nil {
			return Plan{}, err
		}
		p.Places = append(p.Places, places)
		if problem != "" {
			p.Problems = append(p.Problems, problem)
		}
	}
	return p, nil
}

// moved applies the first move that fits a directory.
func moved(dir string, moves []dump.Move) string {
	for _, m := range moves {
		from := strings.TrimRight(m.From, "/")
		if rest, found := strings.CutPrefix(dir, from); found && (rest == "" || rest[0] == '/') {
			return strings.TrimRight(m.To, "/") + rest
		}
	}
	return dir
}

// planAgent compares the files of an agent with the directory dir, which may be missing. problem is
// why some cannot be restored.
func planAgent(ctx context.Context, a archive.Agent, dir string) (places []Place, problem string, err error) {
	root, err := files.OpenRoot(dir)
	isMissing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isMissing {
		problem = dir + ": " + err.Error()
	}
	if err == nil {
		defer root.Close() //nolint:errcheck // only read
	}
	guard := files.NewGuard(dir)
	for _, f := range a.Files {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		relPath, err := archive.UnescapePath(f.Path)
		if err != nil {
			return nil, "", err
		}
		place := Place{Path: filepath.Join(dir, filepath.FromSlash(relPath))}
		switch {
		case problem != "":
			place.State = Refused
		case isMissing:
		default:
			if place.State, err = compare(root, guard, relPath, f); err != nil {
				place.State, problem = Refused, dir+": "+err.Error()
			}
		}
		places = append(places, place)
	}
	return places, problem, nil
}

// compare returns the state of a file. The error is why it must not be written.
func compare(root *os.Root, guard *files.Guard, relPath string, f archive.File) (State, error) {
	info, err := files.Lstat(root, relPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, guard.Check(root, relPath)
	case err != nil:
		return Refused, err
	case !info.Mode().IsRegular() || info.Size() != f.Size:
		return Differs, nil
	}
	data, err := readWhole(root, relPath)
	if err != nil {
		return Refused, err
	}
	if files.Hash(data) != f.SHA256 {
		return Differs, nil
	}
	return Same, nil
}

func readWhole(root *os.Root, relPath string) ([]byte, error) {
	file, err := files.Open(root, relPath)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(file, maxFile+1))
}

// WriteFiles writes the files of a backup that are Missing in the plan. It never replaces a file:
// one that has been created since stays. r must be at the beginning of the backup.
func WriteFiles(ctx context.Context, m archive.Manifest, p Plan, r *archive.Reader) error {
	next := make([]int, len(m.Agents)) // the files of an agent are in order
	var at *target
	defer func() { at.close() }()
	for {
		item, err := r.Next()
		if errors.Is(err, io.EOF) {
			return at.finish()
		}
		if err != nil {
			return err
		}
		if item.Table != "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		place := p.Places[item.Agent][next[item.Agent]]
		f := m.Agents[item.Agent].Files[next[item.Agent]]
		next[item.Agent]++
		if place.State != Missing {
			continue
		}
		if at == nil || at.agent != item.Agent {
			if err := at.finish(); err != nil {
				return err
			}
			if at, err = openTarget(item.Agent, m.Agents[item.Agent], p.Dirs[item.Agent]); err != nil {
				return err
			}
		}
		if err := at.write(f, item); err != nil {
			return fmt.Errorf("write %s: %w", place.Path, err)
		}
	}
}

// target is an agent's directory while its files are written.
type target struct {
	agent int
	root  *os.Root
	guard *files.Guard
	dirs  []archive.Directory // that did not exist
}

func openTarget(agent int, a archive.Agent, dir string) (*target, error) {
	t := &target{agent: agent, guard: files.NewGuard(dir)}
	existing, err := os.OpenRoot(dir)
	if err == nil {
		for _, d := range a.Dirs {
			name, err := archive.UnescapePath(d.Path)
			if err != nil {
				return nil, errors.Join(err, existing.Close())
			}
			if _, err := existing.Lstat(name); errors.Is(err, fs.ErrNotExist) {
				t.dirs = append(t.dirs, d)
			}
		}
		existing.Close() //nolint:errcheck // only read
	} else {
		t.dirs = slices.Clone(a.Dirs)
	}
	t.root, err = t.guard.MakeRoot(dir)
	return t, err
}

func (t *target) write(f archive.File, r io.Reader) error {
	name, err := archive.UnescapePath(f.Path)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	err = t.guard.Write(t.root, name, data, files.Options{New: true, ModTime: f.ModifiedAt})
	if errors.Is(err, files.ErrExists) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.root.Chmod(name, fs.FileMode(f.Mode).Perm())
}

// finish sets the permissions of the new directories, the innermost first, and closes the target.
func (t *target) finish() error {
	if t == nil || t.root == nil {
		return nil
	}
	defer t.close()
	slices.SortFunc(t.dirs, func(a, b archive.Directory) int { return strings.Compare(b.Path, a.Path) })
	for _, d := range t.dirs {
		name, err := archive.UnescapePath(d.Path)
		if err == nil {
			err = t.root.Chmod(name, fs.FileMode(d.Mode).Perm())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (t *target) close() {
	if t != nil && t.root != nil {
		t.root.Close() //nolint:errcheck // nothing is written through it
		t.root = nil
	}
}
