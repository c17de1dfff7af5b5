package sync

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/flaws"
	"memoir/internal/sync/imports"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/scan"
)

// The types of the Engine's methods. Callers of the engine import no package below it.
type (
	About             = agentdir.About             // where an agent's memory is
	Adoption          = ops.Adoption               // argument of AdoptFact
	ClaudeMDSizes     = publish.ClaudeMDSizes      // result of PreviewEdits
	ConflictOp        = imports.ConflictOp         // argument of AddDeletionConflict
	ConsolidationLock = agentdir.ConsolidationLock // state of the lock file
	Conversations     = agentdir.Conversations     // result of ConversationsSince
	DeletionPreview   = publish.DeletionPreview    // result of PreviewDeletion
	Destination       = ops.Destination            // argument of Move and Copy
	Disk              = agenttx.Disk               // makes all changes on disk
	Draft             = memories.Draft             // a memory to save
	Edit              = publish.Edit               // argument of PreviewEdits
	Flawed            = flaws.Flawed               // a file with problems and fixes
	Index             = indexfile.View             // a MEMORY.md with findings
	HistoryOp         = imports.HistoryOp          // argument of AddHistory
	IndexChange       = indexfile.IndexChange      // a MEMORY.md before and after a change
	ListedFile        = agentdir.ListedFile        // result of ListFiles
	LogEntry          = agentdir.LogEntry          // argument of AppendLog
	Logged            = agentdir.Logged            // where AppendLog wrote the entry
	MemoryRef         = ops.MemoryRef              // a memory and the ETag that the user saw
	Patch             = memories.Patch             // fields of a memory to change
	Preview           = publish.Preview            // a compiled CLAUDE.md
	Targets           = publish.Targets            // result of Targets and SetTargets
	TargetState       = publish.TargetState        // one of Targets
	Result            = ops.Result                 // a memory after a change
	SeedOp            = imports.SeedOp             // argument of Seed
	Seeded            = imports.Seeded             // result of Seed
	ScanProblem       = scan.Problem               // an agent or directory that cannot be scanned
	ScanResult        = scan.Result                // counts of a scan
)

// IDs of the fixes of an unfinished file.
const (
	FixLastGood = flaws.FixLastGood // writes the last good content
	FixAsIs     = flaws.FixAsIs     // takes the file as it is
)

// As returns a copy of ctx. The journal attributes changes in operations with it to the actor;
// without As, to Memoir. It does not apply to changes that a scan finds on disk.
func As(ctx context.Context, actor memories.Actor) context.Context { return agenttx.As(ctx, actor) }

// ActorOf returns the actor set by As, or memories.ByMemoir if none is set.
func ActorOf(ctx context.Context) memories.Actor { return agenttx.ActorOf(ctx) }

// ETag returns the strong entity tag of a memory, with quotes. It covers ID, name, state, scope,
// content, and the bytes of the file.
func ETag(m memories.Memory) string { return records.ETag(m) }

// RunsAs returns the name of the user that this process runs as, or the numeric user ID if the user
// has no name.
func RunsAs() string { return scan.RunsAs() }
