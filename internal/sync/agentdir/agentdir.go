// Package agentdir reads and writes what is in an agent's directory besides memories: files for the
// memory tool, session memory, the consolidation lock, and where the memory is.
//
// The Engine calls it. It changes no memory itself: it scans what it has written, as ops does.
package agentdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/scan"
)

// An agent that has no disk of its own writes its files through Memoir. What it writes is treated as if it had written it on disk
// itself: it becomes a memory, or waits for a decision, and what is removed goes to the trash as removed on disk. Only the durable
// directory is its to write, and of that nothing hidden: paths are slash-separated and relative to that directory.

// What stands in the way of an operation on an agent's file, besides conflicts. Each is also the error of package syscall or io/fs that
// says so of any file.
var ()

// removalAttempts is how often a removal is begun anew when somebody else writes what is to be removed.
const removalAttempts = 5

// What an agent does with a file.
const (
	FileCreate  = "create"
	FileReplace = "replace"
	FileRemove  = "remove"
	FileRename  = "rename"
)

func (d *Directory) WriteFile(ctx context.Context, slug string, op WriteFileOp) (cluster.Nothing, error) {
	return cluster.Nothing{}, d.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		switch op.Verb {
		case FileCreate:
			return d.createFile(ctx, tx, op)
		case FileReplace:
			return d.replaceFile(ctx, tx, op)
		case FileRemove:
			return d.removeFile(ctx, tx, op)
		case FileRename:
			return d.renameFile(ctx, tx, op)
		}
		return fmt.Errorf("unknown file operation %q", op.Verb)
	})
}

func (d *Directory) createFile(ctx context.Context, tx *agenttx.Tx, op WriteFileOp) error {
	if err := tx.CanWrite(ctx); err != nil {
		return err
	}
	place, err := resolveNewPath(tx, op.Path)
	if err != nil {
		return err
	}
	if err := errors.Join(checkNewDepth(tx, place), checkStaysInTeam(tx, op.Path)); err != nil {
		return err
	}
	return d.writeFile(ctx, tx, place, op.Raw, files.Options{New: true})
}

func (d *Directory) replaceFile(ctx context.Context, tx *agenttx.Tx, op WriteFileOp) error {
	place, err := resolvePath(tx, op.Path, (*primaryDir).find)
	if err != nil {
		return err
	}
	if err := checkStaysInTeam(tx, op.Path); err != nil {
		return err
	}
	// What somebody has just saved there is a revision, too.
	if err := d.scanExisting(ctx, tx, place); err != nil {
		return err
	}
	switch found, err := files.ReadHash(tx.Root, place); {
	case errors.Is(err, files.ErrNotRegular):
		return agenttx.ErrIsDirectory
	case errors.Is(err, fs.ErrNotExist):
		return agenttx.ErrNoFile
	case err != nil:
		return ops.WriteConflict(place, err)
	case found != op.Hash, found == emptyHash && agenttx.AwaitBytes(tx.Root, place):
		return memories.ErrChanged
	}
	return d.writeFile(ctx, tx, place, op.Raw, files.Options{IfHash: op.Hash})
}

// writeFile writes a file as the options have it, takes it in, and publishes.
func (d *Directory) writeFile(ctx context.Context, tx *agenttx.Tx, place string, raw []byte, options files.Options) error {
	if len(raw) > memories.MaxFileSize {
		return &memories.ConflictError{Reason: place + " would be larger than 1 MiB, and could not be read back as a memory. Nothing was written. Move the detail into a file of its own."}
	}
	if err := checkAgentWrite(tx, place, raw); err != nil {
		return err
	}
	switch err := tx.Overwrite(place, raw, options); {
	case errors.Is(err, files.ErrExists):
		return agenttx.ErrFileExists
	case errors.Is(err, files.ErrChanged):
		tx.Rescan(place)
		return memories.ErrChanged
	case err != nil:
		return ops.WriteConflict(place, err)
	}
	return d.scanAndPublish(ctx, tx, scan.Request{Paths: []string{place}, Saved: place, Origin: reconcile.Origin{Actor: tx.Actor}})
}

func (d *Directory) renameFile(ctx context.Context, tx *agenttx.Tx, op WriteFileOp) error {
	if err := tx.CanWrite(ctx); err != nil {
		return err
	}
	from, err := resolvePath(tx, op.Path, (*primaryDir).findLink)
	if err != nil {
		return err
	}
	to, err := resolveNewPath(tx, op.To)
	if err != nil {
		return err
	}
	if agenttx.Under(to, from) {
		return agenttx.ErrInvalidPath
	}
	if err := errors.Join(checkMoveDepth(tx, from, to), checkStaysInTeam(tx, op.To), checkAgentMove(tx, from, to)); err != nil {
		return err
	}
	switch err := tx.Disk.Move(tx.Root, from, to); {
	case errors.Is(err, files.ErrExists):
		return agenttx.ErrFileExists
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be renamed to %s (%v). It has one of the two names. Look which, and try again.", from, to, agenttx.FSCause(err))}
	}
	return d.scanAndPublish(ctx, tx, scan.Request{Paths: []string{from, to}, Origin: reconcile.Origin{Actor: tx.Actor}})
}

func (d *Directory) removeFile(ctx context.Context, tx *agenttx.Tx, op WriteFileOp) error {
	place, err := resolvePath(tx, op.Path, (*primaryDir).findLink)
	if err != nil {
		return err
	}
	stopped := d.removeAll(ctx, tx, place)
	// What has gone before something stood in the way has gone.
	return errors.Join(stopped, d.scanAndPublish(ctx, tx, scan.Request{Paths: []string{place}, Origin: reconcile.Origin{Actor: tx.Actor}}))
}

// removeAll removes what is at a place, with all that is in it. Everything is scanned first, so that the trash has what it says now;
// what somebody changes after that is scanned once more.
func (d *Directory) removeAll(ctx context.Context, tx *agenttx.Tx, place string) error {
	for range removalAttempts {
		if err := d.scanExisting(ctx, tx, place); err != nil {
			return err
		}
		err := removeKnown(ctx, tx, place)
		if !isChanged(err) {
			return err
		}
		if tx.IsFree(place) {
			return nil // somebody else was faster
		}
	}
	return &memories.ConflictError{Reason: "Somebody keeps writing " + place + ", so not all of it was removed. What was, and was a memory, is in the trash. Look at what is there now and decide again."}
}

// isChanged reports whether something could not be removed because it is not what it was when it was scanned.
func isChanged(err error) bool {
	return errors.Is(err, files.ErrChanged) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist)
}

// removeKnown removes the files at and below a place that have the bytes of the last scan, then the directories.
func removeKnown(ctx context.Context, tx *agenttx.Tx, place string) error {
	found, dirs, err := listTree(tx, place)
	if err != nil {
		return err
	}
	known, err := tx.DB.FilesUnder(ctx, []string{place})
	if err != nil {
		return err
	}
	hashes := map[string]string{}
	for _, f := range known {
		if f.Present && f.Hash != "" {
			hashes[f.Path] = f.Hash
		}
	}
	for _, file := range found {
		if hashes[file] == "" { // no memory file
			if hashes[file], err = files.ReadHash(tx.Root, file); err != nil {
				return notRemoved(file, err)
			}
		}
	}
	for _, file := range found {
		if err := tx.Disk.RemoveIf(tx.Root, file, hashes[file]); err != nil {
			return notRemoved(file, err)
		}
	}
	for _, dir := range slices.Backward(dirs) {
		if err := tx.Disk.RemoveDirectory(tx.Root, dir); err != nil {
			return notRemoved(dir, err)
		}
	}
	if err := tx.Disk.SyncDirectory(tx.Root, path.Dir(place))(); err != nil {
		return notRemoved(place, err)
	}
	return nil
}

// listTree returns the files at and below a place, and its directories, each before what is in it. It fails with a conflict where
// something is hidden there, or is not a file: that is not an agent's to remove.
func listTree(tx *agenttx.Tx, place string) (found, dirs []string, err error) {
	info, err := files.Lstat(tx.Root, place)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return []string{place}, nil, nil
	}
	at, err := files.Resolve(tx.Root, place)
	if err != nil {
		return nil, nil, err
	}
	err = fs.WalkDir(tx.Root.FS(), at, func(p string, entry fs.DirEntry, err error) error {
		if err != nil {
			return notRemoved(p, err)
		}
		here := path.Join(place, strings.TrimPrefix(p, at))
		switch {
		case p != at && isHidden(entry.Name()):
			return &memories.ConflictError{Reason: here + " is hidden, and not the agent's to remove. Nothing was removed. Remove it by hand first, or leave " + place + " as it is."}
		case entry.IsDir():
			dirs = append(dirs, here)
			return nil
		}
		found = append(found, here)
		if info, err := files.Stat(tx.Root, here); err != nil || !info.Mode().IsRegular() {
			return &memories.ConflictError{Reason: here + " is neither a file nor a link to one inside the agent's directory. Nothing was removed. Remove it by hand first, or leave " + place + " as it is."}
		}
		return nil
	})
	return found, dirs, err
}

// notRemoved says why something could not be removed. What isChanged is about stays what it is, and is tried again.
func notRemoved(place string, err error) error {
	if isChanged(err) {
		return err
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be removed (%v). What was removed before it, and was a memory, is in the trash. Look at what is there now, and try again.", place, agenttx.FSCause(err))}
}

// scanExisting mirrors what is at a place before it is changed, as whoever has written it did.
func (d *Directory) scanExisting(ctx context.Context, tx *agenttx.Tx, place string) error {
	_, err := d.Scanner.Run(ctx, tx, scan.Request{Paths: []string{place}})
	return err
}

// place returns where a path of the primary directory leads, relative to the agent's directory, as find has it.
func resolvePath(tx *agenttx.Tx, file string, find func(*primaryDir, string) (string, error)) (string, error) {
	if tx.Root == nil {
		return "", tx.MissingError()
	}
	d, err := primaryDirOf(tx.Root, tx.Agent)
	if err != nil {
		return "", err
	}
	defer d.close()
	at, err := find(d, file)
	if at == "." && err == nil {
		err = agenttx.ErrNoFile // nobody may change the primary directory itself
	}
	return path.Join(tx.Agent.PrimaryDir(), at), err
}

// resolveNewPath is place for something that is yet to be made.
func resolveNewPath(tx *agenttx.Tx, file string) (string, error) {
	place, err := resolvePath(tx, file, (*primaryDir).findNew)
	switch {
	case file == ".":
		return "", agenttx.ErrFileExists
	case !errors.Is(err, agenttx.ErrNoFile):
		return place, err
	case !isReachable(file):
		return "", agenttx.ErrInvalidPath
	}
	return path.Join(tx.Agent.PrimaryDir(), file), nil // the primary directory is made with it
}

// scanAndPublish mirrors what the caller has just done.
func (d *Directory) scanAndPublish(ctx context.Context, tx *agenttx.Tx, r scan.Request) error {
	result, err := d.Scanner.Run(ctx, tx, r)
	if err != nil {
		return err
	}
	_, err = d.Publisher.Run(ctx, tx, result.Memories)
	return err
}

// emptyHash is that of a file without any bytes.
var emptyHash = files.Hash(nil)

// Directory reads and writes files of an agent's directory that are not memories.
type Directory struct {
	Store     *postgres.Store
	Places    agents.Settings
	Agents    *agenttx.Manager
	Scanner   *scan.Scanner
	Publisher *publish.Publisher
}

type WriteFileOp struct {
	Verb           string
	Path, To, Hash string
	Raw            []byte
}
