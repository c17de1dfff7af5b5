package sync

import (
	"context"
	"reflect"
	"time"

	"memoir/internal/lockfile"
	"memoir/internal/memories"
)

// The calls that a server runs itself or sends to the server that holds the agent's lease. The name
// of a call is that of its operation's type. Servers of two versions may share a database during an
// update, so an operation with another meaning needs another name.
var (
	callSave          = handle((*Engine).saveHere)
	callPatch         = handle((*Engine).patchHere)
	callTransfer      = handle((*Engine).transferHere)
	callOffer         = handle((*Engine).offerHere)
	callAccept        = handle((*Engine).acceptHere)
	callChange        = handle((*Engine).changeHere)
	callBulk          = handle((*Engine).bulkHere)
	callFix           = handle((*Engine).fixHere)
	callKeep          = handle((*Engine).keepHere)
	callAdoptFact     = handle((*Engine).adoptFactHere)
	callAllow         = handle((*Engine).allowHere)
	callRemoveBlocked = handle((*Engine).removeBlockedHere)
	callRebuildIndex  = handle((*Engine).rebuildIndexHere)
	callWriteFile     = handle((*Engine).writeFileHere)
	callAppendLog     = handle((*Engine).appendLogHere)
	callForget        = handle((*Engine).forgetHere)
	callSwitchMemory  = handle((*Engine).switchMemoryHere)
	callPublish       = handle((*Engine).publishHere)
	callScan          = handle((*Engine).scanHere)
	callConsolidate   = handle((*Engine).consolidateHere)

	callAbout             = handle((*Engine).aboutHere)
	callPreview           = handle((*Engine).previewHere)
	callPreviewDeletion   = handle((*Engine).previewDeletionHere)
	callPreviewEdits      = handle((*Engine).previewEditsHere)
	callFixes             = handle((*Engine).fixesHere)
	callIndex             = handle((*Engine).indexHere)
	callPreviewIndex      = handle((*Engine).previewIndexHere)
	callSessionMemories   = handle((*Engine).sessionMemoriesHere)
	callSessionMemory     = handle((*Engine).sessionMemoryHere)
	callReadFile          = handle((*Engine).readFileHere)
	callListFiles         = handle((*Engine).listFilesHere)
	callConsolidationLock = handle((*Engine).consolidationLockHere)
	callConversations     = handle((*Engine).conversationsHere)
)

// The operations. They are sent as JSON.
type (
	saveOp struct {
		Draft   Draft
		OnlyNew bool // fail if a memory of that name lives
	}
	patchOp struct {
		Seen  Seen
		Patch Patch
	}
	transferOp struct {
		Seen Seen
		To   memories.Scope
		Copy bool // false: move
	}
	offerOp  struct{ Seen Seen }
	acceptOp struct {
		Offer offer
		Again bool // the agent may have it already, because the other one gives it away
	}
	changeOp struct {
		Verb verb
		Seen Seen
	}
	bulkOp struct {
		Verb verb
		All  []Seen
	}
	fixOp struct {
		Seen      Seen
		Path, Fix string
		Undo      bool   // write back earlier bytes instead
		Hash      string // of these bytes
	}
	keepOp struct {
		Seen    Seen
		Version string
	}
	allowOp         struct{ ID string }
	removeBlockedOp struct{ ID string }
	rebuildIndexOp  struct{ Match string }
	writeFileOp     struct {
		Verb           string
		Path, To, Hash string
		Raw            []byte
	}
	forgetOp       struct{}
	switchMemoryOp struct{ Off bool }
	publishOp      struct{}
	scanOp         struct{ Discovered bool } // true: the agent has just been looked for
	consolidateOp  struct {
		Verb  string
		Taken lockfile.Taken
	}

	aboutOp   struct{}
	previewOp struct {
		Without string     // the id of a memory to leave out
		AsOf    *time.Time // nil: now
	}
	previewDeletionOp   struct{ IDs []string }
	previewEditsOp      struct{ Sets [][]Edit }
	fixesOp             struct{ ID string }
	indexOp             struct{}
	previewIndexOp      struct{ Prune bool }
	sessionMemoriesOp   struct{}
	sessionMemoryOp     struct{ Session string }
	readFileOp          struct{ Path string }
	listFilesOp         struct{ Path string }
	consolidationLockOp struct{}
	conversationsOp     struct {
		Since time.Time
		Most  int
	}

	nothing struct{} // the result of an operation without one
)

// call is an operation on an agent. The server that holds the agent's lease runs it with here.
type call[Op, R any] struct {
	name string
	here func(e *Engine, ctx context.Context, slug string, op Op) (R, error)
}

// calls run the operations of other servers, by name.
var calls = map[string]func(ctx context.Context, e *Engine, slug string, operation []byte) (result any, err error){}

// handle registers the call of an operation. It panics if one has the same name.
func handle[Op, R any](here func(*Engine, context.Context, string, Op) (R, error)) call[Op, R] {
	c := call[Op, R]{reflect.TypeFor[Op]().Name(), here}
	if calls[c.name] != nil {
		panic("two calls have the name " + c.name)
	}
	calls[c.name] = c.serve
	return c
}
