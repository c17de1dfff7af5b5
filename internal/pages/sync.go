package pages

import (
	"net/http"

	"memoir/internal/sync"
	"memoir/web/templates"
)

// sync shows how well Memoir and the disk agree.
func (s *site) sync(w http.ResponseWriter, r *http.Request) error {
	status, err := s.engine.Status(r.Context())
	if err != nil {
		return err
	}
	v := templates.Sync{
		Frame:       templates.Frame{Live: templates.EventsPath},
		FilesOnDisk: status.FilesOnDisk, Mirrored: status.Mirrored, NeedsAttention: status.NeedsAttention,
		Pending: status.Pending, WatchMode: "events", Overflows: status.Overflows,
		LastFullScan: local(status.LastFullScan), Lag: status.Lag,
	}
	if status.WatchMode == sync.PollMode {
		v.WatchMode = "polling"
		v.WatchNote = "the system has no more watches to give, or a file system that sends no events; Memoir looks again and again instead"
	}
	if r.URL.Query().Get(fieldDone) == doneScanned {
		v.Notice = said("Everything was looked at.")
	}
	return show(w, r, http.StatusOK, templates.SyncPage(v))
}
