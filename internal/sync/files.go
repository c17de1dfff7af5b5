package sync

import (
	"context"
	"time"

	"memoir/internal/sync/agentdir"
)

// ReadFile returns the bytes of a file on disk. path is slash-separated and relative to the agent's
// primary directory. It fails with memories.ErrNotFound for an unknown agent, memories.ErrNoFile
// for a missing, hidden or outside file, and memories.ErrIsDirectory. It fails with
// *memories.ConflictError if the file is larger than 1 MiB or cannot be read.
func (e *Engine) ReadFile(ctx context.Context, slug, path string) ([]byte, error) {
	return e.calls.readFile.Read(ctx, slug, agentdir.ReadFileOp{Path: path})
}

// ListFiles returns the files and directories below path, each directory before its contents, with
// paths relative to path. "." is the primary directory. It omits hidden ones, links that lead out,
// and the contents of linked and unreadable directories. It fails with memories.ErrNotFound for an
// unknown agent, memories.ErrNoFile if path is missing or a file, and *memories.ConflictError if
// path cannot be read.
func (e *Engine) ListFiles(ctx context.Context, slug, path string) ([]ListedFile, error) {
	return e.calls.listFiles.Read(ctx, slug, agentdir.ListFilesOp{Path: path})
}

// CreateFile writes a new file at path, relative to the agent's primary directory, with missing
// directories. It then scans it and writes CLAUDE.md. It fails with memories.ErrNotFound for an
// unknown agent, and with memories.ErrFileExists or ErrInvalidPath for path. It fails with
// *memories.ConflictError, and writes nothing, if raw is larger than 1 MiB, is team memory with a
// credential, or cannot be written.
func (e *Engine) CreateFile(ctx context.Context, slug, path string, raw []byte) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileCreate, Path: path, Raw: raw})
	return err
}

// ReplaceFile overwrites a file in the agent's primary directory, scans it, and writes CLAUDE.md.
// hash is the hexadecimal SHA-256 of the bytes to replace; it fails with memories.ErrChanged if the
// file has others. It fails with memories.ErrNotFound for an unknown agent, memories.ErrNoFile, and
// memories.ErrIsDirectory. It fails with *memories.ConflictError if raw is larger than 1 MiB, is
// team memory with a credential, or cannot be written.
func (e *Engine) ReplaceFile(ctx context.Context, slug, path, hash string, raw []byte) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileReplace, Path: path, Hash: hash, Raw: raw})
	return err
}

// WriteFormerFile writes the earlier bytes of a file again. It is ReplaceFile, or CreateFile if hash is
// empty, with the earlier modification time, and without a new entry in MEMORY.md. If modified is zero,
// the bytes count as new text.
func (e *Engine) WriteFormerFile(ctx context.Context, slug, path, hash string, raw []byte, modified time.Time) error {
	op := agentdir.WriteFileOp{Verb: agentdir.FileReplace, Path: path, Hash: hash, Raw: raw, ModTime: modified}
	if hash == "" {
		op.Verb = agentdir.FileCreate
	}
	_, err := e.calls.writeFile.Do(ctx, slug, op)
	return err
}

// RenameFile moves a file or directory to another path in the agent's primary directory, scans both
// paths, and writes CLAUDE.md. A memory whose file states its name stays the same memory. It fails
// with memories.ErrNotFound for an unknown agent, memories.ErrNoFile for from, and
// memories.ErrFileExists or ErrInvalidPath for to. It fails with *memories.ConflictError if the
// move is refused or fails.
func (e *Engine) RenameFile(ctx context.Context, slug, from, to string) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileRename, Path: from, To: to})
	return err
}

// RemoveFile removes a file, or a directory with its contents, scans its path, and writes
// CLAUDE.md. Memories without another primary file move to the trash, or become missing if they are
// many. It fails with memories.ErrNotFound for an unknown agent, and with memories.ErrNoFile, also
// for the primary directory itself. It fails with *memories.ConflictError if a part cannot be
// removed; other parts may be removed then.
func (e *Engine) RemoveFile(ctx context.Context, slug, path string) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileRemove, Path: path})
	return err
}

// AppendLog appends an entry to an agent's log file, or creates it, and returns the entry's path
// and text. A zero entry.At means now. The entry is on disk when it returns; the database may
// follow with the next scan. It fails with memories.ErrNotFound for an unknown agent, and with
// *memories.ConflictError if the file cannot be written. It fails with *memories.InvalidError for
// an invalid text, title or time, for example in the future.
func (e *Engine) AppendLog(ctx context.Context, slug string, entry LogEntry) (Logged, error) {
	if entry.At.IsZero() {
		entry.At = time.Now().Truncate(time.Second)
	}
	return e.calls.appendLog.Do(ctx, slug, entry)
}
