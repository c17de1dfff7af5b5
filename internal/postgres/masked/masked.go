// Package masked hides secrets and orders to the agent in what people and programs read: a memory
// in quarantine, past contents, blocked contents, logs, the journal and recalls. A content that a
// person has let in is shown as it is.
package masked

import (
	"context"
	"encoding/hex"
	"time"

	"memoir/internal/findings/quarantine"
	"memoir/internal/logs"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/records"
)

// Store is a postgres.Store whose reading methods mask texts. Raw, RawOfHash, Revealed and
// EventChanges return them as they are.
type Store struct{ *postgres.Store }

// Revealed is postgres.Store.Memory: nothing is masked.
func (s Store) Revealed(ctx context.Context, agent records.Agent, id string) (memories.Memory, error) {
	return s.Store.Memory(ctx, agent, id)
}

// Memory is postgres.Store.Memory with masked texts.
func (s Store) Memory(ctx context.Context, agent records.Agent, id string) (memories.Memory, error) {
	m, err := s.Store.Memory(ctx, agent, id)
	return records.Masked(m), err
}

// MemoriesByID is postgres.Store.MemoriesByID with masked names.
func (s Store) MemoriesByID(ctx context.Context, agent records.Agent, ids []string) ([]memories.Memory, error) {
	found, err := s.Store.MemoriesByID(ctx, agent, ids)
	return each(found, records.Masked), err
}

// ReviewTexts is postgres.Store.ReviewTexts with masked texts.
func (s Store) ReviewTexts(ctx context.Context, agentID int64, since time.Time, ids []string) ([]records.ReviewText, error) {
	found, err := s.Store.ReviewTexts(ctx, agentID, since, ids)
	for i := range found {
		found[i].Memory = records.Masked(found[i].Memory)
	}
	return found, err
}

// Memories is postgres.Store.Memories with masked texts. As of a past moment, each text is examined.
func (s Store) Memories(ctx context.Context, agent records.Agent, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error) {
	found, err := s.Store.Memories(ctx, agent, filter, page)
	mask := records.Masked
	if filter.AsOf != "" {
		mask = past
	}
	found.Memories = each(found.Memories, mask)
	return found, err
}

// MemoryList is postgres.Store.MemoryList with masked texts.
func (s Store) MemoryList(ctx context.Context, agent records.Agent, list records.MemoryList, window records.MemoryWindow) (records.MemoryListPage, error) {
	page, err := s.Store.MemoryList(ctx, agent, list, window)
	for i := range page.Rows {
		page.Rows[i].Memory = records.Masked(page.Rows[i].Memory)
	}
	return page, err
}

// MemoryAsOf is postgres.Store.MemoryAsOf with masked texts.
func (s Store) MemoryAsOf(ctx context.Context, agent records.Agent, id string, at time.Time) (memories.Memory, error) {
	m, err := s.Store.MemoryAsOf(ctx, agent, id, at)
	if err != nil {
		return m, err
	}
	return past(m), nil
}

// past masks the texts of a memory whose problems are unknown.
func past(m memories.Memory) memories.Memory {
	m.Name, m.Description, m.Body = quarantine.MaskSecrets(m.Name), quarantine.MaskSecrets(m.Description), quarantine.MaskSecrets(m.Body)
	return m
}

// MemoriesOf is postgres.Store.MemoriesOf with masked texts.
func (s Store) MemoriesOf(ctx context.Context, some []records.Agent, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error) {
	found, err := s.Store.MemoriesOf(ctx, some, filter, page)
	found.Memories = each(found.Memories, records.Masked)
	return found, err
}

// Search is postgres.Store.Search with masked texts.
func (s Store) Search(ctx context.Context, filter memories.Filter, page memories.PageRequest) (records.MemoryPage, error) {
	found, err := s.Store.Search(ctx, filter, page)
	found.Memories = each(found.Memories, records.Masked)
	return found, err
}

// Revisions is postgres.Store.Revisions with masked texts. The memory's content is shown as it is
// unless the memory is in quarantine.
func (s Store) Revisions(ctx context.Context, agent records.Agent, id string, list records.RevisionList) (records.RevisionPage, error) {
	page, err := s.Store.Revisions(ctx, agent, id, list)
	if err != nil {
		return page, err
	}
	m, err := s.Store.Memory(ctx, agent, id)
	if err != nil {
		return page, err
	}
	current := hex.EncodeToString(m.Fingerprint[:])
	for i := range page.Revisions {
		if r := &page.Revisions[i]; r.ID != current || m.IsQuarantined() {
			r.Description, r.Body = quarantine.MaskSecrets(r.Description), quarantine.MaskSecrets(r.Body)
		}
	}
	return page, nil
}

// Versions is postgres.Store.Versions with masked texts. The memory's content is shown as it is
// unless the memory is in quarantine.
func (s Store) Versions(ctx context.Context, m memories.Memory) ([]records.Version, error) {
	found, err := s.Store.Versions(ctx, m)
	for i := range found {
		if v := &found[i]; v.Fingerprint != m.Fingerprint || m.IsQuarantined() {
			v.Description, v.Body = quarantine.MaskSecrets(v.Description), quarantine.MaskSecrets(v.Body)
		}
	}
	return found, err
}

// BlockedPage is postgres.Store.BlockedPage with masked texts.
func (s Store) BlockedPage(ctx context.Context, agentID int64, limit int, cursor string) (records.BlockedPage, error) {
	page, err := s.Store.BlockedPage(ctx, agentID, limit, cursor)
	for i := range page.Blocked {
		b := &page.Blocked[i]
		b.Name, b.Description, b.Body = quarantine.MaskSecrets(b.Name), quarantine.MaskSecrets(b.Description), quarantine.MaskSecrets(b.Body)
	}
	return page, err
}

// Activity is postgres.Store.Activity with masked names and descriptions.
func (s Store) Activity(ctx context.Context, list records.ActivityList) (records.ActivityPage, error) {
	page, err := s.Store.Activity(ctx, list)
	for i := range page.Activity {
		a := &page.Activity[i]
		a.Name, a.Renamed, a.Description = quarantine.MaskSecrets(a.Name), quarantine.MaskSecrets(a.Renamed), quarantine.MaskSecrets(a.Description)
	}
	return page, err
}

// EventDetails is postgres.Store.EventDetails with masked names, descriptions and prompts.
func (s Store) EventDetails(ctx context.Context, events []records.TimelineEvent) ([]records.EventDetails, error) {
	found, err := s.Store.EventDetails(ctx, events)
	for i := range found {
		d := &found[i]
		d.Name, d.Renamed, d.Description = quarantine.MaskSecrets(d.Name), quarantine.MaskSecrets(d.Renamed), quarantine.MaskSecrets(d.Description)
		d.Prompt = quarantine.MaskSecrets(d.Prompt)
	}
	return found, err
}

// GivenMemories is postgres.Store.GivenMemories with masked names.
func (s Store) GivenMemories(ctx context.Context, agentID int64, session string, limit int) ([]records.GivenMemory, error) {
	found, err := s.Store.GivenMemories(ctx, agentID, session, limit)
	for i := range found {
		found[i].Name = quarantine.MaskSecrets(found[i].Name)
	}
	return found, err
}

// Logs is postgres.Store.Logs with masked texts.
func (s Store) Logs(ctx context.Context, agentID int64, first, last logs.Day, mostBytes int64) ([]records.Log, error) {
	found, err := s.Store.Logs(ctx, agentID, first, last, mostBytes)
	return each(found, maskLog), err
}

// SearchLogs is postgres.Store.SearchLogs with masked texts.
func (s Store) SearchLogs(ctx context.Context, agentID int64, query string, limit int, cursor string) (records.LogPage, error) {
	page, err := s.Store.SearchLogs(ctx, agentID, query, limit, cursor)
	page.Logs = each(page.Logs, maskLog)
	return page, err
}

func maskLog(l records.Log) records.Log {
	l.Title, l.Text = quarantine.MaskSecrets(l.Title), quarantine.MaskSecrets(l.Text)
	return l
}

// Recalls is postgres.Store.Recalls with masked prompts and names.
func (s Store) Recalls(ctx context.Context, list records.RecallList) (records.RecallPage, error) {
	page, err := s.Store.Recalls(ctx, list)
	for i := range page.Recalls {
		r := &page.Recalls[i]
		r.Query = quarantine.MaskSecrets(r.Query)
		for j := range r.Memories {
			r.Memories[j].Name = quarantine.MaskSecrets(r.Memories[j].Name)
		}
	}
	return page, err
}

// RecallsWith is postgres.Store.RecallsWith with masked prompts.
func (s Store) RecallsWith(ctx context.Context, m memories.Memory, most int) ([]records.RecallWith, error) {
	found, err := s.Store.RecallsWith(ctx, m, most)
	for i := range found {
		found[i].Query = quarantine.MaskSecrets(found[i].Query)
	}
	return found, err
}

// AskedAs is postgres.Store.AskedAs with masked phrases.
func (s Store) AskedAs(ctx context.Context, id string) (memories.AskedAs, error) {
	asked, err := s.Store.AskedAs(ctx, id)
	asked.Phrases = each(asked.Phrases, quarantine.MaskSecrets)
	return asked, err
}

// each replaces each value of a list by the result of change.
func each[T any](list []T, change func(T) T) []T {
	for i := range list {
		list[i] = change(list[i])
	}
	return list
}
