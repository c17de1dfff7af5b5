// Package embedding finds memories whose meaning is near the meaning of a query. An endpoint of the
// OpenAI-compatible API (/v1/embeddings) makes vectors of texts; the database keeps the vectors of
// memories.
//
// In the background it embeds memories that are new or have changed. It does not send a memory in
// quarantine, or a text with a secret. It changes no memory, and chooses none: package recall joins
// what it finds with the memories that keywords choose.
package embedding

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"memoir/internal/background"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Options configures a Service. URL and Model are required; other zero fields mean the defaults.
type Options struct {
	URL   string // base of the API; may end in /v1
	Model string // also identifies the stored vectors
	Key   string // sent as Authorization: Bearer, unless it is empty
	// DailyTokens is how many input tokens may be used on a day (UTC) for memories. Zero means no
	// limit. Queries are not limited.
	DailyTokens int64
	// Settle is how long changes are collected. The default is 2 s.
	Settle time.Duration
	// FirstRetry is the delay after a first failure, which grows up to 10 minutes. The default is 5 s.
	FirstRetry time.Duration
	// MaxBytes limits the vectors in memory, without vectors that are being read. The default is
	// 256 MiB.
	MaxBytes int64
	Log      *slog.Logger
}

// DefaultDailyTokens is the usual value of Options.DailyTokens (arbitrary): some 50,000 memories of 1
// KB.
const DefaultDailyTokens = 20_000_000

const (
	defaultSettle     = 2 * time.Second
	defaultFirstRetry = 5 * time.Second
	maxRetry          = 10 * time.Minute
	// round is the time between two checks of the endpoint, with a search for memories that were missed
	// and the deletion of unused vectors.
	round = time.Hour
	// keepModel is how long the vectors of a model are kept that no server uses any longer.
	keepModel = 7 * 24 * time.Hour
	// maxQueries is the number of recent queries whose vectors are kept in memory (arbitrary).
	maxQueries = 512
)

// Store is the database of a Service. *postgres.Store implements and documents it.
type Store interface {
	records.Agents

	UseEmbeddingModel(ctx context.Context, name string, textVersion int, probe []byte, at time.Time, isSame func(stored []byte) bool) (model records.EmbeddingModel, replaced bool, err error)
	DeleteUnusedEmbeddings(ctx context.Context, before time.Time) error
	Unembedded(ctx context.Context, agentID, modelID int64, after uuid.UUID, most, mostCharacters int) ([]records.UnembeddedMemory, error)
	EmbeddedTexts(ctx context.Context, modelID int64, hashes []records.TextHash) (map[records.TextHash]bool, error)
	SaveEmbeddings(ctx context.Context, agentID, modelID int64, vectors map[records.TextHash][]byte, embedded []records.EmbeddedMemory, tokens int64) error
	EachVector(ctx context.Context, agentID, modelID int64, most int, each func(id uuid.UUID, vector []byte)) error
	EmbeddingVersions(ctx context.Context, agentIDs []int64) (map[int64]records.EmbeddingVersion, error)
	CountEmbedded(ctx context.Context, agentID, modelID int64) (records.EmbeddingCounts, error)
	EmbeddingTokens(ctx context.Context, at time.Time) (int64, error)
}

// Service embeds memories in the background, and searches them. Its methods are safe for concurrent
// use.
type Service struct {
	engine  *engine.Engine
	store   Store
	options Options
	client  *client
	index   *index
	queries *lru.Cache[queryKey, []int32]
	worker  *background.Worker
	health  health
	// Markers of the model before a query and before a text of a memory.
	queryMarker, textMarker string

	mu        sync.Mutex
	model     records.EmbeddingModel // zero until the endpoint has answered
	isChecked bool                   // the endpoint still has this model
	isRound   bool                   // a round is due
	due       map[string]bool        // agents that may have changed
	notBefore time.Time              // of the next request of the worker
	retry     time.Duration          // delay after the next failure
	batch     int                    // texts in one request
	refused   map[records.TextHash]time.Time
}

// Start returns a Service and starts its background work, which begins when the engine is ready. The
// caller must call Close before closing the engine.
func Start(e *engine.Engine, store Store, options Options) *Service {
	options.Settle = cmp.Or(options.Settle, defaultSettle)
	options.FirstRetry = cmp.Or(options.FirstRetry, defaultFirstRetry)
	options.MaxBytes = cmp.Or(options.MaxBytes, defaultMaxBytes)
	queries, _ := lru.New[queryKey, []int32](maxQueries) // fails only without a size
	s := &Service{
		engine: e, store: store, options: options, client: newClient(options), index: newIndex(store, options.MaxBytes), queries: queries,
		isRound: true, due: map[string]bool{}, retry: options.FirstRetry, batch: maxBatch, refused: map[records.TextHash]time.Time{},
	}
	s.queryMarker, s.textMarker = markersOf(options.Model)
	s.worker = background.New(background.Work{
		Engine: e, Settle: options.Settle, Every: round, Do: s.embedDue, Log: options.Log, Failed: "memories not embedded, will retry",
		Changed: s.request,
		Round:   s.requestRound,
	})
	s.worker.Start()
	return s
}

// Close cancels the background work, and waits for its end.
func (s *Service) Close() {
	s.worker.Close()
	s.index.close()
}

// request makes an agent due, or all agents if slug is empty.
func (s *Service) request(slug string) {
	if slug == "" {
		s.requestRound()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due[slug] = true
}

// requestRound makes all agents due, and the endpoint to be checked.
func (s *Service) requestRound() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isRound, s.isChecked = true, false
}

func (s *Service) currentModel() records.EmbeddingModel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// Status is the state of the search by meaning, for one agent.
type Status struct {
	Endpoint   string // host and port
	Model      string
	Dimensions int // 0 until the endpoint has answered
	records.EmbeddingCounts
	TokensToday, DailyTokens int64 // DailyTokens is 0 without a limit
	// Problem is why the last request failed. It is empty if it succeeded, and before the first.
	Problem     string
	ProblemAt   time.Time
	AnsweredAt  time.Time // of the last answer, or zero
	PausedUntil time.Time // no query is sent until then, unless it is zero
}

// Status returns the state for an agent. It sends nothing to the endpoint.
func (s *Service) Status(ctx context.Context, agent records.Agent) (Status, error) {
	model := s.currentModel()
	status := Status{Model: s.options.Model, Dimensions: model.Dimensions, DailyTokens: s.options.DailyTokens}
	if u, err := url.Parse(s.client.url); err == nil {
		status.Endpoint = u.Host
	}
	status.Problem, status.ProblemAt, status.AnsweredAt, status.PausedUntil = s.health.state()
	var err error
	if status.TokensToday, err = s.store.EmbeddingTokens(ctx, time.Now()); err != nil {
		return Status{}, err
	}
	status.EmbeddingCounts, err = s.store.CountEmbedded(ctx, agent.ID, model.ID)
	return status, err
}
