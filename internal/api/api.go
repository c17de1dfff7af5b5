// Package api is Memoir's JSON API: agents, memories, scans and events over HTTP, and the OpenAPI document that
// describes them, derived from the same Go types. It translates between HTTP and the domain and decides nothing:
// what a save or a deletion does is the sync room's. It never lets anybody in or keeps anybody out; package gate,
// which cmd/server puts around it, does.
//
// Each file is one resource: its shapes, its calls, and what is particular to them. The statuses of errors stand in one
// table, in errors.go.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/internal/sync"
	"memoir/internal/verification"
)

// Options are the settings of the API.
type Options struct {
	// ClaudeMDLimit is the engine's, in Unicode characters; it is only shown.
	ClaudeMDLimit int
	// MaxStreams is how many event streams may be open at once; 0 is 256.
	MaxStreams int
	// Ping is the time between two signs of life on a silent event stream; 0 is 15 s.
	Ping time.Duration
	// DatabaseTime is how long Postgres may take for what a call reads, and to say that it is there before a call
	// writes; past it Postgres counts as away. 0 is 15 s.
	DatabaseTime time.Duration
	// Checker checks what memories cite when asked; nil: what is kept of earlier checks is answered.
	Checker *verification.Checker
	// Consolidator makes and applies plans; nil: there are none.
	Consolidator *consolidation.Consolidator
	// Extractor reads conversations; nil: none is read.
	Extractor *extraction.Extractor
	// BackgroundModel says which model is asked in the background, and how; empty: none.
	BackgroundModel string
	Log             *slog.Logger
}

const (
	// defaultStreams is the number of browser tabs and scripts of a large team; each takes a goroutine and 256 events.
	defaultStreams = 256
	// defaultPing is below the idle time after which common proxies cut a connection, 30 s and more.
	defaultPing = 15 * time.Second
	// defaultDatabaseTime is far above what the largest list takes, and below what scripts wait for an answer.
	defaultDatabaseTime = 15 * time.Second
)

type api struct {
	engine   *sync.Engine
	store    Store
	recaller *recall.Recaller
	options  Options
	huma     huma.API
	streams  chan struct{} // one place for each event stream that may be open
}

// New returns the handler of everything under /api, and of /healthz and /readyz. It expects whole paths: nothing is
// to be stripped in front of it.
func New(engine *sync.Engine, store Store, recaller *recall.Recaller, options Options) http.Handler {
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
	router.Use(middleware.GetHead, whole, receive, byScript)
	router.NotFound(notFound)
	router.MethodNotAllowed(methodNotAllowed(router))
	a.huma = humachi.New(router, description())
	a.huma.UseMiddleware(strict)
	a.registerAgents()
	a.registerMemories()
	a.registerTrash()
	a.registerTeam()
	a.registerBatch()
	a.registerSearch()
	a.registerRecall()
	a.registerRecallUse()
	a.registerExtraction()
	a.registerJobs()
	a.registerAbout()
	a.registerRevisions()
	a.registerRaw()
	a.registerSessions()
	a.registerSessionMemory()
	a.registerLogs()
	a.registerBlocked()
	a.registerFixes()
	a.registerDisagreements()
	a.registerCitations()
	a.registerConsolidation()
	a.registerActivity()
	a.registerStatistics()
	a.registerDocuments()
	a.registerIndex()
	a.registerClaudeMD()
	a.registerMemoryTool()
	a.registerDeletion()
	a.registerScans()
	a.registerEvents()
	router.Get("/api/openapi.json", withoutQuery(a.openAPI()))
	router.Get("/healthz", a.alive)
	router.Get("/readyz", a.ready)
	return ownRouting(router)
}

// byScript says for the journal that a script asks: whoever calls the API is none of the pages.
func byScript(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(sync.As(r.Context(), memories.ByScript)))
	})
}

// ownRouting keeps the API's router from taking part in the routing of one around it, whose routes it does not share.
func ownRouting(router http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fresh := context.WithValue(r.Context(), chi.RouteCtxKey, (*chi.Context)(nil))
		router.ServeHTTP(w, r.WithContext(fresh))
	})
}

// register adds a call. What its handler fails with becomes a problem by the one table.
func register[I, O any](a *api, op huma.Operation, handle func(context.Context, *I) (*O, error)) {
	op.MaxBodyBytes, op.BodyReadTimeout = -1, -1 // receive has read the body, within its own limits
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

// answer is a body that goes with status 200.
type answer[T any] struct{ Body T }

func ok[T any](body T) *answer[T] { return &answer[T]{body} }
