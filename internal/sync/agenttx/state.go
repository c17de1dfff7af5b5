package agenttx

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"memoir/internal/agents"

	"golang.org/x/sync/semaphore"
)

// agent is one known agent in this process. Whoever works on it holds its lock.
type State struct {
	inUse *semaphore.Weighted
	// skipped says that somebody has gone on without the lock, and agents are to be looked for again.
	skipped atomic.Bool
	ID      int64
	// term is the time of looking after it, as Engine.term numbers them, that what follows was learned in.
	term    uint64
	OnDisk  agents.Agent
	Present bool
	// fullyScanned says that all of its directory has been scanned, and is watched, in this term.
	FullyScanned  bool
	fullScanTimer *time.Timer // requests a full scan when the directory has been quiet
	// links are the paths of links. They have to be scanned again whenever something else appears or goes: it may be
	// what they lead to.
	Links map[string]struct{}
	// indexes are the MEMORY.md files as they were last scanned.
	Indexes map[string]FileStamp
	// facts are the primary indexes as they were when their facts were saved; nil: the database knows which have any.
	Facts map[string]FileStamp
	// recovered says that leftovers of a crash have been cleared in this term.
	Recovered bool
	// emptied has files that had bytes and are seen without any, by path.
	Emptied sync.Map
	// awaited are files without a byte that a scan waits for, by path.
	Awaited     sync.Map
	FileCounter fileCounter
	// others are its files that are not Markdown.
	Others OtherFiles
	// lastLogs are its logs as all of them were last scanned.
	LastLogs LogState
}

func NewState(id int64) *State { return &State{inUse: semaphore.NewWeighted(1), ID: id} }

// lock waits until nobody else works on the agent, or until ctx ends.
func (a *State) Lock(ctx context.Context) error { return a.inUse.Acquire(ctx, 1) }

// lockOrSkip locks the agent, unless somebody works on it for longer than its turn. Then agents are looked for again as soon as that is
// over.
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
	return a.inUse.TryAcquire(1) // who held it may have let go just before that was noted
}

// begin forgets what was believed under another term than this; 0 is none.
func (a *State) Begin(term uint64) {
	if term == 0 || term != a.term {
		a.ResetScanState()
	}
	a.term = term
}

// resetScanState forgets what was seen in the directory.
func (a *State) ResetScanState() {
	a.FullyScanned, a.Recovered, a.Links, a.Indexes, a.Facts, a.LastLogs = false, false, nil, nil, nil, LogState{}
}

// agentTurn is how long what concerns all agents keeps to one of them before it goes on to the next. With two scanned at once, a save had
// to wait for both cores of a small machine.
const AgentTurn = time.Second

// fileStamp tells whether somebody has written a file.
type FileStamp struct {
	Size    int64
	ModTime time.Time
}

// otherFiles are the files of an agent that are not Markdown, as they were last scanned.
type OtherFiles struct {
	Kinds  map[string]OtherKind // by path
	Listed map[string]struct{}  // paths of those that are listed
}

// otherKind reports whether a file is text.
type OtherKind struct {
	Stamp  OtherStamp
	IsText bool
}

// stamp is the metadata that shows a change of such a file.
type OtherStamp struct {
	Path          string
	Size, ModTime int64
	Inode         uint64
}

// logState is what the last scan of all logs of an agent has seen; the zero value: nothing is known.
type LogState struct {
	Known bool
	Files int
	Sum   int64 // the exclusive or of their signatures
}
