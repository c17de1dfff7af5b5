// Package api is Memoir's JSON API: agents, memories, scans and events over HTTP. It also serves
// the OpenAPI document, which is derived from the same Go types. The package translates between
// HTTP and the domain; package sync makes all changes. It does not authenticate requests: package
// gate, which cmd/server puts around it, does.
//
// Each file is one resource, with its JSON types and its calls. Package problem maps errors to
// statuses.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"memoir/internal/consolidation"
	"memoir/internal/doctor"
	"memoir/internal/embedding"
	"memoir/internal/exporter"
	"memoir/internal/extraction"
	"memoir/internal/importer"
	"memoir/internal/memories"
	"memoir/internal/metrics/route"
	"memoir/internal/recall"
	"memoir/internal/records"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/internal/verification"
)

// Options configures the API.
type Options struct {
	// ClaudeMDLimit is the engine's limit of a CLAUDE.md, in Unicode characters. It is only shown.
	ClaudeMDLimit int
	// MaxStreams is the maximum number of open event streams. 0 means 256.
	MaxStreams int
	// Ping is the time between two comments that keep a quiet event stream open. 0 means 15 s.
	Ping time.Duration
	// DatabaseTime is the time limit of a call that reads. For a call that writes, it limits how
	// long Postgres may not respond. 0 means 15 s.
	DatabaseTime time.Duration
	// Checker checks citations on request. If it is nil, calls return the stored results only.
	Checker *verification.Checker
	// Consolidator makes and applies plans. If it is nil, the calls of consolidation fail with 409.
	Consolidator *consolidation.Consolidator
	// Extractor reads conversations. If it is nil, extraction.Idle serves the stored proposals.
	Extractor *extraction.Extractor
	// Reviewer carries out decisions of the review. If it is nil, the calls that decide fail with 409.
	Reviewer *review.Reviewer
	// Embedding finds memories by meaning. It is nil without an endpoint.
	Embedding *embedding.Service
	// Exporter and Importer move memories. If they are nil, their calls fail with 409.
	Exporter *exporter.Exporter
	Importer *importer.Importer
	// Backups makes backups of the server.
	Backups Backups
	// Examine checks the server and its machine. If it is nil, there are no checks.
	Examine func(ctx context.Context) []doctor.Check
	// Tokens manages tokens. If it is nil, the calls of tokens fail with 409.
	Tokens Tokens
	// BackgroundModel describes the model for background jobs. It is empty without a model.
	BackgroundModel string
	// Log receives failed calls.
	Log *slog.Logger
}

const (
	// defaultStreams is an estimate for the browser tabs and scripts of a large team. Each stream
	// needs a goroutine and a buffer of 256 events.
	defaultStreams = 256
	// defaultPing is below the idle timeout of common proxies, which is 30 s or more.
	defaultPing = 15 * time.Second
	// defaultDatabaseTime is arbitrary: longer than the largest list takes, and shorter than the
	// usual timeout of scripts.
	defaultDatabaseTime = 15 * time.Second
)

// api implements the handlers of all calls.
type api struct {
	engine   *engine.Engine
	store    Store
	recaller *recall.Recaller
	options  Options
	huma     huma.API
	streams  chan struct{} // one element for each open event stream
}

// New returns the handler of all paths below /api, and of /healthz and /readyz. It answers 404 for
// other paths. It needs full paths, so the caller must not strip a prefix.
func New(engine *engine.Engine, store Store, recaller *recall.Recaller, options Options) http.Handler {
	if options.MaxStreams == 0 {
		options.MaxStreams = defaultStreams
	}
	if options.Ping == 0 {
		options.Ping = defaultPing
	}
	if options.DatabaseTime == 0 {
		options.DatabaseTime = defaultDatabaseTime
	}
	if options.Extractor == nil {
		options.Extractor = extraction.Idle(engine, store, options.Log)
	}
	a := &api{engine: engine, store: store, recaller: recaller, options: options, streams: make(chan struct{}, options.MaxStreams)}
	router := chi.NewRouter()
	router.Use(route.Report, recall.RecordDelivered, middleware.GetHead, delayStatus, receive, byScript)
	router.NotFound(notFound)
	router.MethodNotAllowed(methodNotAllowed(router))
	a.huma = humachi.New(router, description())
	a.huma.UseMiddleware(strict)
	a.registerAgents()
	a.registerMemories()
	a.registerTeam()
	a.registerBatch()
	a.registerSearch()
	a.registerAllMemories()
	a.registerRecall()
	a.registerRecallUse()
	a.registerExtraction()
	a.registerJobs()
	a.registerEmbedding()
	a.registerSessions()
	a.registerLogs()
	a.registerBlocked()
	a.registerFixes()
	a.registerDisagreements()
	a.registerCitations()
	a.registerConsolidation()
	a.registerReview()
	a.registerActivity()
	a.registerStatistics()
	a.registerDocuments()
	a.registerIndex()
	a.registerClaudeMD()
	a.registerTargets()
	a.registerMemoryTool()
	a.registerDeletion()
	a.registerScans()
	a.registerBackup()
	a.registerDoctor()
	a.registerEvents()
	a.registerExport()
	a.registerImport()
	a.registerTokens()
	router.Get("/api/openapi.json", withoutQuery(a.openAPI()))
	router.Get("/healthz", a.alive)
	router.Get("/readyz", a.ready)
	return ownRouting(router)
}

// byScript returns a handler that calls next with a context that names memories.ByScript as the
// author of changes. The journal records this author. The pages do not use the API.
func byScript(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(engine.As(r.Context(), memories.ByScript)))
	})
}

// ownRouting returns a handler that calls router without the chi route context of an outer router.
// Otherwise router would continue the outer routing instead of starting its own.
func ownRouting(router http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fresh := context.WithValue(r.Context(), chi.RouteCtxKey, (*chi.Context)(nil))
		router.ServeHTTP(w, r.WithContext(fresh))
	})
}

// register adds a call to the router and to the OpenAPI document. A GET call ends after
// Options.DatabaseTime. Any other call continues if the client disconnects, but is answered with an
// error if Postgres does not respond for Options.DatabaseTime. An error of handle is logged and
// answered as a problem.
func register[I, O any](a *api, op huma.Operation, handle func(context.Context, *I) (*O, error)) {
	op.MaxBodyBytes, op.BodyReadTimeout = -1, -1 // receive has read the body, within its own limits
	if hasBody(reflect.TypeFor[I]()) {
		op.Errors = slices.Sorted(slices.Values(append(op.Errors, bodyFailures...)))
	}
	where := "query"
	writes := op.Method != http.MethodGet
	if writes {
		where = "body"
	}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		var out *O
		work := func(ctx context.Context) (err error) {
			out, err = handle(ctx, in)
			return err
		}
		var err error
		if writes {
			err = a.store.RunDetached(ctx, a.options.DatabaseTime, work)
		} else {
			limited, cancel := context.WithTimeout(ctx, a.options.DatabaseTime)
			defer cancel()
			err = work(limited)
		}
		if err != nil {
			return nil, a.problem(ctx, where, err)
		}
		return out, nil
	})
}

// hasBody reports whether an input has a field for the request body.
func hasBody(input reflect.Type) bool {
	_, isJSON := input.FieldByName("Body")
	_, isRaw := input.FieldByName("RawBody")
	return isJSON || isRaw
}

// answer is the body of a response with status 200.
type answer[T any] struct{ Body T }

func ok[T any](body T) *answer[T] { return &answer[T]{body} }

// Store is the database of the API. masked.Store implements it and documents the methods.
type Store interface {
	records.Reads
	extraction.Store // for extraction.Idle

	// Revealed is Memory without masks. The other methods mask what is in quarantine.
	Revealed(ctx context.Context, agent records.Agent, id string) (memories.Memory, error)
	AddReveal(ctx context.Context, agentID int64, id string, actor memories.Actor) error
	Ping(ctx context.Context) error
	RunDetached(ctx context.Context, timeout time.Duration, change func(context.Context) error) error
}
