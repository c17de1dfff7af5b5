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
// itself: it becomes a memory, or waits for a decision, and what is removed goes to the trash as removed on disk. Only the durable
// directory is its to write, and of that nothing hidden: paths are slash-separated and relative to that directory.

// What stands in the way of an operation on an agent's file, besides conflicts. Each is also the error of package syscall or io/fs that
// says so of any file.
var (
	// ErrNoFile: there is nothing at the path, or nothing that an agent may reach.
	ErrNoFile = fmt.Errorf("there is no such file in the memory directory: %w", fs.ErrNotExist)
	// ErrIsDirectory: what is at the path is a directory, not a file.
	ErrIsDirectory = fmt.Errorf("it is a directory: %w", syscall.EISDIR)
	// ErrFileExists: something is at the path already.
	ErrFileExists = fmt.Errorf("there is something at the path already: %w", fs.ErrExist)
	// ErrNoPlace: nothing can be made at the path, because it leads out of the memory directory, or through a file.
	ErrNoPlace = fmt.Errorf("nothing can be made at that path: %w", fs.ErrInvalid)
)

// removalAttempts is how often a removal is begun anew when somebody else writes what is to be removed.
const removalAttempts = 5

// CreateFile writes a new file into an agent's durable directory. When it returns, the file, what it means for the memories, and
// CLAUDE.md are on disk. It fails with memories.ErrNotFound, ErrFileExists, ErrNoPlace, and *memories.ConflictError where it cannot be
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

// RemoveFile removes a file, or a directory with all that is in it, from an agent's durable directory. The memories in it are removed
// on disk: they go to the trash, or are held as missing when they are many. It fails with memories.ErrNotFound, ErrNoFile (also for the
// durable directory itself), and *memories.ConflictError for what cannot be removed, which says what has happened.
func (e *Engine) RemoveFile(ctx context.Context, slug, path string) error {
	_, err := callWriteFile.do(ctx, e, slug, writeFileOp{Verb: fileRemove, Path: path})
	return err
}

// RenameFile gives a file or a directory of an agent's durable directory another path there. A memory that its file gives a name lives
// on. It fails with memories.ErrNotFound, with ErrNoFile about the old path, ErrFileExists and ErrNoPlace about the new one, and
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

func (e *Engine) writeFileHere(ctx context.Context, slug string, op writeFileOp) (nothing, error) {
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
		return fmt.Errorf("unknown change of a file %q", op.Verb)
	})
}

func (h *hold) createFile(ctx context.Context, op writeFileOp) error {
	if err := h.canWrite(ctx); err != nil {
		return err
	}
	place, err := h.newPlace(op.Path)
	if err != nil {
		return err
	}
	if err := errors.Join(h.checkNewDepth(place), h.staysInTeam(op.Path)); err != nil {
		return err
	}
	return h.writeFile(ctx, place, op.Raw, files.Options{New: true})
}

func (h *hold) replaceFile(ctx context.Context, op writeFileOp) error {
	place, err := h.place(op.Path, (*durable).find)
	if err != nil {
		return err
	}
	if err := h.staysInTeam(op.Path); err != nil {
		return err
	}
	// What somebody has just saved there is a revision, too.
	if err := h.takeInFound(ctx, place); err != nil {
		return err
	}
	switch found, err := files.ReadHash(h.root, place); {
	case errors.Is(err, files.ErrNotRegular):
		return ErrIsDirectory
	case errors.Is(err, fs.ErrNotExist):
		return ErrNoFile
	case err != nil:
		return writeConflict(place, err)
	case found != op.Hash, found == emptyHash && awaitBytes(h.root, place):
		return memories.ErrChanged
	}
	return h.writeFile(ctx, place, op.Raw, files.Options{IfHash: op.Hash})
}

// writeFile writes a file as the options have it, takes it in, and publishes.
func (h *hold) writeFile(ctx context.Context, place string, raw []byte, options files.Options) error {
	if len(raw) > memories.MaxFileSize {
		return &memories.ConflictError{Reason: place + " would be larger than 1 MiB, and could not be read back as a memory. Nothing was written. Move the detail into a file of its own."}
	}
	if err := h.mayAgentWrite(place, raw); err != nil {
		return err
	}
	switch err := h.overwrite(place, raw, options); {
	case errors.Is(err, files.ErrExists):
		return ErrFileExists
	case errors.Is(err, files.ErrChanged):
		h.queue.Add(h.onDisk.Slug, place)
		return memories.ErrChanged
	case err != nil:
		return writeConflict(place, err)
	}
	if err := h.takeInSaved(ctx, place, cause{actor: actorOf(ctx)}); err != nil {
		return err
	}
	return h.publish(ctx)
}

func (h *hold) renameFile(ctx context.Context, op writeFileOp) error {
	if err := h.canWrite(ctx); err != nil {
		return err
	}
	from, err := h.place(op.Path, (*durable).findItself)
	if err != nil {
		return err
	}
	to, err := h.newPlace(op.To)
	if err != nil {
		return err
	}
	if under(to, from) {
		return ErrNoPlace
	}
	if err := errors.Join(h.checkMoveDepth(from, to), h.staysInTeam(op.To), h.mayAgentMove(from, to)); err != nil {
		return err
	}
	switch err := h.disk.Move(h.root, from, to); {
	case errors.Is(err, files.ErrExists):
		return ErrFileExists
	case err != nil:
		return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be renamed to %s (%v). It has one of the two names. Look which, and try again.", from, to, plain(err))}
	}
	return h.follow(ctx, from, to)
}

func (h *hold) removeFile(ctx context.Context, op writeFileOp) error {
	place, err := h.place(op.Path, (*durable).findItself)
	if err != nil {
		return err
	}
	stopped := h.removeAll(ctx, place)
	// What has gone before something stood in the way has gone.
	return errors.Join(stopped, h.follow(ctx, place))
}

// removeAll removes what is at a place, with all that is in it. Everything is looked at first, so that the trash has what it says now;
// what somebody changes after that is looked at once more.
func (h *hold) removeAll(ctx context.Context, place string) error {
	for range removalAttempts {
		if err := h.takeInFound(ctx, place); err != nil {
			return err
		}
		err := h.removeSeen(ctx, place)
		if !isOtherwise(err) {
			return err
		}
		if h.isFree(place) {
			return nil // somebody else was faster
		}
	}
	return &memories.ConflictError{Reason: "Somebody keeps writing " + place + ", so not all of it was removed. What was, and was a memory, is in the trash. Look at what is there now and decide again."}
}

// isOtherwise says whether something could not be removed because it is not what it was when it was looked at.
func isOtherwise(err error) bool {
	return errors.Is(err, files.ErrChanged) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist)
}

// removeSeen removes the files at and below a place that have the bytes of the last look, then the directories.
func (h *hold) removeSeen(ctx context.Context, place string) error {
	found, dirs, err := h.contents(place)
	if err != nil {
		return err
	}
	known, err := h.w.FilesUnder(ctx, []string{place})
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
	if err := h.disk.SyncDirectory(h.root, path.Dir(place))(); err != nil {
		return notRemoved(place, err)
	}
	return nil
}

// contents returns the files at and below a place, and its directories, each before what is in it. It fails with a conflict where
// something is hidden there, or is not a file: that is not an agent's to remove.
func (h *hold) contents(place string) (found, dirs []string, err error) {
	info, err := files.Lstat(h.root, place)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return []string{place}, nil, nil
	}
	at, err := files.Resolve(h.root, place)
	if err != nil {
		return nil, nil, err
	}
	err = fs.WalkDir(h.root.FS(), at, func(p string, entry fs.DirEntry, err error) error {
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
		if info, err := files.Stat(h.root, here); err != nil || !info.Mode().IsRegular() {
			return &memories.ConflictError{Reason: here + " is neither a file nor a link to one inside the agent's directory. Nothing was removed. Remove it by hand first, or leave " + place + " as it is."}
		}
		return nil
	})
	return found, dirs, err
}

// notRemoved says why something could not be removed. What isOtherwise is about stays what it is, and is tried again.
func notRemoved(place string, err error) error {
	if isOtherwise(err) {
		return err
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s could not be removed (%v). What was removed before it, and was a memory, is in the trash. Look at what is there now, and try again.", place, plain(err))}
}

// takeInFound mirrors what is at a place before it is changed, as whoever has written it did.
func (h *hold) takeInFound(ctx context.Context, place string) error {
	_, err := h.look(ctx, []string{place}, cause{})
	return err
}

// follow mirrors what has just been done at the places for whoever asks, and publishes.
func (h *hold) follow(ctx context.Context, places ...string) error {
	if _, err := h.look(ctx, places, cause{actor: actorOf(ctx)}); err != nil {
		return err
	}
	return h.publish(ctx)
}

// place returns where a path of the durable directory leads, relative to the agent's directory, as find has it.
func (h *hold) place(file string, find func(*durable, string) (string, error)) (string, error) {
	if h.root == nil {
		return "", h.errNoDirectory()
	}
	d, err := durableIn(h.root, h.onDisk)
	if err != nil {
		return "", err
	}
	defer d.close()
	at, err := find(d, file)
	if at == "." && err == nil {
		err = ErrNoFile // nobody may change the durable directory itself
	}
	return path.Join(h.onDisk.PrimaryDir(), at), err
}

// newPlace is place for something that is yet to be made.
func (h *hold) newPlace(file string) (string, error) {
	place, err := h.place(file, (*durable).findNew)
	switch {
	case file == ".":
		return "", ErrFileExists
	case !errors.Is(err, ErrNoFile):
		return place, err
	case !isReachable(file):
		return "", ErrNoPlace
	}
	return path.Join(h.onDisk.PrimaryDir(), file), nil // the durable directory is made with it
}
