package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Package jobs runs background work with River, whose tables are part of the schema. This file has
// the other queries on them.

// Pool returns the connection pool of the store, for package jobs, whose queue makes its own
// statements. The caller must not close it.
func (s *Store) Pool() *pgxpool.Pool { return s.pool.Unrestricted() }

// AddJob calls insert in a transaction that prevents the agent's deletion. insert adds a job, or
// finds an existing one, and returns its id. An unfinished one that it has found gets the new args
// and is delayed until postpone, unless postpone is zero. A job that is due later stays so; a
// running one runs again at postpone. It fails with memories.ErrNotFound if the agent does not
// exist.
func (s *Store) AddJob(ctx context.Context, agentID int64, args []byte, postpone time.Time, insert func(pgx.Tx) (id int64, isNew bool, err error)) error {
	return dberr.Wrap("add the job", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if _, err := q.LockAgentRow(ctx, agentID); err != nil {
			return err
		}
		id, isNew, err := insert(tx)
		if err != nil || isNew || postpone.IsZero() {
			return err
		}
		// The insert has locked the row, so it is unchanged.
		return q.PostponeJob(ctx, queries.PostponeJobParams{ID: id, Args: args, RunAt: postpone, Again: postpone.UnixMicro()})
	}))
}

// CancelRerun cancels the further run of a running job that AddJob has planned for the time at. It
// does nothing if no run, or one at another time, is planned. The running job continues.
func (s *Store) CancelRerun(ctx context.Context, id int64, at time.Time) error {
	return dberr.Wrap("begin the job", s.q.CancelRerun(ctx, queries.CancelRerunParams{ID: id, Again: at.UnixMicro()}))
}

// FinishJob calls finish in a transaction that locks the job's row, and returns its error. If the
// job is to run again, it does not call finish, and returns the time of that run; otherwise again
// is zero. It fails with memories.ErrNotFound if the server no longer runs this attempt of the job.
func (s *Store) FinishJob(ctx context.Context, id int64, attempt int, server string, finish func(pgx.Tx) error) (again time.Time, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		at, err := s.q.WithTx(tx).LockRunningJob(ctx, queries.LockRunningJobParams{ID: id, Attempt: int16(attempt), Server: server})
		if err != nil {
			return err
		}
		if at != 0 {
			again = time.UnixMicro(at)
			return nil
		}
		return finish(tx)
	})
	return again, dberr.Wrap("finish the job", err)
}

// EndJob ends a job that has failed permanently, in the transaction tx, which the caller commits.
// It saves state, one of River's final states, the current time and the output. It does nothing if
// the id is unknown.
func (s *Store) EndJob(ctx context.Context, tx pgx.Tx, id int64, state string, output []byte) error {
	return dberr.Wrap("end the job", s.q.WithTx(tx).EndJob(ctx, queries.EndJobParams{ID: id, State: state, Output: output}))
}

// HasOtherJobServer reports whether a server other than server has sent a heartbeat less than
// timeout ago.
func (s *Store) HasOtherJobServer(ctx context.Context, server string, timeout time.Duration) (bool, error) {
	other, err := s.q.OtherJobServer(ctx, queries.OtherJobServerParams{ID: server, Silence: timeout.Seconds()})
	return other, dberr.Wrap("look for other servers", err)
}

// SaveJobServer saves a heartbeat of server, frees abandoned running jobs, and returns their
// number. A job of server is abandoned if it started more than timeout ago and is not in working. A
// job of another server is abandoned if that one has been silent for timeout; this needs heartbeats
// of server for timeout. A freed job becomes available, or discarded if it has no attempts left.
// Its output gets problem.
func (s *Store) SaveJobServer(ctx context.Context, server string, timeout time.Duration, working []int64, problem string) (freed int, err error) {
	canJudge, err := s.q.SaveJobServer(ctx, queries.SaveJobServerParams{ID: server, Silence: timeout.Seconds()})
	if err != nil {
		return 0, dberr.Wrap("say that this server lives", err)
	}
	ids, err := s.q.FreeJobs(ctx, queries.FreeJobsParams{
		Problem: problem, Server: server, Silence: timeout.Seconds(), Working: working, Others: canJudge,
	})
	return len(ids), dberr.Wrap("free jobs", err)
}

// WakeMisconfiguredJobs makes all jobs of all agents due now that failed because of a setting and
// wait for their next attempt. It is called after a start, because the setting may have changed.
func (s *Store) WakeMisconfiguredJobs(ctx context.Context) error {
	return dberr.Wrap("wake jobs", s.q.WakeMisconfiguredJobs(ctx))
}

// DeleteJobServer deletes the heartbeat of server, which stops, and those of servers that were
// silent for a day. It does not change their jobs.
func (s *Store) DeleteJobServer(ctx context.Context, server string) error {
	return dberr.Wrap("say that this server stops", s.q.DeleteJobServer(ctx, server))
}

// Jobs returns at most most jobs of an agent. The unfinished ones are first, the latest created
// first; the finished ones follow, the latest finished first.
func (s *Store) Jobs(ctx context.Context, agentID int64, most int) ([]records.Job, error) {
	rows, err := s.q.Jobs(ctx, queries.JobsParams{AgentID: agentID, Most: int32(most)})
	return dbconv.Rows("list jobs", rows, err, func(row queries.JobsRow) records.Job {
		return records.Job{
			ID: row.ID, Kind: row.Kind, State: row.State, Key: row.Key, Attempts: int(row.Attempt), CreatedAt: row.CreatedAt.UTC(),
			RunAt: row.ScheduledAt.UTC(), FinishedAt: dbconv.TimeOrZero(row.FinalizedAt), Output: row.Output,
		}
	})
}

// JobTokens returns the sums of the language model's tokens that an agent's jobs have used, by the
// day (UTC) of their last run, oldest first. It omits runs before since, and days without jobs.
func (s *Store) JobTokens(ctx context.Context, agentID int64, since time.Time) ([]records.DayTokens, error) {
	rows, err := s.q.JobTokens(ctx, queries.JobTokensParams{AgentID: agentID, Since: since})
	return dbconv.Rows("sum up tokens", rows, err, func(row queries.JobTokensRow) records.DayTokens {
		return records.DayTokens{Day: row.Day.Time, Input: row.Input, Output: row.Output}
	})
}

// TokensOfKind returns how many tokens of language models the jobs of a kind have used in runs since
// a time, for all agents. All tokens of a job count for its last run.
func (s *Store) TokensOfKind(ctx context.Context, kind string, since time.Time) (int64, error) {
	tokens, err := s.q.TokensOfKind(ctx, queries.TokensOfKindParams{Kind: kind, Since: since})
	return tokens, dberr.Wrap("sum up tokens", err)
}
