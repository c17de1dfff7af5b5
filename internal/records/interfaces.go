package records

import (
	"context"
	"time"

	"github.com/google/uuid"

	"memoir/internal/logs"
	"memoir/internal/memories"
)

// The interfaces below read stored values by topic. Store in package postgres implements and
// documents them. They fail with memories.ErrNotFound for a value that does not exist, and with
// memories.ErrUnavailable without a database.

// Agents reads agents, the sessions that have worked as them, and the agents that share memories
// with them.
type Agents interface {
	Agents(ctx context.Context) ([]Agent, error)
	AgentsUncounted(ctx context.Context) ([]Agent, error)
	Agent(ctx context.Context, slug string) (Agent, error)
	AgentUncounted(ctx context.Context, slug string) (Agent, error)
	Shared(ctx context.Context, with Agent) ([]Agent, error)
	Sessions(ctx context.Context, agentID int64, limit int, cursor string) (SessionPage, error)
}

// Memories reads and searches memories, now and as of a past moment, with their revisions and
// files.
type Memories interface {
	Memories(ctx context.Context, agent Agent, filter memories.Filter, page memories.PageRequest) (MemoryPage, error)
	MemoriesOf(ctx context.Context, some []Agent, filter memories.Filter, page memories.PageRequest) (MemoryPage, error)
	MemoriesByID(ctx context.Context, agent Agent, ids []string) ([]memories.Memory, error)
	Memory(ctx context.Context, agent Agent, id string) (memories.Memory, error)
	MemoryVersions(ctx context.Context, agentID int64, ids []string) (map[string]MemoryVersion, error)
	MemoryAsOf(ctx context.Context, agent Agent, id string, at time.Time) (memories.Memory, error)
	Search(ctx context.Context, filter memories.Filter, page memories.PageRequest) (MemoryPage, error)
	NearMisses() bool
	Revisions(ctx context.Context, agent Agent, id string, list RevisionList) (RevisionPage, error)
	Raw(ctx context.Context, agent Agent, id string) ([]byte, error)
	RawOfHash(ctx context.Context, agent Agent, id, hash string) ([]byte, error)
	BlockedPage(ctx context.Context, agentID int64, limit int, cursor string) (BlockedPage, error)
}

// Facts reads the facts of indexes, in the form of memories.
type Facts interface {
	IndexFact(ctx context.Context, agent Agent, id string) (memories.Memory, error)
	CountFacts(ctx context.Context, agentID int64, typed string) (int, error)
	SearchFacts(ctx context.Context, agentID int64, typed string, skip, most int) ([]memories.Memory, error)
}

// Disagreements reads the memories whose files have different contents, and these contents.
type Disagreements interface {
	Disagreements(ctx context.Context, agent Agent) ([]Disagreement, error)
	Disagreement(ctx context.Context, m memories.Memory) (*Disagreement, error)
	Versions(ctx context.Context, m memories.Memory) ([]Version, error)
}

// AllMemories reads each memory of an agent, and names and texts that memories had before.
type AllMemories interface {
	EachActive(ctx context.Context, agent Agent, each func(memories.Memory) error) error
	NamesOf(ctx context.Context, agent Agent, each func(name, path string)) error
	SupersededMemories(ctx context.Context, agentID int64, shortest int) ([]SupersededMemory, error)
	ForgottenNames(ctx context.Context, agentID int64) (map[string]string, error)
}

// Activity reads the journal, and counts memories by it.
type Activity interface {
	Activity(ctx context.Context, list ActivityList) (ActivityPage, error)
	NewestChanges(ctx context.Context, agentIDs []int64) (map[int64]time.Time, error)
	Growth(ctx context.Context, agentIDs []int64, since, until time.Time, points int) (map[int64][]GrowthPoint, error)
	Ages(ctx context.Context, agentIDs []int64, now time.Time) (map[int64][]Alive, error)
}

// Logs reads and searches an agent's logs.
type Logs interface {
	Logs(ctx context.Context, agentID int64, first, last logs.Day, mostBytes int64) ([]Log, error)
	LogDays(ctx context.Context, agentID int64, first, last logs.Day, limit int, cursor string) (LogDayPage, error)
	LogMonths(ctx context.Context, agentID int64) ([]LogMonth, error)
	LogsAround(ctx context.Context, agentID int64, day logs.Day) (before, after logs.Day, err error)
	SearchLogs(ctx context.Context, agentID int64, query string, limit int, cursor string) (LogPage, error)
}

// Recalls reads the records of recalls, and counts by them how often memories are used.
type Recalls interface {
	Recalls(ctx context.Context, list RecallList) (RecallPage, error)
	RecallsOf(ctx context.Context, m memories.Memory) (RecallsOfMemory, error)
	RecallsWith(ctx context.Context, m memories.Memory, most int) ([]RecallWith, error)
	RecallUse(ctx context.Context, agentID int64, now time.Time, days, most int) (RecallUse, error)
	Carried(ctx context.Context, agentIDs []int64, since time.Time) (map[int64]Carried, error)
	MemoriesAtPaths(ctx context.Context, agentID int64, paths []string) (map[string]string, error)
}

// RecallCandidates reads the memories from which a recall chooses.
type RecallCandidates interface {
	RecallSources(ctx context.Context, slug string) (RecallSources, error)
	ToRecall(ctx context.Context, from RecallSources, session string) (n int, given SessionDelivery, err error)
	Hits(ctx context.Context, from RecallSources, sought []RecallTerm, most int) ([][]uuid.UUID, error)
	Texts(ctx context.Context, from RecallSources, ids []uuid.UUID, most int) ([]memories.Memory, error)
	Newest(ctx context.Context, from RecallSources, besides []uuid.UUID, most int) ([]memories.Memory, error)
	MemoryExcerpts(ctx context.Context, from RecallSources, ids []uuid.UUID, most int) (found map[string]MemoryExcerpt, gone map[string][]memories.CheckedCitation, err error)
	WordsWithPrefix(ctx context.Context, beginnings []string) ([]string, error)
	SimilarWords(ctx context.Context, typed []string) (map[string][]string, error)
}

// Plans reads consolidation plans and their steps.
type Plans interface {
	Consolidation(ctx context.Context, agentID int64) (Plan, error)
	ConsolidationStep(ctx context.Context, agentID int64, id string) (Step, error)
	AppliedSteps(ctx context.Context, agentID int64, most int) ([]Step, error)
	UnfinishedSteps(ctx context.Context, agentID int64) ([]Step, error)
	AgentsConsolidating(ctx context.Context) ([]string, error)
	ConsolidationCheckedAt(ctx context.Context, agentID int64) (time.Time, error)
}

// Conversations reads which conversations are known, and up to where each was read.
type Conversations interface {
	Conversation(ctx context.Context, agentID int64, session string) (Conversation, error)
	UnreadConversations(ctx context.Context, since time.Time) ([]UnreadConversation, error)
	LastRead(ctx context.Context, agentID int64) ([]string, error)
	PendingTexts(ctx context.Context, agentID int64, session string) ([]PendingText, error)
}

// Proposals reads proposed memories, and whether the content of one is known already.
type Proposals interface {
	Proposal(ctx context.Context, agentID int64, id string) (Proposal, error)
	Proposals(ctx context.Context, agentID int64, state ProposalState, limit int, cursor string) (ProposalPage, error)
	ProposalsToFinish(ctx context.Context, before time.Time) ([]Proposal, error)
	HasTombstone(ctx context.Context, agentID int64, content memories.Fingerprint) (bool, error)
	HadContent(ctx context.Context, p Proposal) (string, error)
	DeletedContents(ctx context.Context, agentID int64, most int) ([]memories.Content, error)
}

// Verifications reads the results of checking the references of memories.
type Verifications interface {
	Verification(ctx context.Context, agent Agent, id string) (Verification, error)
	ToReview(ctx context.Context, agent Agent, limit int) ([]DoubtfulMemory, error)
	WantedMemories(ctx context.Context, agentID int64, most int) ([]memories.WantedMemory, error)
	DeadCitations(ctx context.Context, agent Agent, ids []string) (map[string][]memories.CheckedCitation, error)
}

// Jobs reads an agent's background jobs and their costs.
type Jobs interface {
	Jobs(ctx context.Context, agentID int64, most int) ([]Job, error)
	JobTokens(ctx context.Context, agentID int64, since time.Time) ([]DayTokens, error)
}

// Review reads what waits for a person, and what was decided.
type Review interface {
	Review(ctx context.Context, list ReviewList) (ReviewPage, error)
	ReviewItem(ctx context.Context, id string) (ReviewItem, error)
	ReviewOf(ctx context.Context, memory string, most int) ([]ReviewItem, error)
	ReviewCounts(ctx context.Context) (map[int64]int, error)
	ReviewDecisions(ctx context.Context, items []string) (map[string]ReviewDecision, error)
	ReviewDecided(ctx context.Context, list ReviewDecisionList) ([]ReviewDecision, error)
	CountReviewDecided(ctx context.Context, list ReviewDecisionList) (int, error)
	ReviewPlace(ctx context.Context, list ReviewList, item string) (int, error)
	ReviewedAt(ctx context.Context, agentID int64) (time.Time, error)
	ReviewSizes(ctx context.Context, agentIDs []int64) (map[memories.Type]ReviewSize, error)
	MemoriesWithLink(ctx context.Context, agentID int64, links, besides []string, most int) ([]ReviewLink, error)
}

// Overview reads what all agents have learned in a time.
type Overview interface {
	ChangesByAgent(ctx context.Context, since, until time.Time) (map[int64]ChangeCounts, error)
	News(ctx context.Context, since, until time.Time, limit int) ([]News, error)
	GrowthOfAll(ctx context.Context, since time.Time) ([]DayGrowth, error)
}

// Reads are the reading interfaces that the API and the pages use.
type Reads interface {
	Agents
	Memories
	Facts
	Disagreements
	Activity
	Logs
	Recalls
	AskedAsPhrases
	Verifications
	Jobs
	Review
}
