package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"memoir/internal/findings"
	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/model"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// JobKind is the kind of the jobs that ask the model.
const JobKind = "review"

// judgeKey is the key of these jobs, so that an agent has one at most.
const judgeKey = "verdicts"

const (
	// maxQuestions is the number of questions of one job, and maxJudging the time after which it asks
	// no further one (arbitrary). The next examination enqueues another job.
	maxQuestions = 20
	maxJudging   = 5 * time.Minute
	// modelTimeout is the timeout of one answer (arbitrary). No one waits for it.
	modelTimeout = 2 * time.Minute
	// maxAsked is how often the model is asked the same without a usable answer (arbitrary).
	maxAsked = 3
	// maxUnusable is the number of unusable answers in a row that end a job (arbitrary).
	maxUnusable = 5
)

// judge asks the model about pairs of memories and doubtful findings.
type judge struct {
	engine *engine.Engine
	store  Store
	model  model.Model // nil if none is asked
	budget *jobs.Budget
	log    *slog.Logger
	kind   jobs.Kind[judgeArgs]
}

// newJudge returns a judge and registers its job. Without a queue it asks nothing.
func newJudge(e *engine.Engine, store Store, options Options) *judge {
	j := &judge{engine: e, store: store, budget: jobs.NewBudget(store, JobKind, options.DailyTokens), log: options.Log}
	if options.Queue != nil {
		j.model = options.Model
		j.kind = jobs.Register(options.Queue, JobKind, j.run)
	}
	return j
}

// judgeArgs are the arguments of a job. The questions are in the database.
type judgeArgs struct{}

// judges reports whether a model judges the agent's memories. It does not if the agent's memory is
// off, in Memoir or in Claude Code.
func (j *judge) judges(ctx context.Context, agent records.Agent) (bool, error) {
	if j.model == nil || agent.MemoryOff {
		return false, nil
	}
	about, err := j.engine.About(ctx, agent.Slug)
	return err == nil && !about.IsOff(), err
}

// asking tells if an examination looks for questions to the model.
type asking int

const (
	asksNever asking = iota // the memories are not judged
	asksLater               // the day's tokens are used, so open questions stay
	asksNow
)

// asks returns if an examination of the agent looks for questions. An error about the settings of
// Claude Code is logged and means asksNever, because rules do not depend on it.
func (j *judge) asks(ctx context.Context, agent records.Agent) (asking, error) {
	switch judges, err := j.judges(ctx, agent); {
	case err != nil:
		j.log.Warn("memories not checked by the model", "agent", agent.Slug, "error", err)
		return asksNever, ctx.Err()
	case !judges:
		return asksNever, nil
	}
	if hasTokens, err := j.budget.HasTokens(ctx); err != nil || !hasTokens {
		return asksLater, err
	}
	return asksNow, nil
}

// schedule makes questions the agent's open ones, except with asksLater, and enqueues a job that asks
// them, as jobs.EnqueueNext does.
func (j *judge) schedule(ctx context.Context, agent records.Agent, asks asking, questions []records.ReviewQuestion) error {
	if asks == asksLater {
		b, err := j.nextBatch(ctx, agent)
		if err != nil || len(b.questions) == 0 {
			return err
		}
	} else if err := j.store.SaveReviewQuestions(ctx, agent.ID, questions); err != nil || len(questions) == 0 {
		return err
	}
	return j.kind.EnqueueNext(ctx, agent, judgeArgs{}, judgeKey, j.budget) // the end of a job causes an examination
}

// run is the work of the job that asks the model. It asks open questions until none are left, the
// day's tokens are used, or a limit of the job is reached. It saves each answer at once, so that a
// repeated job does not ask again. The result has the used tokens, also with an error.
func (j *judge) run(ctx context.Context, job jobs.Job, _ judgeArgs) (result jobs.Result, err error) {
	defer func() { j.budget.Record(result) }()
	agent, err := j.store.AgentUncounted(ctx, job.Slug)
	if errors.Is(err, memories.ErrNotFound) {
		return result, jobs.Permanent(err)
	}
	if err != nil {
		return result, err
	}
	if judges, err := j.judges(ctx, agent); err != nil || !judges {
		result.Message = "The agent's memory is switched off, or no model is configured; nothing was judged."
		return result, err
	}
	judged, unusable := 0, 0
	started := time.Now()
	for range maxQuestions {
		if time.Since(started) > maxJudging {
			break
		}
		hasTokens, err := j.budget.HasTokens(ctx)
		if err != nil {
			return result, err
		}
		if !hasTokens {
			result.Message = fmt.Sprintf("Judged %d. The rest waits until tomorrow (UTC): today's %d tokens are used (--review-daily-tokens).", judged, j.budget.Daily())
			return result, nil
		}
		b, err := j.nextBatch(ctx, agent)
		if err != nil {
			return result, err
		}
		if len(b.questions) == 0 {
			break
		}
		verdicts, err := j.ask(ctx, b, &result)
		if err != nil && verdicts == nil {
			return result, err
		}
		if saveErr := j.store.SaveReviewVerdicts(ctx, agent.ID, verdicts, records.Now()); saveErr != nil {
			return result, saveErr
		}
		if err == nil {
			judged, unusable = judged+len(b.questions), 0
			continue
		}
		if unusable++; unusable == maxUnusable {
			return result, err
		}
	}
	result.Message = fmt.Sprintf("Judged %d pairs and findings.", judged)
	return result, nil
}

// errUnusable means that an answer has no usable verdict.
var errUnusable = errors.New("the model answered something else than it was asked for")

// ask asks the model about a batch and returns a verdict for each of its questions. Verdict is empty
// if the question is to be asked again. ask adds the used tokens to result. If the model answered
// without a usable verdict, it returns verdicts and an error. Without an answer, verdicts is nil.
func (j *judge) ask(ctx context.Context, b batch, result *jobs.Result) (verdicts []records.ReviewVerdict, err error) {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	answer, err := j.model.Ask(ctx, b.question())
	j.budget.Use(answer.InputTokens + answer.OutputTokens)
	result.InputTokens, result.OutputTokens = result.InputTokens+answer.InputTokens, result.OutputTokens+answer.OutputTokens
	result.Model = cmp.Or(answer.Model, result.Model)
	var failed *model.Error
	if err != nil && (!errors.As(err, &failed) || answer.OutputTokens == 0) {
		return nil, err
	}
	found := b.read(answer.JSON)
	for i, q := range b.questions {
		v, ok := found[i]
		v.ReviewQuestion = q
		if !ok {
			if v.Asked++; v.Asked >= maxAsked {
				v.Verdict = verdictUnknown
			}
		}
		verdicts = append(verdicts, v)
	}
	if err == nil && len(found) == 0 {
		err = errUnusable
	}
	return verdicts, err
}

// nextBatch returns the next questions of the agent that fit into one question to the model, or none
// if nothing is open. It deletes questions about contents that have changed or must not be sent.
func (j *judge) nextBatch(ctx context.Context, agent records.Agent) (batch, error) {
	now := records.Now()
	for _, isPairs := range []bool{false, true} {
		for {
			open, err := j.store.ReviewQuestions(ctx, agent.ID, isPairs, maxBatch)
			if err != nil {
				return batch{}, err
			}
			var ids []string
			for _, q := range open {
				ids = append(ids, q.Memories...)
			}
			texts, err := j.store.ReviewTexts(ctx, agent.ID, now, ids)
			if err != nil {
				return batch{}, err
			}
			b, dropped := newBatch(agent.Slug, open, texts, now)
			if err := j.store.DeleteReviewQuestions(ctx, dropped); err != nil {
				return batch{}, err
			}
			if len(b.questions) > 0 {
				return b, nil
			}
			if len(dropped) == 0 {
				break
			}
		}
	}
	return batch{}, nil
}

// newBatch returns the first questions that fit into one question to the model, and the ids of those
// that cannot be asked. One that had no usable answer is asked alone.
func newBatch(slug string, open []records.ReviewQuestion, texts []records.ReviewText, now time.Time) (b batch, dropped []string) {
	byID := map[string]records.ReviewText{}
	for _, t := range texts {
		if canBeCompared(t) {
			byID[t.ID] = t
		}
	}
	b = batch{now: now}
	size := 0
	for _, q := range open {
		of := make([]records.ReviewText, 0, 2)
		for _, id := range q.Memories {
			if t, ok := byID[id]; ok {
				of = append(of, t)
			}
		}
		if len(of) != len(q.Memories) || len(of) == 0 || itemID(findings.Kind(q.Kind), slug, of...) != q.ID {
			dropped = append(dropped, q.ID)
			continue
		}
		for _, t := range of {
			size += len(t.Name) + len(t.Description) + min(len(t.Body), maxSentBody)
		}
		if len(b.questions) > 0 && (size > maxBatchSize || q.Asked > 0 || b.questions[0].Asked > 0) {
			break
		}
		b.questions, b.texts = append(b.questions, q), append(b.texts, of)
	}
	return b, dropped
}
