package sync

import (
	"context"
)

// What can be asked of an agent, by the names under which one server asks another. A name and what it takes and gives are
// a contract between servers, which may be of different versions while they are being replaced: what changes its meaning
// gets another name.
var (
	callSave               = newCall("save", (*Engine).saveHere)
	callCreate             = newCall("create", (*Engine).createHere)
	callPatch              = newCall("patch", (*Engine).patchHere)
	callMove               = newCall("move", (*Engine).moveHere)
	callCopy               = newCall("copy", (*Engine).copyHere)
	callOffer              = newCall("offer", (*Engine).offerHere)
	callTakeOver           = newCall("take-over", (*Engine).takeOverHere)
	callDelete             = newCall("delete", (*Engine).deleteHere)
	callPurge              = newCall("purge", (*Engine).purgeHere)
	callRestore            = newCall("restore", (*Engine).restoreHere)
	callVerify             = newCall("verify", (*Engine).verifyHere)
	callDeleteMany         = newCall("delete-many", (*Engine).deleteManyHere)
	callPurgeMany          = newCall("purge-many", (*Engine).purgeManyHere)
	callRestoreMany        = newCall("restore-many", (*Engine).restoreManyHere)
	callVerifyMany         = newCall("verify-many", (*Engine).verifyManyHere)
	callFix                = newCall("fix", (*Engine).fixHere)
	callUndoFix            = newCall("undo-fix", (*Engine).undoFixHere)
	callKeep               = newCall("keep", (*Engine).keepHere)
	callAllow              = newCall("allow", (*Engine).allowHere)
	callRemoveBlocked      = newCall("remove-blocked", (*Engine).removeBlockedHere)
	callRebuildIndex       = newCall("rebuild-index", (*Engine).rebuildIndexHere)
	callAdoptFact          = newCall("adopt-fact", (*Engine).adoptFactHere)
	callCreateFile         = newCall("create-file", (*Engine).createFileHere)
	callReplaceFile        = newCall("replace-file", (*Engine).replaceFileHere)
	callRemoveFile         = newCall("remove-file", (*Engine).removeFileHere)
	callRenameFile         = newCall("rename-file", (*Engine).renameFileHere)
	callAppendLog          = newCall("append-log", (*Engine).appendLogHere)
	callForget             = newCall("forget", (*Engine).forgetHere)
	callPublish            = newCall("publish", (*Engine).publishHere)
	callScan               = newCall("scan", (*Engine).scanHere)
	callSwitchMemory       = newCall("switch-memory", (*Engine).switchMemoryHere)
	callRescan             = newCall("rescan", (*Engine).rescanHere)
	callBeginConsolidation = newCall("begin-consolidation", (*Engine).beginConsolidationHere)
	callEndConsolidation   = newCall("end-consolidation", (*Engine).endConsolidationHere)
	callStillConsolidating = newCall("still-consolidating", (*Engine).stillConsolidatingHere)

	callAbout                 = newCall("about", (*Engine).aboutHere)
	callPreview               = newCall("preview", (*Engine).previewHere)
	callPreviewAsOf           = newCall("preview-as-of", (*Engine).previewAsOfHere)
	callPreviewDeletion       = newCall("preview-deletion", (*Engine).previewDeletionHere)
	callProposeFixes          = newCall("propose-fixes", (*Engine).proposeFixesHere)
	callIndex                 = newCall("index", (*Engine).indexHere)
	callPreviewIndex          = newCall("preview-index", (*Engine).previewIndexHere)
	callSessionMemories       = newCall("session-memories", (*Engine).sessionMemoriesHere)
	callSessionMemory         = newCall("session-memory", (*Engine).sessionMemoryHere)
	callReadFile              = newCall("read-file", (*Engine).readFileHere)
	callListFiles             = newCall("list-files", (*Engine).listFilesHere)
	callPreviewEdits          = newCall("preview-edits", (*Engine).previewEditsHere)
	callPreviewPrunedIndex    = newCall("preview-pruned-index", (*Engine).previewPrunedIndexHere)
	callReadConsolidationLock = newCall("read-consolidation-lock", (*Engine).readConsolidationLockHere)
	callConversationsSince    = newCall("conversations-since", (*Engine).conversationsSinceHere)
)

// What calls take beside the agent; both sides of a call know it as JSON.
type (
	nothing  struct{}
	patching struct {
		Seen  Seen
		Patch Patch
	}
	fixing struct {
		Seen      Seen
		Path, Fix string
	}
	keeping struct {
		Seen    Seen
		Version string
	}
	switching struct{ Off bool }
	undoing   struct {
		Seen       Seen
		Path, Hash string
	}
)

// call is something that can be asked of an agent, wherever that is looked after.
type call[In, Out any] struct {
	name string
	here func(e *Engine, ctx context.Context, slug string, in In) (Out, error)
}

// calls carry out what other servers ask for, by name.
var calls = map[string]func(ctx context.Context, e *Engine, slug string, arguments []byte) (out any, err error){}

func newCall[In, Out any](name string, here func(*Engine, context.Context, string, In) (Out, error)) call[In, Out] {
	c := call[In, Out]{name, here}
	calls[name] = c.serve
	return c
}
