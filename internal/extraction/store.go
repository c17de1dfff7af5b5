package extraction

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"memoir/internal/records"
)

// Store is the database of an Extractor. *postgres.Store implements and documents it.
type Store interface {
	records.Agents
	records.Memories
	records.RecallCandidates
	records.Conversations
	records.Proposals
	records.Jobs

	HearConversation(ctx context.Context, agentID int64, session, transcript string, at time.Time) error
	GiveConversation(ctx context.Context, agentID int64, session string, messages json.RawMessage, at time.Time) error
	ForgetTexts(ctx context.Context, before time.Time) error
	KeepFinding(ctx context.Context, f records.Finding) (kept []uuid.UUID, err error)
	BeginAccepting(ctx context.Context, p records.Proposal) error
	EndAccepting(ctx context.Context, p records.Proposal, memoryID string) error
	GiveUpAccepting(ctx context.Context, p records.Proposal) error
	RefuseProposal(ctx context.Context, p records.Proposal) error
}
