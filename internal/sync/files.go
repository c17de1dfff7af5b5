package sync

import (
	"context"
	"time"

	"memoir/internal/sync/agentdir"
)

// ReadFile returns the bytes of a file on disk. path is slash-separated and relative to the agent's
// primary directory, as for all methods on files. Errors: memories.ErrNotFound for an unknown
// agent; ErrNoFile; syscall.EISDIR; *memories.ConflictError if the file is larger than 1 MiB or
// cannot be read.
func (e *Engine) ReadFile(ctx context.Context, slug, path string) ([]byte, error) {
	return e.calls.readFile.Read(ctx, slug, agentdir.ReadFileOp{Path: path})
}

// ListFiles returns the files and directories below the directory at path, by name, each directory
// before its contents. Their paths are relative to path; "." is the primary directory. It omits
// hidden ones, links that lead out of the primary directory, and the contents of linked
// directories. It fails like ReadFile, and with ErrNoFile if path is not a directory.
func (e *Engine) ListFiles(ctx context.Context, slug, path string) ([]ListedFile, error) {
	return e.calls.listFiles.Read(ctx, slug, agentdir.ListFilesOp{Path: path})
}

// CreateFile writes a new file. When it returns, the file is mirrored, and CLAUDE.md is written.
// Errors: memories.ErrNotFound for an unknown agent; fs.ErrExist if path exists; ErrInvalidPath;
// *memories.ConflictError if the file cannot be written. Unless the disk has failed, nothing has
// changed then.
func (e *Engine) CreateFile(ctx context.Context, slug, path string, raw []byte) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileCreate, Path: path, Raw: raw})
	return err
}

// ReplaceFile overwrites a file whose bytes have the given hash. It fails with memories.ErrChanged
// if they have another hash, with ErrNoFile, with syscall.EISDIR for a directory, and otherwise
// like CreateFile.
func (e *Engine) ReplaceFile(ctx context.Context, slug, path, hash string, raw []byte) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileReplace, Path: path, Hash: hash, Raw: raw})
	return err
}

// RenameFile gives a file or directory another path in the primary directory. A memory whose file
// states its name stays the same memory. Errors: memories.ErrNotFound for an unknown agent;
// ErrNoFile for from; fs.ErrExist or ErrInvalidPath for to; *memories.ConflictError if the rename
// is not possible.
func (e *Engine) RenameFile(ctx context.Context, slug, from, to string) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileRename, Path: from, To: to})
	return err
}

// RemoveFile removes a file, or a directory with its contents. Its memories count as deleted on
// disk: they move to the trash, or become missing if they are many. Errors: memories.ErrNotFound
// for an unknown agent; ErrNoFile, also for the primary directory itself; *memories.ConflictError
// if a part cannot be removed.
func (e *Engine) RemoveFile(ctx context.Context, slug, path string) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileRemove, Path: path})
	return err
}

// AppendLog appends an entry to an agent's log file, and returns its place. A zero entry.At means
// now. The entry is on disk when it returns; the database may follow with the next scan. Dates are
// in the time zone of the lease holder. Errors: memories.ErrNotFound; *memories.InvalidError, for
// example if At is in the future or before yesterday; *memories.ConflictError if the log cannot be
// written.
func (e *Engine) AppendLog(ctx context.Context, slug string, entry LogEntry) (Logged, error) {
	if entry.At.IsZero() {
		entry.At = time.Now().Truncate(time.Second)
	}
	return e.calls.appendLog.Do(ctx, slug, entry)
}
