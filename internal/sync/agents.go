package sync

import (
	"context"
	"time"

	"memoir/internal/agents"
	"memoir/internal/lockfile"
	"memoir/internal/records"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/ops"
)

// About says where an agent's memory is, for whom it is, and whether Claude Code keeps one, as the server sees it on whose disk the agent's
// directory is. It fails with memories.ErrNotFound.
func (e *Engine) About(ctx context.Context, slug string) (agentdir.About, error) {
	return e.calls.about.Read(ctx, slug, agentdir.AboutOp{})
}

// SwitchMemory switches an agent's memory off or on, and returns the agent. With its memory off, CLAUDE.md does not ask it to save,
// and nothing is extracted or consolidated; what it remembers stays, and stays published. CLAUDE.md says so on disk when SwitchMemory
// returns, unless something is in its way, which the agent then says. It fails with memories.ErrNotFound.
func (e *Engine) SwitchMemory(ctx context.Context, slug string, off bool) (records.Agent, error) {
	if _, err := e.calls.switchMemory.Do(ctx, slug, ops.SwitchMemoryOp{Off: off}); err != nil {
		return records.Agent{}, err
	}
	return e.store.Agent(ctx, slug)
}

// CreateFile writes a new file into an agent's primary directory. When it returns, the file, what it means for the memories, and
// CLAUDE.md are on disk. It fails with memories.ErrNotFound, ErrFileExists, ErrInvalidPath, and *memories.ConflictError where it cannot be
// written; then nothing has happened.
func (e *Engine) CreateFile(ctx context.Context, slug, path string, raw []byte) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileCreate, Path: path, Raw: raw})
	return err
}

// ReplaceFile writes over a file whose bytes have the hash; memories.ErrChanged otherwise. Else it is CreateFile, with ErrNoFile and
// ErrIsDirectory in place of the errors about places.
func (e *Engine) ReplaceFile(ctx context.Context, slug, path, hash string, raw []byte) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileReplace, Path: path, Hash: hash, Raw: raw})
	return err
}

// RemoveFile removes a file, or a directory with all that is in it, from an agent's primary directory. The memories in it are removed
// on disk: they go to the trash, or are held as missing when they are many. It fails with memories.ErrNotFound, ErrNoFile (also for the
// primary directory itself), and *memories.ConflictError for what cannot be removed, which says what has happened.
func (e *Engine) RemoveFile(ctx context.Context, slug, path string) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileRemove, Path: path})
	return err
}

// RenameFile gives a file or a directory of an agent's primary directory another path there. A memory that its file gives a name lives
// on. It fails with memories.ErrNotFound, with ErrNoFile about the old path, ErrFileExists and ErrInvalidPath about the new one, and
// *memories.ConflictError; then nothing has happened.
func (e *Engine) RenameFile(ctx context.Context, slug, from, to string) error {
	_, err := e.calls.writeFile.Do(ctx, slug, agentdir.WriteFileOp{Verb: agentdir.FileRename, Path: from, To: to})
	return err
}

// ReadFile returns the bytes of a file of an agent's primary directory, as it is on disk. It fails with memories.ErrNotFound for an
// unknown agent, with ErrNoFile, ErrIsDirectory, and with *memories.ConflictError for a file of more than 1 MiB or one that cannot be
// read.
func (e *Engine) ReadFile(ctx context.Context, slug, path string) ([]byte, error) {
	return e.calls.readFile.Read(ctx, slug, agentdir.ReadFileOp{Path: path})
}

// ListFiles returns all that is below a directory of an agent's primary directory, "." being that itself: each directory before what
// is in it, by name. What is hidden, and links that leave the primary directory, are left out; linked directories are not gone into.
// It fails as ReadFile does, with ErrNoFile also for what is no directory.
func (e *Engine) ListFiles(ctx context.Context, slug, path string) ([]agentdir.ListedFile, error) {
	return e.calls.listFiles.Read(ctx, slug, agentdir.ListFilesOp{Path: path})
}

// SessionMemories returns the session memories of an agent without their texts, the newest first, as they are on disk now. It fails with
// memories.ErrNotFound.
func (e *Engine) SessionMemories(ctx context.Context, slug string) ([]agents.SessionMemory, error) {
	return e.calls.sessionMemories.Read(ctx, slug, agentdir.SessionMemoriesOp{})
}

// SessionMemory returns that of one session. It fails with memories.ErrNotFound where there is none, and with *memories.ConflictError
// where it cannot be read.
func (e *Engine) SessionMemory(ctx context.Context, slug, session string) (agents.SessionMemory, error) {
	return e.calls.sessionMemory.Read(ctx, slug, agentdir.SessionMemoryOp{Session: session})
}

// ConsolidationLock returns how the lock stands. It fails with memories.ErrNotFound.
func (e *Engine) ConsolidationLock(ctx context.Context, slug string) (agentdir.ConsolidationLock, error) {
	return e.calls.consolidationLock.Read(ctx, slug, agentdir.ConsolidationLockOp{})
}

// ConversationsSince counts the agent's conversations in which something happened after a time, up to most of them; the one that is
// going on is left out. It fails with memories.ErrNotFound.
func (e *Engine) ConversationsSince(ctx context.Context, slug string, since time.Time, most int) (agentdir.Conversations, error) {
	return e.calls.conversations.Read(ctx, slug, agentdir.ConversationsOp{Since: since, Max: most})
}

// BeginConsolidation takes the lock. It fails with memories.ErrNotFound, and with *memories.ConflictError where another process has
// it, or where it cannot be written.
func (e *Engine) BeginConsolidation(ctx context.Context, slug string) (lockfile.Taken, error) {
	return e.calls.consolidate.Do(ctx, slug, agentdir.ConsolidateOp{Verb: agentdir.ConsolidationBegin})
}

// CheckConsolidation fails with *memories.ConflictError where somebody else has taken the lock since.
func (e *Engine) CheckConsolidation(ctx context.Context, slug string, taken lockfile.Taken) error {
	_, err := e.calls.consolidate.Do(ctx, slug, agentdir.ConsolidateOp{Verb: agentdir.ConsolidationCheck, Taken: taken})
	return err
}

// EndConsolidation lets go of the lock and leaves the time of the consolidation; one that came to nothing leaves the lock as it was.
func (e *Engine) EndConsolidation(ctx context.Context, slug string, taken lockfile.Taken, cameToNothing bool) error {
	op := agentdir.ConsolidateOp{Verb: agentdir.ConsolidationEnd, Taken: taken}
	if cameToNothing {
		op.Verb = agentdir.ConsolidationFail
	}
	_, err := e.calls.consolidate.Do(ctx, slug, op)
	return err
}

// AppendLog appends an entry to an agent's log, which is only ever added to: what is there stays as it is, and two who append at
// once lose nothing. When it returns, the entry is on disk, and in the database too unless that has just gone: then it follows with the
// next scan. The day and the time of day are those of the zone of the server that holds the lease of the agent.
//
// It fails with memories.ErrNotFound for an unknown agent, *memories.InvalidError for what cannot be taken (a time in the future, or
// before yesterday, among it), and *memories.ConflictError where it cannot be written.
func (e *Engine) AppendLog(ctx context.Context, slug string, entry agentdir.LogEntry) (agentdir.Logged, error) {
	if entry.At.IsZero() {
		entry.At = time.Now().Truncate(time.Second)
	}
	return e.calls.appendLog.Do(ctx, slug, entry)
}
