package sync

import (
	"context"

	"memoir/internal/memories"
	"memoir/internal/sync/agentdir"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/indexfile"
	"memoir/internal/sync/ops"
	"memoir/internal/sync/publish"
	"memoir/internal/sync/scan"
)

// The types of the Engine's methods. Callers of the engine import no package below it.
type (
	About             = agentdir.About
	Adoption          = ops.Adoption
	ClaudeMDSizes     = publish.ClaudeMDSizes
	ConsolidationLock = agentdir.ConsolidationLock
	Conversations     = agentdir.Conversations
	DeletionPreview   = publish.DeletionPreview
	Destination       = ops.Destination
	Disk              = agenttx.Disk
	Draft             = memories.Draft
	Edit              = publish.Edit
	Flawed            = ops.Flawed
	Index             = indexfile.View
	IndexChange       = indexfile.IndexChange
	ListedFile        = agentdir.ListedFile
	LogEntry          = agentdir.LogEntry
	Logged            = agentdir.Logged
	MemoryRef         = ops.MemoryRef
	Patch             = memories.Patch
	Preview           = publish.Preview
	Result            = ops.Result
	ScanProblem       = scan.Problem
	ScanResult        = scan.Result
)

// The errors that callers of the Engine test for.
var (
	ErrInvalidPath = agenttx.ErrInvalidPath
	ErrNoFile      = agenttx.ErrNoFile
	ErrOutOfFiles  = agenttx.ErrOutOfFiles
	ErrStopping    = agenttx.ErrStopping
)

// As returns a context in which changes are journaled as the actor's.
func As(ctx context.Context, actor memories.Actor) context.Context { return agenttx.As(ctx, actor) }

// ETag returns the strong entity tag of a memory, quotes included.
func ETag(m memories.Memory) string { return ops.ETag(m) }

// RunsAs returns the name of the user that this process runs as.
func RunsAs() string { return scan.RunsAs() }
