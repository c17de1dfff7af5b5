package pages

import (
	"net/http"

	"memoir/internal/pages/kit"
	"memoir/internal/pages/shown"
	engine "memoir/internal/sync"
	"memoir/internal/sync/watch"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// sync shows the result of the last full scan, the number of paths that wait for a scan, and the
// state of each agent's scan. It starts no scan.
func (s *site) sync(w http.ResponseWriter, r *http.Request) error {
	status, err := s.engine.Status(r.Context())
	if err != nil {
		return err
	}
	each, err := s.engine.AgentStatuses(r.Context())
	if err != nil {
		return err
	}
	v := templates.Sync{
		Frame:       ui.Frame{Live: address.EventsPath},
		FilesOnDisk: status.FilesOnDisk, Mirrored: status.Mirrored, NeedsAttention: status.NeedsAttention,
		Pending: status.Pending, WatchMode: "events", WatchNote: "reported by the system", Overflows: status.Overflows,
		LastFullScan: shown.Local(status.LastFullScan), Lag: status.Lag,
		Unsearchable: !s.engine.Searchable(), NearMisses: s.store.NearMisses(),
	}
	last := status.LastScan
	v.LastScan = templates.ScanResult{Files: last.Scanned, Added: last.Added, Updated: last.Updated, Removed: last.Removed, Took: last.Took}
	v.Banners = templates.ScanProblems(scanProblems(status.Problems), engine.RunsAs())
	if status.WatchMode == watch.PollMode {
		v.WatchMode, v.WatchNote = templates.Polling, status.WatchNote
	}
	for _, a := range each {
		v.Agents = append(v.Agents, templates.AgentSync(a))
	}
	if v.Notice, err = s.undoNotice(r); err != nil {
		return err
	}
	if kit.LastAction(r).Get(kit.FieldDone) == doneScanned {
		v.Notice = newNotice("Scanned " + v.LastScan.Words())
	}
	return kit.Show(w, r, http.StatusOK, templates.SyncPage(v))
}

func scanProblems(all []engine.ScanProblem) []templates.ScanProblem {
	views := make([]templates.ScanProblem, len(all))
	for i, p := range all {
		views[i] = templates.ScanProblem(p)
	}
	return views
}

// scan scans all agents, waits for the end, and redirects to the Sync page. If some agents cannot
// be scanned, the others are, and it returns the error.
func (s *site) scan(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.engine.ScanAll(r.Context()); err != nil {
		return err
	}
	return kit.Redirect(w, r, address.SyncPath, doneScanned, "")
}
