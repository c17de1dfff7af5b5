package agentdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/reconcile"
	"memoir/internal/sync/scan"
)

// The verbs of WriteFileOp.
const (
	FileCreate  = "create"  // create a file, with missing directories
	FileReplace = "replace" // replace the bytes of a file
	FileRemove  = "remove"  // remove a file, or a directory with its files
	FileRename  = "rename"  // move a file or a directory
)

// WriteFileOp configures WriteFile. Paths are slash-separated and relative to the primary
// directory.
type WriteFileOp struct {
	Verb string
	Path string
	To   string // new path, for FileRename
	Hash string // hash that the file must have, for FileReplace
	Raw  []byte // new bytes, for FileCreate and FileReplace
	// ModTime is the modification time of an earlier file that is written again, for FileCreate and
	// FileReplace. The zero time means that the text is new.
	ModTime time.Time
}

// WriteFile creates, replaces, removes or renames a file as op.Verb states, scans it, and writes
// CLAUDE.md. Memories change as after a change on disk. It returns memories.ErrNotFound for an
// unknown agent, memories.ErrChanged if the file does not have op.Hash, and memories.ErrNoFile,
// ErrIsDirectory, ErrFileExists or ErrInvalidPath for a path. It returns *memories.ConflictError if
// the change is refused or fails; a removal may be partly done then.
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
	if err := tx.MakeDirectory(ctx); err != nil {
		return err
	}
	if err := tx.CanWrite(ctx); err != nil {
		return err
	}
	relPath, err := resolveNewPath(tx, op.Path)
	if err != nil {
		return err
	}
	if err := errors.Join(checkNewDepth(tx, relPath), checkStaysInTeam(tx, op.Path)); err != nil {
		return err
	}
	return d.writeFile(ctx, tx, relPath, op.Raw, files.Options{New: true, ModTime: op.ModTime})
}

// emptyHash is the hash of an empty file.
var emptyHash = files.Hash(nil)

func (d *Directory) replaceFile(ctx context.Context, tx *agenttx.Tx, op WriteFileOp) error {
	relPath, err := resolvePath(tx, op.Path, (*primaryDir).find)
	if err != nil {
		return err
	}
	if err := checkStaysInTeam(tx, op.Path); err != nil {
		return err
	}
	// An edit that no scan has read becomes a revision before it is replaced.
	if err := d.scanExisting(ctx, tx, relPath); err != nil {
		return err
	}
	switch found, err := files.ReadHash(tx.Root, relPath); {
	case errors.Is(err, files.ErrNotRegular):
		return memories.ErrIsDirectory
	case errors.Is(err, fs.ErrNotExist):
		return memories.ErrNoFile
	case err != nil:
		return agenttx.WriteConflict(relPath, err)
	case found != op.Hash, found == emptyHash && agenttx.AwaitBytes(tx.Root, relPath):
		return memories.ErrChanged
	}
	return d.writeFile(ctx, tx, relPath, op.Raw, files.Options{IfHash: op.Hash, ModTime: op.ModTime})
}

// writeFile writes raw to relPath with the options, and scans the file. It adds an entry to MEMORY.md,
// unless options.ModTime is set, and writes CLAUDE.md. It returns a conflict and writes nothing if raw
// is larger than memories.MaxFileSize, or has a credential and may be team memory. It returns
// memories.ErrFileExists or memories.ErrChanged if the options forbid the write, and a conflict if the
// file cannot be written.
func (d *Directory) writeFile(ctx context.Context, tx *agenttx.Tx, relPath string, raw []byte, options files.Options) error {
	if len(raw) > memories.MaxFileSize {
		return &memories.ConflictError{Reason: relPath + " would be larger than 1 MiB, the limit of a memory. Nothing was written. Move details into a separate file."}
	}
	if err := ops.CheckCredentials(mayBeTeam(tx, relPath), relPath, raw); err != nil {
		return err
	}
	switch err := tx.Overwrite(relPath, raw, options); {
	case errors.Is(err, files.ErrExists):
		return memories.ErrFileExists
	case errors.Is(err, files.ErrChanged):
		tx.Rescan(relPath)
		return memories.ErrChanged
	case err != nil:
		return agenttx.WriteConflict(relPath, err)
	}
	if options.ModTime.IsZero() {
		return d.scanAndPublish(ctx, tx, scan.Request{Paths: []string{relPath}, Saved: relPath}, nil)
	}
	// An earlier file is no new text, and its caller writes MEMORY.md.
	result, err := d.Scanner.Run(ctx, tx, scan.Request{Paths: []string{relPath}, Origin: reconcile.Origin{Actor: tx.Actor}})
	if err == nil {
		_, err = d.Publisher.Run(ctx, tx, result.Memories)
	}
	return err
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
		return memories.ErrInvalidPath
	}
	for _, relPath := range []string{from, to} {
		if err := tx.CheckReadOnly(relPath); err != nil {
			return err
		}
	}
	if err := errors.Join(checkMoveDepth(tx, from, to), checkStaysInTeam(tx, op.To), checkAgentMove(tx, from, to)); err != nil {
		return err
	}
	listed, err := filesToIndexUnder(ctx, tx, from)
	if err != nil {
		return err
	}
	switch err := tx.Disk.Move(tx.Root, from, to); {
	case errors.Is(err, files.ErrExists):
		return memories.ErrFileExists
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be renamed to %s (%v). The file has one of the two names. Check which, and try again.", from, to, agenttx.FSCause(err))}
	}
	var indexes []string
	for _, before := range listed {
		after := before
		after.Path = to + strings.TrimPrefix(before.Path, from)
		changed, err := indexfile.Relist(tx, before, after)
		if err != nil {
			tx.Log.Warn("MEMORY.md not updated, file is renamed", "agent", tx.Agent.Slug, "file", after.Path, "error", err)
		}
		indexes = append(indexes, changed...)
	}
	return d.scanAndPublish(ctx, tx, scan.Request{Paths: []string{from, to}}, indexes)
}

func (d *Directory) removeFile(ctx context.Context, tx *agenttx.Tx, op WriteFileOp) error {
	relPath, err := resolvePath(tx, op.Path, (*primaryDir).findLink)
	if err != nil {
		return err
	}
	if err := tx.CheckReadOnly(relPath); err != nil {
		return err
	}
	listed, err := filesToIndexUnder(ctx, tx, relPath)
	if err != nil {
		return err
	}
	removeErr := d.removeAll(ctx, tx, relPath)
	// After a failure, some files may be removed. So it is scanned in any case.
	indexes, err := removeEntries(ctx, tx, listed)
	return errors.Join(removeErr, err, d.scanAndPublish(ctx, tx, scan.Request{Paths: []string{relPath}}, indexes))
}

// filesToIndexUnder returns the files at or below relPath that an index should list.
func filesToIndexUnder(ctx context.Context, tx *agenttx.Tx, relPath string) ([]memorymd.IndexedFile, error) {
	known, err := tx.Rows.FilesUnder(ctx, []string{relPath})
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	for _, f := range known {
		if f.Present && f.IsPrimary() {
			ids = append(ids, f.MemoryID)
		}
	}
	listed, err := tx.Rows.FilesToIndexOf(ctx, ids)
	return slices.DeleteFunc(listed, func(f memorymd.IndexedFile) bool { return !agenttx.Under(f.Path, relPath) }), err
}

// removeEntries removes the entries of those listed files that are gone from the disk, and returns
// the paths of the indexes that may have had them. It logs an index that cannot be edited.
func removeEntries(ctx context.Context, tx *agenttx.Tx, listed []memorymd.IndexedFile) (indexes []string, err error) {
	keys := map[uuid.UUID]memories.Key{} // of memories without another file
	var paths []string
	gone := slices.DeleteFunc(slices.Clone(listed), func(f memorymd.IndexedFile) bool { return !tx.IsFree(f.Path) })
	for _, f := range gone {
		paths = append(paths, f.Path)
		keys[uuid.MustParse(f.ID)] = memories.Key{Name: f.Name}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	others, err := tx.Rows.FilesOf(ctx, slices.Collect(maps.Keys(keys)))
	if err != nil {
		return nil, err
	}
	for _, f := range others {
		if !tx.IsFree(f.Path) {
			delete(keys, f.MemoryID)
		}
	}
	names, err := indexfile.FreeNames(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	for i, f := range gone {
		gone[i].Name = names[uuid.MustParse(f.ID)]
	}
	indexes = indexfile.IndexesFor(tx.Root, tx.Agent, paths)
	for file, reason := range indexfile.RemoveFromIndexes(tx, gone, indexes) {
		tx.Log.Warn("MEMORY.md may still list a removed file", "agent", tx.Agent.Slug, "file", file, "reason", reason.String())
	}
	return indexes, nil
}

// removalAttempts is how often a removal is tried, if other processes write the files. Arbitrary.
const removalAttempts = 5

// removeAll removes the file or directory at relPath. It scans first, so that the trash gets the
// present contents, and again if a file has changed since. It returns nil if another process
// removes the rest, and a conflict if a part cannot be removed. Other parts may be removed then, so
// the caller must scan relPath in any case.
func (d *Directory) removeAll(ctx context.Context, tx *agenttx.Tx, relPath string) error {
	for range removalAttempts {
		if err := d.scanExisting(ctx, tx, relPath); err != nil {
			return err
		}
		err := removeScanned(ctx, tx, relPath)
		if !isChanged(err) {
			return err
		}
		if tx.IsFree(relPath) {
			return nil // another process has removed it
		}
	}
	return &memories.ConflictError{Reason: "Another program keeps writing " + relPath + ". Some files remain; removed memories are in the trash. Check the rest and try again."}
}

// isChanged reports whether err means that a file has changed or disappeared since it was scanned,
// or that a directory has got new entries.
func isChanged(err error) bool {
	return errors.Is(err, files.ErrChanged) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist)
}

// removeScanned removes the files at and below relPath, then the directories, and syncs the parent
// directory. A memory file must have the hash of its last scan. If a file has changed since, it
// stops and returns an error for which isChanged reports true. Other failures on disk are
// conflicts; earlier files are removed then.
func removeScanned(ctx context.Context, tx *agenttx.Tx, relPath string) error {
	found, dirs, err := listTree(tx, relPath)
	if err != nil {
		return err
	}
	known, err := tx.Rows.FilesUnder(ctx, []string{relPath})
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
		if hashes[file] == "" { // not a memory file
			if hashes[file], err = files.ReadHash(tx.Root, file); err != nil {
				return removeError(file, err)
			}
		}
	}
	for _, file := range found {
		if err := tx.Disk.RemoveIf(tx.Root, file, hashes[file]); err != nil {
			return removeError(file, err)
		}
	}
	for _, dir := range slices.Backward(dirs) {
		if err := tx.Disk.RemoveDirectory(tx.Root, dir); err != nil {
			return removeError(dir, err)
		}
	}
	if err := tx.Disk.SyncDirectory(tx.Root, path.Dir(relPath))(); err != nil {
		return removeError(relPath, err)
	}
	return nil
}

// listTree returns the files and directories at and below relPath, each directory before its
// contents. A link is listed as a file, even if it leads to a directory. It returns a conflict if
// an entry below is hidden, or is not a regular file inside the agent's directory. If relPath is
// missing, it returns an error for which isChanged reports true.
func listTree(tx *agenttx.Tx, relPath string) (found, dirs []string, err error) {
	info, err := files.Lstat(tx.Root, relPath)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return []string{relPath}, nil, nil
	}
	at, err := files.Resolve(tx.Root, relPath)
	if err != nil {
		return nil, nil, err
	}
	err = fs.WalkDir(tx.Root.FS(), at, func(p string, entry fs.DirEntry, err error) error {
		if err != nil {
			return removeError(p, err)
		}
		here := path.Join(relPath, strings.TrimPrefix(p, at))
		switch {
		case p != at && isHidden(entry.Name()):
			return &memories.ConflictError{Reason: here + " is hidden, and agents cannot remove hidden files. Nothing was removed. Remove it by hand, or keep " + relPath + "."}
		case entry.IsDir():
			dirs = append(dirs, here)
			return nil
		}
		found = append(found, here)
		if info, err := files.Stat(tx.Root, here); err != nil || !info.Mode().IsRegular() {
			return &memories.ConflictError{Reason: here + " is neither a file nor a link to a file in the agent's directory. Nothing was removed. Remove it by hand, or keep " + relPath + "."}
		}
		return nil
	})
	return found, dirs, err
}

// removeError returns err itself if isChanged reports true for it. Otherwise it returns the
// *memories.ConflictError for a file that could not be removed because of err.
func removeError(relPath string, err error) error {
	if isChanged(err) {
		return err
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be removed (%v). Memories removed before it are in the trash. Check the rest and try again.", relPath, agenttx.FSCause(err))}
}

// scanExisting scans relPath before it is changed, so that its present bytes are saved in the
// database. The journal attributes a change that it finds to another program, not to tx.Actor.
func (d *Directory) scanExisting(ctx context.Context, tx *agenttx.Tx, relPath string) error {
	_, err := d.Scanner.Run(ctx, tx, scan.Request{Paths: []string{relPath}})
	return err
}

// resolvePath calls find for file, a path in the primary directory, and returns the result relative
// to the agent's directory. It returns the errors of find. It returns memories.ErrNoFile for the
// primary directory itself, which must not be changed, and a conflict if the agent's directory is
// not open.
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
		err = memories.ErrNoFile
	}
	return path.Join(tx.Agent.PrimaryDir(), at), err
}

// resolveNewPath returns the path for a new file of the primary directory, relative to the agent's
// directory. The primary directory and others on the way may be missing. It returns
// memories.ErrFileExists if something is there, and memories.ErrInvalidPath if the path is hidden,
// outside or below a file. It returns a conflict if a directory cannot be read.
func resolveNewPath(tx *agenttx.Tx, file string) (string, error) {
	relPath, err := resolvePath(tx, file, (*primaryDir).findNew)
	switch {
	case file == ".":
		return "", memories.ErrFileExists
	case !errors.Is(err, memories.ErrNoFile):
		return relPath, err
	case !isReachable(file):
		return "", memories.ErrInvalidPath
	}
	return path.Join(tx.Agent.PrimaryDir(), file), nil // the write creates the primary directory
}

// scanAndPublish runs the scan r of files that tx.Actor has changed. It lists their memories in
// MEMORY.md, scans that and the other changed indexes, and writes CLAUDE.md.
func (d *Directory) scanAndPublish(ctx context.Context, tx *agenttx.Tx, r scan.Request, indexes []string) error {
	r.Origin.Actor = tx.Actor
	result, err := d.Scanner.Run(ctx, tx, r)
	if err != nil {
		return err
	}
	listed, err := ops.ListMemories(ctx, tx, result.Memories, "")
	if err != nil {
		return err
	}
	if indexes = append(indexes, listed...); len(indexes) > 0 {
		r := scan.Request{Paths: indexes, Origin: r.Origin}
		if _, err := d.Scanner.Run(ctx, tx, r); err != nil {
			return err
		}
	}
	_, err = d.Publisher.Run(ctx, tx, result.Memories)
	return err
}
