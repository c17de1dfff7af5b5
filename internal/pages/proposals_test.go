package pages_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// propose stores a proposal as if it came from a conversation.
func (s *site) propose(t *testing.T, slug, name string, kind memories.Type, body string) {
	t.Helper()
	agent, err := s.Store.Agent(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	session, now := uuid.NewString(), records.Now()
	if err := s.Store.TouchConversation(t.Context(), agent.ID, session, "/x.jsonl", now); err != nil {
		t.Fatal(err)
	}
	c := memories.Content{Name: name, Type: kind, Description: "About " + name, Body: body}
	_, err = s.Store.SaveFinding(t.Context(), records.Finding{AgentID: agent.ID, Session: session, ReadAt: now, Proposals: []records.Proposal{{
		ID: uuid.New(), AgentID: agent.ID, State: records.ProposalWaiting, Content: c, Fingerprint: memories.FingerprintOf(kind, name, body),
		Quote: "they said " + name + " <b>themselves</b>", QuotedAt: now.Add(-time.Hour), Session: "s-one", ProposedAt: now,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Engine.Emit(slug, "proposed")
}
