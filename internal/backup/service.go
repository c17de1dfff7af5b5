package backup

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/backup/archive"
	"memoir/internal/postgres/dump"
)

// ErrRunning means that another backup of this server is running.
var ErrRunning = errors.New("another backup is running")

// Service makes backups of a running server, one at a time.
type Service struct {
	pool    *pgxpool.Pool
	version string
	running sync.Mutex
}

// New returns a service for the database of a pool. version is the program's.
func New(pool *pgxpool.Pool, version string) *Service { return &Service{pool: pool, version: version} }

// Running is a backup that has begun. The caller must call Close.
type Running struct {
	service  *Service
	snapshot *dump.Snapshot
	closing  sync.Once
}

// Begin begins a backup. It will contain everything that was acknowledged before the call. It fails
// with ErrRunning, or memories.ErrUnavailable without the database.
func (s *Service) Begin(ctx context.Context) (*Running, error) {
	if !s.running.TryLock() {
		return nil, ErrRunning
	}
	snapshot, err := dump.Take(ctx, s.pool)
	if err != nil {
		s.running.Unlock()
		return nil, err
	}
	return &Running{service: s, snapshot: snapshot}, nil
}

// Write writes the archive. It can be called once. After an error the archive is incomplete.
func (r *Running) Write(ctx context.Context, w io.Writer) (archive.Manifest, error) {
	return take(ctx, w, r.snapshot, r.service.version)
}

// Close ends the backup.
func (r *Running) Close() {
	r.closing.Do(func() {
		r.snapshot.Close()
		r.service.running.Unlock()
	})
}
