package sync

import (
	"context"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/exchange"
	"memoir/internal/lockfile"
	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/cluster"
	"memoir/internal/sync/flaws"
	"memoir/internal/sync/imports"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/scan"
)

// calls are the calls that run on the server with the agent's lease, or with its directory if they
// only read. The name of an operation's type is the name of its call. Servers of two versions may
// share a database during an update, so an operation with another meaning needs another name.
type calls struct {
	save              cluster.Call[ops.SaveOp, ops.Result]
	patch             cluster.Call[ops.PatchOp, ops.Result]
	transfer          cluster.Call[ops.TransferOp, ops.Result]
	offer             cluster.Call[ops.OfferOp, ops.Offer]
	accept            cluster.Call[ops.AcceptOp, ops.Result]
	change            cluster.Call[ops.ChangeOp, ops.Result]
	bulk              cluster.Call[ops.BulkOp, []*problem.Failure]
	fix               cluster.Call[ops.FixOp, ops.Result]
	keep              cluster.Call[ops.KeepOp, ops.Result]
	adoptFact         cluster.Call[ops.Adoption, ops.Result]
	allow             cluster.Call[ops.AllowOp, ops.Result]
	removeBlocked     cluster.Call[ops.RemoveBlockedOp, memories.Blocked]
	repairIndex       cluster.Call[ops.RepairIndexOp, indexfile.IndexChange]
	writeFile         cluster.Call[agentdir.WriteFileOp, cluster.Nothing]
	appendLog         cluster.Call[agentdir.LogEntry, agentdir.Logged]
	forget            cluster.Call[ops.ForgetOp, records.Agent]
	switchMemory      cluster.Call[ops.SwitchMemoryOp, cluster.Nothing]
	publish           cluster.Call[publish.PublishOp, publish.Result]
	setTargets        cluster.Call[publish.SetTargetsOp, publish.Targets]
	scan              cluster.Call[scanOp, scan.Result]
	consolidate       cluster.Call[agentdir.ConsolidateOp, lockfile.Taken]
	about             cluster.Call[agentdir.AboutOp, agentdir.About]
	preview           cluster.Call[publish.PreviewOp, publish.Preview]
	listTargets       cluster.Call[publish.ListTargetsOp, publish.Targets]
	previewDeletion   cluster.Call[publish.PreviewDeletionOp, publish.DeletionPreview]
	previewEdits      cluster.Call[publish.PreviewEditsOp, publish.ClaudeMDSizes]
	fixes             cluster.Call[ops.FixesOp, []flaws.Flawed]
	index             cluster.Call[indexfile.IndexOp, indexfile.View]
	previewIndex      cluster.Call[indexfile.PreviewIndexOp, indexfile.IndexChange]
	sessionMemories   cluster.Call[agentdir.SessionMemoriesOp, []agents.SessionMemory]
	sessionMemory     cluster.Call[agentdir.SessionMemoryOp, agents.SessionMemory]
	readFile          cluster.Call[agentdir.ReadFileOp, []byte]
	listFiles         cluster.Call[agentdir.ListFilesOp, []agentdir.ListedFile]
	consolidationLock cluster.Call[agentdir.ConsolidationLockOp, agentdir.ConsolidationLock]
	conversations     cluster.Call[agentdir.ConversationsOp, agentdir.Conversations]
	seed              cluster.Call[imports.SeedOp, imports.Seeded]
	addHistory        cluster.Call[imports.HistoryOp, cluster.Nothing]
	deletionConflict  cluster.Call[imports.ConflictOp, cluster.Nothing]
	indexes           cluster.Call[imports.IndexesOp, []exchange.File]
}

// whileOn returns a function that fails with *memories.ConflictError if Claude Code has switched
// off the agent's memory, and else calls run. Deletions and restores do not need it: people must be
// able to remove a memory, and to undo that.
func whileOn[Op, R any](e *Engine, run func(context.Context, string, Op) (R, error)) func(context.Context, string, Op) (R, error) {
	return func(ctx context.Context, slug string, op Op) (R, error) {
		all := e.discoverer.Snapshot().Agents
		i := slices.IndexFunc(all, func(a agents.Agent) bool { return a.Slug == slug })
		if i >= 0 && agents.LocateMemory(e.options.Places, all[i]).IsOff() {
			var none R
			return none, errOffInClaude
		}
		return run(ctx, slug, op)
	}
}

// errOffInClaude is the error of whileOn.
var errOffInClaude = &memories.ConflictError{Reason: "Claude Code's memory is off for this agent. Nothing was changed. Settings shows how to switch it on."}

// makeCalls registers all calls with e.node, so that other servers can request them, and returns
// them. It must be called once.
func (e *Engine) makeCalls() calls {
	return calls{
		save:              cluster.Handle(e.node, whileOn(e, e.ops.Save)),
		patch:             cluster.Handle(e.node, whileOn(e, e.ops.Patch)),
		transfer:          cluster.Handle(e.node, e.ops.Transfer),
		offer:             cluster.Handle(e.node, e.ops.Offer),
		accept:            cluster.Handle(e.node, whileOn(e, e.ops.Accept)),
		change:            cluster.Handle(e.node, e.ops.Change),
		bulk:              cluster.Handle(e.node, e.ops.Bulk),
		fix:               cluster.Handle(e.node, whileOn(e, e.ops.Fix)),
		keep:              cluster.Handle(e.node, e.ops.Keep),
		adoptFact:         cluster.Handle(e.node, whileOn(e, e.ops.AdoptFact)),
		allow:             cluster.Handle(e.node, e.ops.Allow),
		removeBlocked:     cluster.Handle(e.node, e.ops.RemoveBlocked),
		repairIndex:       cluster.Handle(e.node, whileOn(e, e.ops.RepairIndex)),
		writeFile:         cluster.Handle(e.node, whileOn(e, e.dir.WriteFile)),
		appendLog:         cluster.Handle(e.node, whileOn(e, e.dir.AppendLog)),
		forget:            cluster.Handle(e.node, e.ops.Forget),
		switchMemory:      cluster.Handle(e.node, e.ops.SwitchMemory),
		publish:           cluster.Handle(e.node, e.publisher.Publish),
		setTargets:        cluster.Handle(e.node, e.publisher.SetTargets),
		scan:              cluster.Handle(e.node, e.scanLocal),
		consolidate:       cluster.Handle(e.node, e.dir.Consolidate),
		about:             cluster.Handle(e.node, e.dir.About),
		preview:           cluster.Handle(e.node, e.publisher.Preview),
		listTargets:       cluster.Handle(e.node, e.publisher.ListTargets),
		previewDeletion:   cluster.Handle(e.node, e.publisher.PreviewDeletion),
		previewEdits:      cluster.Handle(e.node, e.publisher.PreviewEdits),
		fixes:             cluster.Handle(e.node, e.ops.Fixes),
		index:             cluster.Handle(e.node, e.index.Read),
		previewIndex:      cluster.Handle(e.node, e.index.Preview),
		sessionMemories:   cluster.Handle(e.node, e.dir.SessionMemories),
		sessionMemory:     cluster.Handle(e.node, e.dir.SessionMemory),
		readFile:          cluster.Handle(e.node, e.dir.ReadFile),
		listFiles:         cluster.Handle(e.node, e.dir.ListFiles),
		consolidationLock: cluster.Handle(e.node, e.dir.ConsolidationLock),
		conversations:     cluster.Handle(e.node, e.dir.Conversations),
		seed:              cluster.Handle(e.node, whileOn(e, e.imports.Seed)),
		addHistory:        cluster.Handle(e.node, e.imports.AddHistory),
		deletionConflict:  cluster.Handle(e.node, e.imports.AddDeletionConflict),
		indexes:           cluster.Handle(e.node, e.imports.Indexes),
	}
}
