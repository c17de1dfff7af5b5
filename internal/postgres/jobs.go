package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Background work is River's, in tables of its own beside ours; package jobs runs it. Here is what it needs of the database
// besides, and what is shown of it.

// Pool returns the connections of the store for package jobs, whose queue makes its own statements. Nothing else is to use it.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// AddJob adds a job for an agent in one transaction. insert adds it, or finds the one that is there, and returns its id. If postpone is not
// zero and there was one, that one is moved out to this time, with args in place of its own; while it is running, it is to run again then.
// AddJob fails with memories.ErrNotFound where there is no such agent any more.
func (s *Store) AddJob(ctx context.Context, agentID int64, args []byte, postpone time.Time, insert func(pgx.Tx) (id int64, isNew bool, err error)) error {
	return wrap("add the job", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if _, err := q.HoldAgent(ctx, agentID); err != nil {
			return err
		}
		id, isNew, err := insert(tx)
		if err != nil || isNew || postpone.IsZero() {
			return err
		}
		// Looking for another has locked its row, so that it is still as it was found.
		return q.PostponeJob(ctx, queries.PostponeJobParams{ID: id, Args: args, RunAt: postpone, Again: postpone.UnixMicro()})
	}))
}

// TakeAgain takes back that a job is to run again at that time, because now it does. Another time stays.
func (s *Store) TakeAgain(ctx context.Context, id int64, at time.Time) error {
	return wrap("begin the job", s.q.TakeAgain(ctx, queries.TakeAgainParams{ID: id, Again: at.UnixMicro()}))
}

// FinishJob finishes a job in one transaction, by calling finish, unless it is to run again: then it returns when. It does neither, and
// fails with memories.ErrNotFound, when this attempt of this server is not at it any more.
func (s *Store) FinishJob(ctx context.Context, id int64, attempt int, server string, finish func(pgx.Tx) error) (again time.Time, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		at, err := s.q.WithTx(tx).HoldRunningJob(ctx, queries.HoldRunningJobParams{ID: id, Attempt: int16(attempt), Server: server})
		if err != nil {
			return err
		}
		if at != 0 {
			again = time.UnixMicro(at)
			return nil
		}
		return finish(tx)
	})
	return again, wrap("finish the job", err)
}

// EndJob ends a job that has failed for good, in a transaction of FinishJob. state is River's word for it, and output what is kept.
func (s *Store) EndJob(ctx context.Context, tx pgx.Tx, id int64, state string, output []byte) error {
	return wrap("end the job", s.q.WithTx(tx).EndJob(ctx, queries.EndJobParams{ID: id, State: state, Output: output}))
}

// HasOtherJobServer says whether another server has said within that time that it lives.
func (s *Store) HasOtherJobServer(ctx context.Context, server string, silence time.Duration) (bool, error) {
	other, err := s.q.OtherJobServer(ctx, queries.OtherJobServerParams{ID: server, Silence: silence.Seconds()})
	return other, wrap("look for other servers", err)
}

// JobServerLives says for the others that a server lives, and frees jobs that nobody is at any more: those of servers that have been silent
// for so long, and those of this one that are not among working. problem is what they say about it.
func (s *Store) JobServerLives(ctx context.Context, server string, silence time.Duration, working []int64, problem string) (freed int, err error) {
	settled, err := s.q.JobServerLives(ctx, queries.JobServerLivesParams{ID: server, Silence: silence.Seconds()})
	if err != nil {
		return 0, wrap("say that this server lives", err)
	}
	ids, err := s.q.FreeJobs(ctx, queries.FreeJobsParams{
		Problem: problem, Server: server, Silence: silence.Seconds(), Working: working, Others: settled,
	})
	return len(ids), wrap("free jobs", err)
}

// WakeMisconfiguredJobs makes the jobs due that wait until a person has changed a setting. It is called after a start.
func (s *Store) WakeMisconfiguredJobs(ctx context.Context) error {
	return wrap("wake jobs", s.q.WakeMisconfiguredJobs(ctx))
}

// JobServerStops says that a server is at no job any more.
func (s *Store) JobServerStops(ctx context.Context, server string) error {
	return wrap("say that this server stops", s.q.DeleteJobServer(ctx, server))
}

// Jobs returns an agent's jobs, as many as most: those that are not finished, then the others, the latest first.
func (s *Store) Jobs(ctx context.Context, agentID int64, most int) ([]records.Job, error) {
	rows, err := s.q.Jobs(ctx, queries.JobsParams{AgentID: agentID, Most: int32(most)})
	if err != nil {
		return nil, wrap("list jobs", err)
	}
	jobs := make([]records.Job, len(rows))
	for i, row := range rows {
		jobs[i] = records.Job{
			ID: row.ID, Kind: row.Kind, State: row.State, Key: row.Key, Attempts: int(row.Attempt), CreatedAt: row.CreatedAt.UTC(),
			RunAt: row.ScheduledAt.UTC(), FinishedAt: moment(row.FinalizedAt), Output: row.Output,
		}
	}
	return jobs, nil
}

// JobTokens returns what an agent's jobs have cost since then, by the day on which each was last at work; days without any are left out.
func (s *Store) JobTokens(ctx context.Context, agentID int64, since time.Time) ([]records.DayTokens, error) {
	rows, err := s.q.JobTokens(ctx, queries.JobTokensParams{AgentID: agentID, Since: since})
	if err != nil {
		return nil, wrap("sum up tokens", err)
	}
	days := make([]records.DayTokens, len(rows))
	for i, row := range rows {
		days[i] = records.DayTokens{Day: row.Day.Time, Input: row.Input, Output: row.Output}
	}
	return days, nil
}
