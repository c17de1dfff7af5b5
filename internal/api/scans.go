package api

import (
	"context"
	"time"

	"memoir/internal/sync"
)

// Scan says what a scan found.
type Scan struct {
	Scanned        int   `json:"scanned" doc:"Memory files on disk."`
	Added          int   `json:"added" doc:"Memories."`
	Updated        int   `json:"updated"`
	Removed        int   `json:"removed"`
	NeedsAttention int   `json:"needs_attention"`
	TookMS         int64 `json:"took_ms" doc:"Milliseconds."`
}

// Sync is how close the mirror is to the disk.
type Sync struct {
	FilesOnDisk    int        `json:"files_on_disk"`
	Mirrored       int        `json:"mirrored"`
	NeedsAttention int        `json:"needs_attention"`
	Pending        int        `json:"pending" doc:"Paths that wait to be looked at."`
	WatchMode      string     `json:"watch_mode" enum:"watch,poll"`
	WatchNote      *string    `json:"watch_note" doc:"Why not every change is told of by the system; null when it is."`
	Overflows      int        `json:"overflows" doc:"How often events were lost and everything was looked at again."`
	LastFullScan   *time.Time `json:"last_full_scan"`
	LagMS          int64      `json:"lag_ms" doc:"Milliseconds from the last change to the end of the look at it."`

	RunsAs   string        `json:"runs_as" doc:"The user that Memoir runs as."`
	Problems []ScanProblem `json:"problems" doc:"The agents and directories that cannot be scanned. Empty when everything is."`
}

// ScanProblem is an agent that cannot be scanned, or a directory that cannot be read.
type ScanProblem struct {
	Agent  *string `json:"agent" doc:"The slug of the agent; null for a directory of no known agent."`
	Path   *string `json:"path" doc:"The directory that cannot be read, absolute; null where the whole scan fails."`
	Owner  *string `json:"owner" doc:"The user that owns the directory; null where that is unknown."`
	Reason string  `json:"reason"`
}

// AgentSync is how close the mirror of one agent is to its directory.
type AgentSync struct {
	Slug           string  `json:"slug"`
	Name           string  `json:"name"`
	Present        bool    `json:"present" doc:"Its directory is there."`
	FilesOnDisk    int     `json:"files_on_disk"`
	Mirrored       int     `json:"mirrored"`
	NeedsAttention int     `json:"needs_attention" doc:"Memories."`
	Missing        int     `json:"missing" doc:"Memories that are held, because most of them went at once."`
	Pending        int     `json:"pending" doc:"Paths that wait to be looked at."`
	Problem        *string `json:"problem" doc:"Why its CLAUDE.md is not up to date; null when it is."`
	Elsewhere      bool    `json:"elsewhere" doc:"Another server of the same database looks after it."`
	ScanProblem    *string `json:"scan_problem" doc:"Why it is not scanned, or not all of it: its scan fails or takes too long, or a directory in it cannot be read; null when all of it is."`
}

// AgentSyncList is how close the mirror of each agent is.
type AgentSyncList struct {
	Agents []AgentSync `json:"agents"`
}

func (a *api) registerScans() {
	register(a, post("/scan", "scan-all", "Scan all agents now; the answer comes when it is done"), a.scanAll)
	register(a, post("/agents/{slug}/scan", "scan-agent", "Scan an agent now; the answer comes when it is done"), a.scanAgent)
	register(a, get("/sync", "get-sync", "Show how far the database matches the disk"), a.getSync)
	register(a, get("/sync/agents", "list-sync-of-agents", "Show for each agent how far the database matches its directory"), a.listAgentSyncs)
}

func (a *api) scanAll(ctx context.Context, _ *struct{}) (*answer[Scan], error) {
	scan, err := a.engine.ScanAll(ctx)
	return ok(scanOf(scan)), err
}

func (a *api) scanAgent(ctx context.Context, in *AgentPath) (*answer[Scan], error) {
	scan, err := a.engine.Scan(ctx, in.Slug)
	return ok(scanOf(scan)), err
}

func (a *api) getSync(ctx context.Context, _ *struct{}) (*answer[Sync], error) {
	status, err := a.engine.Status(ctx)
	problems := make([]ScanProblem, len(status.Problems))
	for i, p := range status.Problems {
		problems[i] = ScanProblem{Agent: text(p.Agent), Path: text(p.Path), Owner: text(p.Owner), Reason: p.Reason}
	}
	return ok(Sync{
		FilesOnDisk: status.FilesOnDisk, Mirrored: status.Mirrored, NeedsAttention: status.NeedsAttention,
		Pending: status.Pending, WatchMode: status.WatchMode, WatchNote: text(status.WatchNote), Overflows: status.Overflows,
		LastFullScan: moment(status.LastFullScan), LagMS: status.Lag.Milliseconds(),
		RunsAs: sync.RunsAs(), Problems: problems,
	}), err
}

func (a *api) listAgentSyncs(ctx context.Context, _ *struct{}) (*answer[AgentSyncList], error) {
	statuses, err := a.engine.AgentStatuses(ctx)
	all := make([]AgentSync, len(statuses))
	for i, s := range statuses {
		all[i] = AgentSync{
			Slug: s.Slug, Name: s.Name, Present: s.Present, FilesOnDisk: s.FilesOnDisk, Mirrored: s.Mirrored,
			NeedsAttention: s.NeedsAttention, Missing: s.Missing, Pending: s.Pending, Problem: text(s.Problem),
			Elsewhere: s.Elsewhere, ScanProblem: text(s.ScanProblem),
		}
	}
	return ok(AgentSyncList{all}), err
}

func scanOf(s sync.Scan) Scan {
	return Scan{
		Scanned: s.Scanned, Added: s.Added, Updated: s.Updated, Removed: s.Removed, NeedsAttention: s.NeedsAttention,
		TookMS: s.Took.Milliseconds(),
	}
}
