package embedding

import (
	"context"
	"fmt"
	"time"

	"memoir/internal/records"
)

// queryTimeout limits a query whose caller sets no earlier deadline (arbitrary).
const queryTimeout = 5 * time.Second

// ErrSecret means that a query has something that looks like a secret, so it was not sent.
var ErrSecret error = &Error{why: "the query has a secret"}

type queryKey struct {
	model int64
	text  records.TextHash
}

// Nearest returns the most embedded memories of the sources whose meaning is nearest to the query; a
// long one is as near as the nearest of its texts. It ends with ctx, and sends each query once. After
// three failures in a row it fails at once for five minutes. It fails with *Error if the endpoint
// does not answer as it should, with ErrSecret for a query that must not be sent, with
// context.DeadlineExceeded, and with memories.ErrUnavailable.
func (s *Service) Nearest(ctx context.Context, from records.RecallSources, query string, most int) (records.NearMemories, error) {
	model, text := s.currentModel(), queryText(query)
	switch {
	case text == "":
		return records.NearMemories{}, nil
	case hasSecret(query):
		return records.NearMemories{}, ErrSecret
	case model.ID == 0:
		return records.NearMemories{}, &Error{why: "it has not answered yet", again: true}
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	type held struct {
		vectors []*agentVectors
		err     error
	}
	read := make(chan held, 1)
	go func() {
		vectors, err := s.index.of(ctx, from.IDs(), model)
		read <- held{vectors, err}
	}()
	vector, err := s.queryVector(ctx, model, text)
	if err != nil {
		return records.NearMemories{}, err
	}
	select {
	case h := <-read:
		if h.err != nil {
			return records.NearMemories{}, h.err
		}
		return nearest(vector, h.vectors, most), nil
	case <-ctx.Done():
		return records.NearMemories{}, ctx.Err()
	}
}

// queryVector returns the vector of a query, from memory if it was asked before.
func (s *Service) queryVector(ctx context.Context, model records.EmbeddingModel, text string) ([]int32, error) {
	text = s.queryMarker + text
	key := queryKey{model.ID, hashOf(text)}
	if known, ok := s.queries.Get(key); ok {
		return known, nil
	}
	if wait := s.health.pause(); wait > 0 {
		return nil, &Error{why: "it is paused, because it failed several times", again: true, after: wait}
	}
	started := time.Now()
	result, err := s.client.embed(ctx, []string{text}, false)
	if err == nil {
		err = s.checkSize(result, model)
	}
	if err != nil {
		s.health.queryFailed(err, time.Since(started))
		return nil, err
	}
	s.health.succeeded()
	vector := wide(quantise(result.vectors[0]))
	s.queries.Add(key, vector)
	return vector, nil
}

// checkSize returns an *Error for vectors of another size than the stored ones, and makes the worker
// check which model the endpoint has. It ignores nil vectors.
func (s *Service) checkSize(result answered, model records.EmbeddingModel) error {
	for _, vector := range result.vectors {
		if vector == nil || len(vector) == model.Dimensions {
			continue
		}
		s.mu.Lock()
		s.isChecked = false
		s.mu.Unlock()
		s.worker.Wake()
		return &Error{why: fmt.Sprintf("it answered with %d dimensions in place of %d", len(vector), model.Dimensions), again: true}
	}
	return nil
}
