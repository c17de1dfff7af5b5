package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// An agent that has no disk of its own writes its files through Memoir. What it writes is treated as if it had written it on disk
// itself: it becomes a memory, or waits for a decision, and what is removed goes to the trash as removed on disk. Only the primary
// directory is its to write, and of that nothing hidden: paths are slash-separated and relative to that directory.

// What stands in the way of an operation on an agent's file, besides conflicts. Each is also the error of package syscall or io/fs that
// says so of any file.
var (
	// ErrNoFile: there is nothing at the path, or nothing that an agent may reach.
	ErrNoFile = fmt.Errorf("no such file in the memory directory: %w", fs.ErrNotExist)
	// ErrIsDirectory: what is at the path is a directory, not a file.
	ErrIsDirectory = fmt.Errorf("path is a directory: %w", syscall.EISDIR)
	// ErrFileExists: something is at the path already.
	ErrFileExists = fmt.Errorf("path exists already: %w", fs.ErrExist)
	// ErrInvalidPath: nothing can be made at the path, because it leads out of the memory directory, or through a file.
	ErrInvalidPath = fmt.Errorf("invalid path in the memory directory: %w", fs.ErrInvalid)
)

// removalAttempts is how often a removal is begun anew when somebody else writes what is to be removed.
const removalAttempts = 5

// CreateFile writes a new file into an agent's primary directory. When it returns, the file, what it means for the memories, and
// CLAUDE.md are on disk. It fails with memories.ErrNotFound, ErrFileExists, ErrInvalidPath, and *memories.ConflictError where it cannot be
// written; then nothing has happened.
func (e *Engine) CreateFile(ctx context.Context, slug, path string, raw []byte) error {
	_, err := callWriteFile.do(ctx, e, slug, writeFileOp{Verb: fileCreate, Path: path, Raw: raw})
	return err
}

// ReplaceFile writes over a file whose bytes have the hash; memories.ErrChanged otherwise. Else it is CreateFile, with ErrNoFile and
// ErrIsDirectory in place of the errors about places.
func (e *Engine) ReplaceFile(ctx context.Context, slug, path, hash string, raw []byte) error {
	_, err := callWriteFile.do(ctx, e, slug, writeFileOp{Verb: fileReplace, Path: path, Hash: hash, Raw: raw})
	return err
}

// RemoveFile removes a file, or a directory with all that is in it, from an agent's primary directory. The memories in it are removed
// on disk: they go to the trash, or are held as missing when they are many. It fails with memories.ErrNotFound, ErrNoFile (also for the
// primary directory itself), and *memories.ConflictError for what cannot be removed, which says what has happened.
func (e *Engine) RemoveFile(ctx context.Context, slug, path string) error {
	_, err := callWriteFile.do(ctx, e, slug, writeFileOp{Verb: fileRemove, Path: path})
	return err
}

// RenameFile gives a file or a directory of an agent's primary directory another path there. A memory that its file gives a name lives
// on. It fails with memories.ErrNotFound, with ErrNoFile about the old path, ErrFileExists and ErrInvalidPath about the new one, and
// *memories.ConflictError; then nothing has happened.
func (e *Engine) RenameFile(ctx context.Context, slug, from, to string) error {
	_, err := callWriteFile.do(ctx, e, slug, writeFileOp{Verb: fileRename, Path: from, To: to})
	return err
}

// What an agent does with a file.
const (
	fileCreate  = "create"
	fileReplace = "replace"
	fileRemove  = "remove"
	fileRename  = "rename"
)

func (e *Engine) writeFileLocal(ctx context.Context, slug string, op writeFileOp) (nothing, error) {
	return nothing{}, e.withAgent(ctx, slug, func(h *hold) error {
		switch op.Verb {
		case fileCreate:
			return h.createFile(ctx, op)
		case fileReplace:
			return h.replaceFile(ctx, op)
		case fileRemove:
			return h.removeFile(ctx, op)
		case fileRename:
			return h.renameFile(ctx, op)
		}
		return fmt.Errorf("unknown file operation %q", op.Verb)
	})
}

func (h *hold) createFile(ctx context.Context, op writeFileOp) error {
	if err := h.canWrite(ctx); err != nil {
		return err
	}
	relPath, err := h.resolveNewPath(op.Path)
	if err != nil {
		return err
	}
	if err := errors.Join(h.checkNewDepth(relPath), h.checkStaysInTeam(op.Path)); err != nil {
		return err
	}
	return h.writeFile(ctx, relPath, op.Raw, files.Options{New: true})
}

func (h *hold) replaceFile(ctx context.Context, op writeFileOp) error {
	relPath, err := h.resolvePath(op.Path, (*primaryDir).find)
	if err != nil {
		return err
	}
	if err := h.checkStaysInTeam(op.Path); err != nil {
		return err
	}
	// What somebody has just saved there is a revision, too.
	if err := h.scanExisting(ctx, relPath); err != nil {
		return err
	}
	switch found, err := files.ReadHash(h.root, relPath); {
	case errors.Is(err, files.ErrNotRegular):
		return ErrIsDirectory
	case errors.Is(err, fs.ErrNotExist):
		return ErrNoFile
	case err != nil:
		return writeConflict(relPath, err)
	case found != op.Hash, found == emptyHash && awaitBytes(h.root, relPath):
		return memories.ErrChanged
	}
	return h.writeFile(ctx, relPath, op.Raw, files.Options{IfHash: op.Hash})
}

// writeFile writes a file as the options have it, takes it in, and publishes.
func (h *hold) writeFile(ctx context.Context, relPath string, raw []byte, options files.Options) error {
	if len(raw) > memories.MaxFileSize {
		return &memories.ConflictError{Reason: relPath + " would be larger than 1 MiB, and could not be read back as a memory. Nothing was written. Move the detail into a file of its own."}
	}
	if err := h.checkAgentWrite(relPath, raw); err != nil {
		return err
	}
	switch err := h.overwrite(relPath, raw, options); {
	case errors.Is(err, files.ErrExists):
		return ErrFileExists
	case errors.Is(err, files.ErrChanged):
		h.queue.Add(h.onDisk.Slug, relPath)
		return memories.ErrChanged
	case err != nil:
		return writeConflict(relPath, err)
	}
	if err := h.scanSaved(ctx, relPath, scanOrigin{actor: actorOf(ctx)}); err != nil {
		return err
	}
	return h.publish(ctx)
}

func (h *hold) renameFile(ctx context.Context, op writeFileOp) error {
	if err := h.canWrite(ctx); err != nil {
		return err
	}
	from, err := h.resolvePath(op.Path, (*primaryDir).findLink)
	if err != nil {
		return err
	}
	to, err := h.resolveNewPath(op.To)
	if err != nil {
		return err
	}
	if under(to, from) {
		return ErrInvalidPath
	}
	if err := errors.Join(h.checkMoveDepth(from, to), h.checkStaysInTeam(op.To), h.checkAgentMove(from, to)); err != nil {
		return err
	}
	switch err := h.disk.Move(h.root, from, to); {
	case errors.Is(err, files.ErrExists):
		return ErrFileExists
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be renamed to %s (%v). It has one of the two names. Look which, and try again.", from, to, fsCause(err))}
	}
	return h.scanAndPublish(ctx, from, to)
}

func (h *hold) removeFile(ctx context.Context, op writeFileOp) error {
	relPath, err := h.resolvePath(op.Path, (*primaryDir).findLink)
	if err != nil {
		return err
	}
	stopped := h.removeAll(ctx, relPath)
	// What has gone before something stood in the way has gone.
	return errors.Join(stopped, h.scanAndPublish(ctx, relPath))
}

// removeAll removes what is at a place, with all that is in it. Everything is scanned first, so that the trash has what it says now;
// what somebody changes after that is scanned once more.
func (h *hold) removeAll(ctx context.Context, relPath string) error {
	for range removalAttempts {
		if err := h.scanExisting(ctx, relPath); err != nil {
			return err
		}
		err := h.removeKnown(ctx, relPath)
		if !isChanged(err) {
			return err
		}
		if h.isFree(relPath) {
			return nil // somebody else was faster
		}
	}
	return &memories.ConflictError{Reason: "Somebody keeps writing " + relPath + ", so not all of it was removed. What was, and was a memory, is in the trash. Look at what is there now and decide again."}
}

// isChanged reports whether something could not be removed because it is not what it was when it was scanned.
func isChanged(err error) bool {
	return errors.Is(err, files.ErrChanged) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist)
}

// removeKnown removes the files at and below a place that have the bytes of the last scan, then the directories.
func (h *hold) removeKnown(ctx context.Context, relPath string) error {
	found, dirs, err := h.listTree(relPath)
	if err != nil {
		return err
	}
	known, err := h.w.FilesUnder(ctx, []string{relPath})
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
			if hashes[file], err = files.ReadHash(h.root, file); err != nil {
				return notRemoved(file, err)
			}
		}
	}
	for _, file := range found {
		if err := h.disk.RemoveIf(h.root, file, hashes[file]); err != nil {
			return notRemoved(file, err)
		}
	}
	for _, dir := range slices.Backward(dirs) {
		if err := h.disk.RemoveDirectory(h.root, dir); err != nil {
			return notRemoved(dir, err)
		}
	}
	if err := h.disk.SyncDirectory(h.root, path.Dir(relPath))(); err != nil {
		return notRemoved(relPath, err)
	}
	return nil
}

// listTree returns the files at and below a place, and its directories, each before what is in it. It fails with a conflict where
// something is hidden there, or is not a file: that is not an agent's to remove.
func (h *hold) listTree(relPath string) (found, dirs []string, err error) {
	info, err := files.Lstat(h.root, relPath)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return []string{relPath}, nil, nil
	}
	at, err := files.Resolve(h.root, relPath)
	if err != nil {
		return nil, nil, err
	}
	err = fs.WalkDir(h.root.FS(), at, func(p string, entry fs.DirEntry, err error) error {
		if err != nil {
			return notRemoved(p, err)
		}
		here := path.Join(relPath, strings.TrimPrefix(p, at))
		switch {
		case p != at && isHidden(entry.Name()):
			return &memories.ConflictError{Reason: here + " is hidden, and not the agent's to remove. Nothing was removed. Remove it by hand first, or leave " + relPath + " as it is."}
		case entry.IsDir():
			dirs = append(dirs, here)
			return nil
		}
		found = append(found, here)
		if info, err := files.Stat(h.root, here); err != nil || !info.Mode().IsRegular() {
			return &memories.ConflictError{Reason: here + " is neither a file nor a link to one inside the agent's directory. Nothing was removed. Remove it by hand first, or leave " + relPath + " as it is."}
		}
		return nil
	})
	return found, dirs, err
}

// notRemoved says why something could not be removed. What isChanged is about stays what it is, and is tried again.
func notRemoved(relPath string, err error) error {
	if isChanged(err) {
		return err
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be removed (%v). What was removed before it, and was a memory, is in the trash. Look at what is there now, and try again.", relPath, fsCause(err))}
}

// scanExisting mirrors what is at a place before it is changed, as whoever has written it did.
func (h *hold) scanExisting(ctx context.Context, relPath string) error {
	_, err := h.runScan(ctx, []string{relPath}, scanOrigin{})
	return err
}

// scanAndPublish mirrors what has just been done at the places for whoever asks, and publishes.
func (h *hold) scanAndPublish(ctx context.Context, paths ...string) error {
	if _, err := h.runScan(ctx, paths, scanOrigin{actor: actorOf(ctx)}); err != nil {
		return err
	}
	return h.publish(ctx)
}

// resolvePath returns where a path of the primary directory leads, relative to the agent's directory, as find has it.
func (h *hold) resolvePath(file string, find func(*primaryDir, string) (string, error)) (string, error) {
	if h.root == nil {
		return "", h.errNoDirectory()
	}
	d, err := primaryDirOf(h.root, h.onDisk)
	if err != nil {
		return "", err
	}
	defer d.close()
	at, err := find(d, file)
	if at == "." && err == nil {
		err = ErrNoFile // nobody may change the primary directory itself
	}
	return path.Join(h.onDisk.PrimaryDir(), at), err
}

// resolveNewPath is place for something that is yet to be made.
func (h *hold) resolveNewPath(file string) (string, error) {
	relPath, err := h.resolvePath(file, (*primaryDir).findNew)
	switch {
	case file == ".":
		return "", ErrFileExists
	case !errors.Is(err, ErrNoFile):
		return relPath, err
	case !isReachable(file):
		return "", ErrInvalidPath
	}
	return path.Join(h.onDisk.PrimaryDir(), file), nil // the primary directory is made with it
}
