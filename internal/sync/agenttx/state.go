package agenttx

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"memoir/internal/agents"
)

// State is the knowledge of this process about one agent. The caller must hold its lock to use it,
// except for ID, Emptied, Awaited and FileCounter.Files.
type State struct {
	inUse *semaphore.Weighted // the lock
	// skipped means that LockOrSkip gave up. Unlock then requests a discovery.
	skipped atomic.Bool
	ID      int64 // the agent's id in the database
	// term is the lease term of the scan state. It is 0 if this server did not hold the lease.
	term    uint64
	Agent   agents.Agent // the agent as discovery or its row last had it
	Present bool         // the agent's directory exists
	// FullyScanned means that the whole directory has been scanned in this term, and is watched.
	FullyScanned  bool
	fullScanTimer *time.Timer // requests a full scan, see Tx.RescanAllAfter; nil before the first
	// Links are the paths of links. A scan that finds a change elsewhere requests their scan,
	// because the change may be in their targets.
	Links map[string]struct{}
	// Indexes are the stamps of the MEMORY.md files at their last scan, by path.
	Indexes map[string]FileStamp
	// Facts are the stamps of the primary indexes whose facts are saved, by path. A zero stamp
	// means that the index must be read again. It is nil until the paths have been read from the
	// database.
	Facts map[string]FileStamp
	// Recovered means that leftovers of a crash have been removed in this term.
	Recovered bool
	// TargetsRecovered is Recovered for the directories of publish targets.
	TargetsRecovered bool
	// Emptied contains the files that had bytes and are now empty, by path. Package scan owns the
	// values.
	Emptied sync.Map
	// Awaited contains the empty files that a scan waits for, by path. Package scan owns the
	// values.
	Awaited     sync.Map
	FileCounter fileCounter
	// Others are the agent's files that are not Markdown.
	Others OtherFiles
}

// NewState returns the State of the agent with the given id, unlocked, with everything else
// unknown.
func NewState(id int64) *State { return &State{inUse: semaphore.NewWeighted(1), ID: id} }

// Lock locks the agent in this process. It waits until the lock is free, and returns the error of
// ctx if ctx ends first; the agent is not locked then. The caller unlocks it with Manager.Unlock.
func (a *State) Lock(ctx context.Context) error { return a.inUse.Acquire(ctx, 1) }

// LockOrSkip locks the agent for a caller that serves several agents, and reports whether it has.
// It gives up after AgentTurn, or when ctx ends; the next Unlock then requests a discovery. The
// caller unlocks a locked agent with Manager.Unlock.
func (a *State) LockOrSkip(ctx context.Context) (locked bool) {
	if a.inUse.TryAcquire(1) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, AgentTurn)
	defer cancel()
	if a.Lock(ctx) == nil {
		return true
	}
	a.skipped.Store(true)
	return a.inUse.TryAcquire(1) // an Unlock just before the Store did not see skipped
}

// AgentTurn is how long a task that serves all agents waits for one of them before it continues
// with the next. It also delays the next scan of a full scan: two scans at once made a save wait on
// a machine with two processors.
const AgentTurn = time.Second

// Begin records the lease term of the coming work. If the term has changed, it resets the scan
// state: another server may have changed the agent. It also does so for term 0, which means that
// this server does not hold the lease. The caller holds the lock.
func (a *State) Begin(term uint64) {
	if term == 0 || term != a.term {
		a.ResetScanState()
	}
	a.term = term
}

// ResetScanState forgets what scans have learned about the directory, so that the next full scan
// checks everything. It keeps Emptied, Awaited, Others, FileCounter and the timer of
// RescanAllAfter. The caller holds the lock.
func (a *State) ResetScanState() {
	a.FullyScanned, a.Recovered, a.TargetsRecovered, a.Links, a.Indexes, a.Facts = false, false, false, nil, nil, nil
}

// FileStamp is a file's size and modification time, which change when the file is written. The zero
// value means that the file is missing or unknown.
type FileStamp struct {
	Size    int64 // in bytes
	ModTime time.Time
}

// OtherFiles are the files of an agent that are not Markdown, as they were last scanned.
type OtherFiles struct {
	Kinds  map[string]OtherKind // by path; nil before the first scan
	Listed map[string]struct{}  // paths of the listed ones
}

// OtherKind is the result of the check whether a file is text, and the signature of the checked
// file, which changes with the file.
type OtherKind struct {
	Signature int64
	IsText    bool
}

// fileCounter counts the memory files that the last scans of an agent found on disk. A new file
// that was not read because a program is writing it is not counted.
type fileCounter struct {
	Files atomic.Int64
	// unseen are the paths of files that the rows have on disk and the last scan did not find. The
	// scan left their rows unchanged, for example because the primary directory is missing. They
	// are not counted.
	unseen map[string]struct{}
}

// Update sets Files after a scan of paths that found the given number of files. After a full scan,
// that is the number. Otherwise it adds the number, less before: the number of files that the rows
// had on disk at these paths. unseen are the files among them that the scan did not find and did
// not record as removed. They are not counted.
func (c *fileCounter) Update(paths []string, files, before int, unseen []string) {
	for p := range c.unseen {
		if IsIn(paths, p) {
			delete(c.unseen, p)
			before--
		}
	}
	if c.unseen == nil {
		c.unseen = map[string]struct{}{}
	}
	for _, p := range unseen {
		c.unseen[p] = struct{}{}
	}
	if IsFullScan(paths) {
		c.Files.Store(int64(files))
		return
	}
	c.Files.Add(int64(files - before))
}

// Removed subtracts 1 from Files for a file that Memoir has removed and the rows had on disk. It
// does not do so if the last scan did not count the file. The next scan cannot subtract it, because
// its row is absent by then.
func (c *fileCounter) Removed(path string) {
	if _, ok := c.unseen[path]; ok {
		delete(c.unseen, path)
		return
	}
	c.Files.Add(-1)
}
