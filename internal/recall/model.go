package recall

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// byModel lets the selector choose among the newest MaxCandidates memories outside given. It sets
// SelectedBy and Candidates of record, and adds at most request.Limit choices. It ignores unknown
// and repeated paths; if no choice is left, the error is nil. It returns the selector's error, and
// context.DeadlineExceeded if the selector takes longer than Options.Patience. Then record is
// unchanged. Without candidates it does not ask the selector.
func (r *Recaller) byModel(ctx context.Context, from records.RecallSources, record *records.Recall, request Request, given records.SessionDelivery) error {
	candidates, err := r.store.Newest(ctx, from, slices.Collect(maps.Keys(given.Memories)), MaxCandidates)
	if err != nil {
		return err
	}
	if len(candidates) == 0 {
		record.SelectedBy = ByModel
		return nil
	}
	for i := range candidates { // paths of different agents may be equal
		if m := &candidates[i]; m.AgentID != record.AgentID {
			m.Path = path.Join(from.Of(m.AgentID).Dir, m.Path)
		}
		if m := &candidates[i]; m.Line > 0 { // facts share the path and name of their index
			m.Path = fmt.Sprintf("%s:%d", m.Path, m.Line)
			m.Description, m.Body = "", strings.TrimPrefix(m.Description+": ", ": ")+strings.Join(strings.Fields(m.Body), " ")
		}
	}
	timeoutCtx, cancel := context.WithTimeout(ctx, r.options.Patience)
	defer cancel()
	paths, err := r.options.Selector.Select(timeoutCtx, request.Query, candidates)
	if err != nil {
		return err
	}
	record.SelectedBy, record.Candidates = ByModel, len(candidates)
	for _, chosen := range paths {
		i := slices.IndexFunc(candidates, func(m memories.Memory) bool { return m.Path == chosen })
		if i < 0 || len(record.Chosen) == request.Limit {
			continue // the model returned an unknown path
		}
		id := uuid.MustParse(candidates[i].ID)
		if !slices.ContainsFunc(record.Chosen, func(c records.RecallChoice) bool { return c.ID == id }) {
			record.Chosen = append(record.Chosen, records.RecallChoice{ID: id, Why: []string{"the model chose it by its name and description"}})
		}
	}
	return nil
}

// shortReason returns a few words for users about err, the reason why a model did not choose. It
// leaves out the text of a server's answer, which may be long or confidential.
func shortReason(err error) string {
	var short interface{ Plain() string }
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.As(err, &short):
		return short.Plain()
	default:
		return "it could not be asked"
	}
}
