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
	callSave          = handle((*Engine).saveLocal)
	callPatch         = handle((*Engine).patchLocal)
	callTransfer      = handle((*Engine).transferLocal)
	callOffer         = handle((*Engine).offerLocal)
	callAccept        = handle((*Engine).acceptLocal)
	callChange        = handle((*Engine).changeLocal)
	callBulk          = handle((*Engine).bulkLocal)
	callFix           = handle((*Engine).fixLocal)
	callKeep          = handle((*Engine).keepLocal)
	callAdoptFact     = handle((*Engine).adoptFactLocal)
	callAllow         = handle((*Engine).allowLocal)
	callRemoveBlocked = handle((*Engine).removeBlockedLocal)
	callRebuildIndex  = handle((*Engine).rebuildIndexLocal)
	callWriteFile     = handle((*Engine).writeFileLocal)
	callAppendLog     = handle((*Engine).appendLogLocal)
	callForget        = handle((*Engine).forgetLocal)
	callSwitchMemory  = handle((*Engine).switchMemoryLocal)
	callPublish       = handle((*Engine).publishLocal)
	callScan          = handle((*Engine).scanLocal)
	callConsolidate   = handle((*Engine).consolidateLocal)

	callAbout             = handle((*Engine).aboutLocal)
	callPreview           = handle((*Engine).previewLocal)
	callPreviewDeletion   = handle((*Engine).previewDeletionLocal)
	callPreviewEdits      = handle((*Engine).previewEditsLocal)
	callFixes             = handle((*Engine).fixesLocal)
	callIndex             = handle((*Engine).indexLocal)
	callPreviewIndex      = handle((*Engine).previewIndexLocal)
	callSessionMemories   = handle((*Engine).sessionMemoriesLocal)
	callSessionMemory     = handle((*Engine).sessionMemoryLocal)
	callReadFile          = handle((*Engine).readFileLocal)
	callListFiles         = handle((*Engine).listFilesLocal)
	callConsolidationLock = handle((*Engine).consolidationLockLocal)
	callConversations     = handle((*Engine).conversationsLocal)
)

// The operations. They are sent as JSON.
type (
	saveOp struct {
		Draft   Draft
		OnlyNew bool // fail if a memory of that name lives
	}
	patchOp struct {
		Ref   MemoryRef `json:"Seen"`
		Patch Patch
	}
	transferOp struct {
		Ref  MemoryRef `json:"Seen"`
		To   memories.Scope
		Copy bool // false: move
	}
	offerOp struct {
		Ref MemoryRef `json:"Seen"`
	}
	acceptOp struct {
		Offer offer
		Again bool // the agent may have it already, because the other one gives it away
	}
	changeOp struct {
		Verb verb
		Ref  MemoryRef `json:"Seen"`
	}
	bulkOp struct {
		Verb verb
		Refs []MemoryRef `json:"All"`
	}
	fixOp struct {
		Ref       MemoryRef `json:"Seen"`
		Path, Fix string
		Undo      bool   // write back earlier bytes instead
		Hash      string // of these bytes
	}
	keepOp struct {
		Ref     MemoryRef `json:"Seen"`
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
		Max   int `json:"Most"`
	}

	nothing struct{} // the result of an operation without one
)

// call is an operation on an agent. The server that holds the agent's lease runs it with here.
type call[Op, R any] struct {
	name  string
	local func(e *Engine, ctx context.Context, slug string, op Op) (R, error)
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
