package askedas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"memoir/internal/findings/quarantine"
	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
	"memoir/internal/model"
	"memoir/internal/records"
)

// JobKind is the kind of the jobs that ask the model.
const JobKind = "questions"

// jobKey is the key of these jobs, so that an agent has one at most.
const jobKey = "phrases"

const (
	// maxRounds is the number of batches of one job, and maxWriting the time after which it begins no
	// further one (arbitrary). Another job follows.
	maxRounds  = 40
	maxWriting = 5 * time.Minute
	// modelTimeout is the timeout of one answer (arbitrary). No one waits for it.
	modelTimeout = 2 * time.Minute
	// maxUnusable is the number of unusable answers in a row that end a job (arbitrary).
	maxUnusable = 5
	// maxPrompts is the number of recent prompts that show the model the languages (arbitrary).
	maxPrompts = 20
)

// jobArgs are the arguments of a job. The memories are in the database.
type jobArgs struct{}

// run is the work of the job that asks the model. It writes phrases until no memory lacks some, the
// day's tokens are used, or a limit of the job is reached. It saves each answer at once, so that a
// repeated job does not ask again. The result has the used tokens, also with an error.
func (w *Writer) run(ctx context.Context, job jobs.Job, _ jobArgs) (result jobs.Result, err error) {
	defer func() { w.budget.Record(result) }()
	agent, err := w.store.AgentUncounted(ctx, job.Slug)
	if errors.Is(err, memories.ErrNotFound) {
		return result, jobs.Permanent(err)
	}
	if err != nil {
		return result, err
	}
	if writes, err := w.writes(ctx, agent); err != nil || !writes {
		result.Message = "The agent's memory is switched off; no questions were written."
		return result, err
	}
	prompts, err := w.prompts(ctx, agent)
	if err != nil {
		return result, err
	}
	written, unusable, alone := 0, 0, map[uuid.UUID]bool{}
	started := time.Now()
	for range maxRounds {
		if time.Since(started) > maxWriting {
			break
		}
		texts, err := w.toAsk(ctx, agent)
		if err != nil {
			return result, err
		}
		if len(texts) == 0 {
			break
		}
		hasTokens, err := w.budget.HasTokens(ctx)
		if err != nil {
			return result, err
		}
		if !hasTokens {
			result.Message = fmt.Sprintf("Wrote questions for %s. The rest waits until tomorrow (UTC): today's %d tokens are used (--asked-as-daily-tokens).", counted(written), w.budget.Daily())
			return result, nil
		}
		b := batchOf(texts, prompts, alone)
		phrases, err := w.ask(ctx, b, &result)
		if err != nil {
			return result, err
		}
		if err := w.store.SaveModelPhrases(ctx, b.answered(phrases, alone)); err != nil {
			return result, err
		}
		written += len(phrases)
		if len(phrases) > 0 {
			unusable = 0
		} else if unusable++; unusable == maxUnusable {
			return result, errUnusable
		}
	}
	result.Message = fmt.Sprintf("Wrote questions for %s.", counted(written))
	return result, nil
}

func counted(n int) string { return memtext.Counted(n, "memory", "memories") }

// errUnusable means that answers had no usable phrases.
var errUnusable = errors.New("the model answered something else than it was asked for")

// ask asks the model about a batch, and returns usable phrases by memory. It adds the used tokens to
// result. An answer without any is no error.
func (w *Writer) ask(ctx context.Context, b batch, result *jobs.Result) (map[uuid.UUID][]string, error) {
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	answer, err := w.model.Ask(ctx, b.question())
	w.budget.Use(answer.InputTokens + answer.OutputTokens)
	result.InputTokens, result.OutputTokens = result.InputTokens+answer.InputTokens, result.OutputTokens+answer.OutputTokens
	result.Model = cmp.Or(answer.Model, result.Model)
	var failed *model.Error
	if err != nil && (!errors.As(err, &failed) || answer.OutputTokens == 0) {
		return nil, err
	}
	return b.read(answer.JSON), nil
}

// toAsk returns the next memories of the agent for the model. Those with a secret, which a person has
// let in, are never sent and get no phrases. Those with the text of another memory get its phrases.
func (w *Writer) toAsk(ctx context.Context, agent records.Agent) ([]records.TextToAsk, error) {
	for {
		texts, err := w.store.TextsToAsk(ctx, agent.ID, maxBatch)
		if err != nil || len(texts) == 0 {
			return nil, err
		}
		known, err := w.store.PhrasesOfTexts(ctx, texts)
		if err != nil {
			return nil, err
		}
		var asked []records.TextToAsk
		var settled []records.Phrases
		for _, t := range texts {
			phrases, isKnown := known[t.ID]
			if whole := t.Name + "\n" + t.Description + "\n" + t.Body; isKnown || quarantine.MaskSecrets(whole) != whole {
				settled = append(settled, records.Phrases{MemoryID: t.ID, Fingerprint: t.Fingerprint, Phrases: phrases})
			} else {
				asked = append(asked, t)
			}
		}
		if err := w.store.SaveModelPhrases(ctx, settled); err != nil || len(asked) > 0 {
			return asked, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// prompts returns the last different prompts of the agent's recalls, without those that have a secret
// or an order.
func (w *Writer) prompts(ctx context.Context, agent records.Agent) (prompts []string, err error) {
	page, err := w.store.Recalls(ctx, records.RecallList{AgentID: agent.ID, Limit: 5 * maxPrompts})
	for _, r := range page.Recalls {
		if len(prompts) < maxPrompts && quarantine.IsClean(r.Query) {
			prompts = memories.AddPhrase(prompts, memtext.CutRunes(memories.CleanPhrase(r.Query), memories.MaxPhraseLength))
		}
	}
	return prompts, err
}
