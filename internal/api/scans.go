package api

import (
	"context"
	"time"

	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// Scan is the result of a scan: the number of files and of changed memories.
type Scan struct {
	Scanned        int   `json:"scanned" doc:"Memory files on disk."`
	Added          int   `json:"added" doc:"Memories."`
	Updated        int   `json:"updated"`
	Removed        int   `json:"removed"`
	NeedsAttention int   `json:"needs_attention"`
	TookMS         int64 `json:"took_ms" doc:"Milliseconds."`
}

// Sync is the state of the mirror: counts of files and memories, the watch mode, and scan problems.
type Sync struct {
	FilesOnDisk    int        `json:"files_on_disk"`
	Mirrored       int        `json:"mirrored"`
	NeedsAttention int        `json:"needs_attention"`
	Pending        int        `json:"pending" doc:"Paths that wait for a scan."`
	WatchMode      string     `json:"watch_mode" enum:"watch,poll"`
	WatchNote      *string    `json:"watch_note" doc:"Why events do not report every change; null if they do."`
	Overflows      int        `json:"overflows" doc:"Number of times that events were lost. Each starts a full scan."`
	LastFullScan   *time.Time `json:"last_full_scan"`
	LagMS          int64      `json:"lag_ms" doc:"Milliseconds from the last change to the end of its scan."`

	Backup *BackupStatus `json:"backup" doc:"The scheduled backups; null without --backup-dir."`

	RunsAs   string        `json:"runs_as" doc:"The user that Memoir runs as."`
	Problems []ScanProblem `json:"problems" doc:"Agents and directories that cannot be scanned. Empty if there are none."`
}

// ScanProblem is an agent that cannot be scanned, or a directory that cannot be read.
type ScanProblem struct {
	Agent  *string `json:"agent" doc:"Slug of the agent; null for a directory of an unknown agent."`
	Path   *string `json:"path" doc:"Absolute path of the unreadable directory; null if the whole scan fails."`
	Owner  *string `json:"owner" doc:"Owner of the directory; null if unknown."`
	Reason string  `json:"reason"`
}

// AgentSync is the state of the mirror of one agent.
type AgentSync struct {
	Slug           string  `json:"slug"`
	Name           string  `json:"name"`
	Present        bool    `json:"present" doc:"Whether the agent's directory exists."`
	FilesOnDisk    int     `json:"files_on_disk"`
	Mirrored       int     `json:"mirrored"`
	NeedsAttention int     `json:"needs_attention" doc:"Memories."`
	Missing        int     `json:"missing" doc:"Memories whose files disappeared together, until a decision."`
	Pending        int     `json:"pending" doc:"Paths that wait for a scan."`
	Problem        *string `json:"problem" doc:"Why the agent's CLAUDE.md is not up to date; null if it is."`
	Elsewhere      bool    `json:"elsewhere" doc:"Whether another server of the same database writes this agent."`
	ScanProblem    *string `json:"scan_problem" doc:"Why the agent is not, or not completely, scanned: its scan fails or is slow, or a directory is unreadable. Null if there is no problem."`
}

// AgentSyncList is the state of the mirror of each agent.
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
		problems[i] = ScanProblem{Agent: wire.Text(p.Agent), Path: wire.Text(p.Path), Owner: wire.Text(p.Owner), Reason: p.Reason}
	}
	return ok(Sync{
		FilesOnDisk: status.FilesOnDisk, Mirrored: status.Mirrored, NeedsAttention: status.NeedsAttention,
		Pending: status.Pending, WatchMode: status.WatchMode, WatchNote: wire.Text(status.WatchNote), Overflows: status.Overflows,
		LastFullScan: wire.Moment(status.LastFullScan), LagMS: status.Lag.Milliseconds(),
		Backup: a.backupStatus(time.Now()), RunsAs: engine.RunsAs(), Problems: problems,
	}), err
}

func (a *api) listAgentSyncs(ctx context.Context, _ *struct{}) (*answer[AgentSyncList], error) {
	statuses, err := a.engine.AgentStatuses(ctx)
	all := make([]AgentSync, len(statuses))
	for i, s := range statuses {
		all[i] = AgentSync{
			Slug: s.Slug, Name: s.Name, Present: s.Present, FilesOnDisk: s.FilesOnDisk, Mirrored: s.Mirrored,
			NeedsAttention: s.NeedsAttention, Missing: s.Missing, Pending: s.Pending, Problem: wire.Text(s.Problem),
			Elsewhere: s.Elsewhere, ScanProblem: wire.Text(s.ScanProblem),
		}
	}
	return ok(AgentSyncList{all}), err
}

func scanOf(s engine.ScanResult) Scan {
	return Scan{
		Scanned: s.Scanned, Added: s.Added, Updated: s.Updated, Removed: s.Removed, NeedsAttention: s.NeedsAttention,
		TookMS: s.Took.Milliseconds(),
	}
}
