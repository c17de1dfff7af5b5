package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"memoir/internal/backup"
	"memoir/internal/backup/archive"
	"memoir/internal/gate"
	"memoir/internal/problem"
	"memoir/internal/wire"
)

// BackupStatus is the state of the scheduled backups.
type BackupStatus struct {
	Dir          string     `json:"dir" doc:"Directory of the backups."`
	EverySeconds int64      `json:"every_seconds" doc:"Time between two backups."`
	LastAt       *time.Time `json:"last_at" doc:"When the newest backup was made; null without one."`
	LastFile     *string    `json:"last_file" doc:"Absolute path of the newest backup; null without one."`
	LastSize     int64      `json:"last_size" doc:"Its size in bytes."`
	Overdue      bool       `json:"overdue" doc:"The last attempt failed, or the newest backup is older than two intervals."`
	FailedAt     *time.Time `json:"failed_at" doc:"When the last attempt failed; null if it did not."`
	Problem      *string    `json:"problem" doc:"Why the last attempt failed; null if it did not."`
}

// backupStatus returns the state of the scheduled backups, or nil if there are none.
func (a *api) backupStatus(now time.Time) *BackupStatus {
	if a.options.Backups.Scheduled == nil {
		return nil
	}
	s := a.options.Backups.Scheduled()
	return &BackupStatus{
		Dir: s.Dir, EverySeconds: int64(s.Every.Seconds()), LastAt: wire.Moment(s.LastAt), LastFile: wire.Text(s.LastFile), LastSize: s.LastSize,
		Overdue: s.IsOverdue(now), FailedAt: wire.Moment(s.FailedAt), Problem: wire.Text(s.Problem),
	}
}

// Backups makes backups of the server.
type Backups struct {
	// Service makes a backup on request. If it is nil, the call fails with 409.
	Service *backup.Service
	// Scheduled returns the state of the scheduled backups. It is nil if there are none.
	Scheduled func() backup.Status
}

// backupType is the media type of a backup.
const backupType = "application/zstd"

func (a *api) registerBackup() {
	op := get("/backup", "get-backup", "Download a backup of everything, for memoir restore", http.StatusConflict)
	op.Responses = map[string]*huma.Response{"200": {
		Description: "A tar, compressed with Zstandard. It is complete only if its last entry is manifest.json.",
		Content:     map[string]*huma.MediaType{backupType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}}
	register(a, op, a.getBackup)
}

// getBackup returns a backup as a stream. It contains everything that was acknowledged before the
// call. If it fails after it has begun, the connection is closed, so that the client notices.
func (a *api) getBackup(ctx context.Context, _ *struct{}) (*eventStream, error) {
	switch {
	case gate.ReadOnly(ctx):
		return nil, huma.Error403Forbidden("A backup has everything, also secrets. The read-only token does not give it. Use the value of --token.")
	case a.options.Backups.Service == nil:
		return nil, problem.New(http.StatusConflict, "This server makes no backups.")
	}
	running, err := a.options.Backups.Service.Begin(ctx)
	if errors.Is(err, backup.ErrRunning) {
		return nil, problem.New(http.StatusConflict, "Another backup is running. Try again when it is done.").RetryAfter(problem.RetrySeconds)
	}
	if err != nil {
		return nil, err
	}
	return &eventStream{func(ctx huma.Context) {
		defer running.Close()
		request, w := humachi.Unwrap(ctx)
		w.Header().Set("Content-Type", backupType)
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": archive.FileName(time.Now())}))
		w.WriteHeader(http.StatusOK)
		a.sendFile(w, request, "backup not completed", func(ctx context.Context, out io.Writer) error {
			_, err := running.Write(ctx, out)
			return err
		})
	}}, nil
}
