package embedding

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
)

const (
	// maxBatch is the largest number of texts in one request (arbitrary). A request should take less
	// than slowBatch, because a query may wait for its end; after one that took longer, the number is
	// halved, and after one within fastBatch doubled.
	maxBatch  = 16
	slowBatch = 2 * time.Second
	fastBatch = slowBatch / 4
	// batchTimeout is the timeout of one request of the worker (arbitrary).
	batchTimeout = 2 * time.Minute
	// maxAttempts is the number of attempts of one request (arbitrary), and maxDelay the longest delay
	// between them. After a longer one the worker begins again.
	maxAttempts = 3
	maxDelay    = 30 * time.Second
	// pageSize is the number of memories that are read at once (arbitrary).
	pageSize = 32
	// refusedFor is how long a text is not sent again that the endpoint has refused, and maxRefused
	// limits the number of such texts in memory (both arbitrary).
	refusedFor = 24 * time.Hour
	maxRefused = 10_000
	// bytesPerToken estimates tokens if the endpoint does not state them.
	bytesPerToken = 4
	// sameProbe is the least similarity of two vectors of the probe by one model. Other hardware and
	// versions of a server differ by less than 0.01.
	sameProbe = 0.98
)

// probe is a fixed text. Another vector for it means another model under the same name.
const probe = "A small brown dog sleeps under the kitchen table while it rains."

// errBudget means that the day's tokens are used.
var errBudget = errors.New("the day's tokens are used")

// embedDue checks the endpoint if that is due, and embeds the memories of the agents that are due and
// whose lease this server holds. If the endpoint fails or the day's tokens are used, it keeps what
// is due, and the worker is woken later. It returns errors of the database.
func (s *Service) embedDue(ctx context.Context) error {
	s.mu.Lock()
	wait, isChecked := time.Until(s.notBefore), s.isChecked
	s.mu.Unlock()
	if wait > 0 {
		return nil // a timer wakes the worker
	}
	if !isChecked {
		if err := s.check(ctx); err != nil {
			return s.later(ctx, err)
		}
	}
	if err := s.beginRound(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	due, model := slices.Sorted(maps.Keys(s.due)), s.model
	clear(s.due)
	s.mu.Unlock()
	for i, slug := range due {
		if !s.engine.HoldsLease(slug) {
			continue // the agent's server receives the same event
		}
		if err := s.embedAgent(ctx, slug, model); err != nil {
			s.mu.Lock()
			for _, slug := range due[i:] {
				s.due[slug] = true
			}
			s.mu.Unlock()
			return s.later(ctx, err)
		}
	}
	return nil
}

// beginRound makes all agents due, and deletes unused vectors, if a round is due.
func (s *Service) beginRound(ctx context.Context) error {
	s.mu.Lock()
	isRound := s.isRound
	s.mu.Unlock()
	if !isRound {
		return nil
	}
	all, err := s.store.AgentsUncounted(ctx)
	if err != nil {
		return err
	}
	if err := s.store.DeleteUnusedEmbeddings(ctx, time.Now().Add(-keepModel)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isRound = false
	for _, agent := range all {
		s.due[agent.Slug] = true
	}
	return nil
}

// later schedules the next attempt after an error of the endpoint, or for tomorrow (UTC) if the day's
// tokens are used, and returns nil. It returns other errors.
func (s *Service) later(ctx context.Context, err error) error {
	var failed *Error
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := time.Duration(0)
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, errBudget):
		wait = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(now)
		s.options.Log.Info("tokens of the day used, embedding continues tomorrow", "limit", s.options.DailyTokens)
	case errors.Is(err, memories.ErrNotFound): // another server has replaced the model
		s.isChecked = false
		wait = s.options.FirstRetry
	case errors.As(err, &failed):
		s.health.failed(err)
		if s.retry == s.options.FirstRetry {
			s.options.Log.Warn("embedding endpoint failed, will retry", "error", err)
		}
		s.isChecked = false
		wait = max(s.retry, failed.after)
		s.retry = min(2*s.retry, maxRetry)
	default:
		return err
	}
	s.notBefore = now.Add(wait)
	time.AfterFunc(wait, s.worker.Wake)
	return nil
}

// check asks for the vector of the probe, and makes the model that the endpoint has the current one.
func (s *Service) check(ctx context.Context) error {
	result, err := s.ask(ctx, []string{probe}, true)
	if err != nil {
		return err
	}
	vector := quantise(result.vectors[0])
	model, replaced, err := s.store.UseEmbeddingModel(ctx, s.options.Model, textVersion, vector, time.Now(), func(stored []byte) bool {
		return len(stored) == len(vector) && cosine(stored, vector) >= sameProbe
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if replaced {
		s.options.Log.Warn("endpoint has another model of this name, memories are embedded again", "model", model.Name, "dimensions", model.Dimensions)
	}
	if s.retry != s.options.FirstRetry {
		s.options.Log.Info("embedding endpoint works again")
	}
	if s.model != model {
		s.isRound = true
	}
	s.model, s.isChecked, s.retry = model, true, s.options.FirstRetry
	return nil
}

// embedAgent embeds the agent's memories that the model has not embedded as they are now. It sends
// nothing if the agent's memory is off, in Memoir or in Claude Code.
func (s *Service) embedAgent(ctx context.Context, slug string, model records.EmbeddingModel) error {
	agent, err := s.store.AgentUncounted(ctx, slug)
	switch {
	case errors.Is(err, memories.ErrNotFound):
		return nil // forgotten
	case err != nil:
		return err
	case agent.JoinedTo != "" || !agent.Present || agent.MemoryOff:
		return nil
	}
	if about, err := s.engine.About(ctx, slug); err != nil || about.IsOff() {
		if errors.Is(err, memories.ErrNotFound) {
			return nil
		}
		return err
	}
	for after := (uuid.UUID{}); ; {
		page, err := s.store.Unembedded(ctx, agent.ID, model.ID, after, pageSize, maxBody)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].ID
		for len(page) > 0 {
			b := s.nextBatch(page)
			if err := s.embedBatch(ctx, agent, model, b); err != nil {
				return err
			}
			page = page[len(b.memories):]
		}
	}
}

// batch is a number of memories whose texts fit into one request.
type batch struct {
	memories []records.EmbeddedMemory
	texts    map[records.TextHash]string
}

// nextBatch returns a batch of the first memories, at least one.
func (s *Service) nextBatch(page []records.UnembeddedMemory) batch {
	s.mu.Lock()
	most := s.batch
	s.mu.Unlock()
	b := batch{texts: map[records.TextHash]string{}}
	for _, m := range page {
		embedded := records.EmbeddedMemory{ID: m.ID, RevisionID: m.RevisionID, Name: m.Name}
		texts, _ := textsOf(m)
		if len(b.memories) > 0 && len(b.texts)+len(texts) > most {
			break
		}
		for _, text := range texts {
			text = s.textMarker + text
			hash := hashOf(text)
			b.texts[hash] = text
			embedded.Texts = append(embedded.Texts, hash)
		}
		b.memories = append(b.memories, embedded)
	}
	return b
}

// embedBatch sends those texts of a batch that have no vector, and saves the vectors with the
// memories. It leaves out memories whose texts the endpoint has all refused.
func (s *Service) embedBatch(ctx context.Context, agent records.Agent, model records.EmbeddingModel, b batch) error {
	known, err := s.store.EmbeddedTexts(ctx, model.ID, slices.Collect(maps.Keys(b.texts)))
	if err != nil {
		return err
	}
	var hashes []records.TextHash
	var texts []string
	for hash, text := range b.texts {
		if !known[hash] && !s.isRefused(hash) {
			hashes, texts = append(hashes, hash), append(texts, text)
		}
	}
	vectors, tokens := map[records.TextHash][]byte{}, int64(0)
	for len(texts) > 0 {
		s.mu.Lock()
		n := min(s.batch, len(texts))
		s.mu.Unlock()
		result, err := s.askWithin(ctx, texts[:n], model)
		if err != nil {
			return err
		}
		for i, vector := range result.vectors {
			if vector == nil {
				s.refuse(hashes[i])
				s.options.Log.Warn("embedding endpoint refused a text", "agent", agent.Slug, "bytes", len(texts[i]))
				continue
			}
			vectors[hashes[i]] = quantise(vector)
		}
		tokens += result.tokens
		hashes, texts = hashes[n:], texts[n:]
	}
	embedded := slices.DeleteFunc(b.memories, func(m records.EmbeddedMemory) bool {
		return len(m.Texts) > 0 && !slices.ContainsFunc(m.Texts, func(h records.TextHash) bool { return known[h] || vectors[h] != nil })
	})
	if len(embedded) == 0 {
		return nil
	}
	return s.store.SaveEmbeddings(ctx, agent.ID, model.ID, vectors, embedded, tokens)
}

func (s *Service) isRefused(hash records.TextHash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.refused[hash]
	return ok && time.Since(at) < refusedFor
}

func (s *Service) refuse(hash records.TextHash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refused) >= maxRefused {
		clear(s.refused)
	}
	s.refused[hash] = time.Now()
}

// askWithin is ask within the limit of the day. If the endpoint refuses the texts, it asks for each.
// A vector is nil if the endpoint refuses that text alone. tokens is estimated if the endpoint does
// not state it. It fails with errBudget.
func (s *Service) askWithin(ctx context.Context, texts []string, model records.EmbeddingModel) (answered, error) {
	estimated := int64(0)
	for _, text := range texts {
		estimated += int64(len(text)/bytesPerToken + 1)
	}
	if s.options.DailyTokens > 0 {
		used, err := s.store.EmbeddingTokens(ctx, time.Now())
		if err != nil {
			return answered{}, err
		}
		if used+estimated > s.options.DailyTokens {
			return answered{}, errBudget
		}
	}
	result, err := s.ask(ctx, texts, false)
	var failed *Error
	if errors.As(err, &failed) && failed.isAboutTexts() {
		result, err = s.askEach(ctx, texts)
	}
	if err != nil {
		return answered{}, err
	}
	if err := s.checkSize(result, model); err != nil {
		return answered{}, err
	}
	if result.tokens == 0 {
		result.tokens = estimated
	}
	return result, nil
}

// askEach asks for the vector of each text alone, and of the first half of a refused one. A vector is
// nil if both are refused. If the endpoint also refuses the probe, its fault is another one, and
// askEach returns the error about the probe.
func (s *Service) askEach(ctx context.Context, texts []string) (answered, error) {
	if _, err := s.ask(ctx, []string{probe}, true); err != nil {
		return answered{}, err
	}
	result := answered{vectors: make([][]float32, len(texts))}
	for i, text := range texts {
		for _, part := range []string{text, cut(text, len(text)/2)} {
			one, err := s.client.embed(ctx, []string{part}, false)
			var failed *Error
			if err == nil {
				result.vectors[i], result.tokens = one.vectors[0], result.tokens+one.tokens
				break
			}
			if !errors.As(err, &failed) || !failed.isAboutTexts() {
				return answered{}, err
			}
		}
	}
	return result, nil
}

// ask asks for the vectors of texts, several times if a retry may succeed. It fails with *Error, and
// with ctx.Err() if ctx ends.
func (s *Service) ask(ctx context.Context, texts []string, withWords bool) (answered, error) {
	delay := s.options.FirstRetry / 10
	for attempt := 1; ; attempt++ {
		result, err := s.askOnce(ctx, texts, withWords)
		var failed *Error
		if err == nil || !errors.As(err, &failed) || !failed.again || attempt == maxAttempts || failed.after > maxDelay {
			return result, err
		}
		select {
		case <-ctx.Done():
			return answered{}, ctx.Err()
		case <-time.After(max(delay, failed.after)):
		}
		delay *= 2
	}
}

// askOnce asks once, within batchTimeout, and adapts the size of the next batch to the time.
func (s *Service) askOnce(ctx context.Context, texts []string, withWords bool) (answered, error) {
	timeoutCtx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	started := time.Now()
	result, err := s.client.embed(timeoutCtx, texts, withWords)
	took := time.Since(started)
	s.mu.Lock()
	switch {
	case took > slowBatch:
		s.batch = max(s.batch/2, 1)
	case err == nil && took < fastBatch && len(texts) >= s.batch:
		s.batch = min(2*s.batch, maxBatch)
	}
	s.mu.Unlock()
	switch {
	case err == nil:
		s.health.succeeded()
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		err = &Error{why: fmt.Sprintf("it took longer than %v for %d texts", batchTimeout, len(texts))}
	}
	return result, err
}
