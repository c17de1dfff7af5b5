// Package pages serves the browser pages: agents, their memories, and the actions on them. It owns
// the addresses, the forms, the redirects and the texts of errors.
//
// It never writes a file or a row: package sync does. It does not authenticate: package gate does,
// and these handlers assume an authorised request. It renders with the view models of package
// templates. Command server mounts it.
//
// Every page is complete and every action is a form that redirects to a page with a notice. So all
// of it works without JavaScript; htmx only replaces parts of pages.
package pages

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"memoir/internal/access"
	"memoir/internal/agents"
	"memoir/internal/consolidation"
	"memoir/internal/embedding"
	"memoir/internal/extraction"
	"memoir/internal/gate"
	"memoir/internal/importer"
	"memoir/internal/memories"
	"memoir/internal/pages/accesspages"
	"memoir/internal/pages/allmemories"
	"memoir/internal/pages/exchangepages"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/recall"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/undo"
	"memoir/internal/verification"
	"memoir/web"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// Options configures the pages.
type Options struct {
	// Places are the places where agents are searched for. A page without agents lists them.
	Places agents.Settings
	// AddSamples installs the sample agents. If it is nil, the pages do not offer them. Users see
	// the reason of its *memories.ConflictError.
	AddSamples func() error
	// ClaudeMDLimit is the intended maximum length of a CLAUDE.md, in Unicode characters.
	ClaudeMDLimit int
	// TokenPrice is the price of a million tokens in dollars. If it is 0, pages show no prices.
	TokenPrice float64
	// DatabaseTime is the timeout of a page's queries, and of the check before an action that
	// Postgres responds. Zero means 15 s.
	DatabaseTime time.Duration
	// Checker checks citations when a memory is shown. If it is nil, pages show the stored results.
	Checker *verification.Checker
	// Consolidator makes and applies plans. If it is nil, pages offer none.
	Consolidator *consolidation.Consolidator
	// Extractor reads conversations. If it is nil, pages show the stored proposals only.
	Extractor *extraction.Extractor
	// Decider carries out decisions about the review. If it is nil, pages show no buttons for them.
	Decider Decider
	// Embedding finds memories by meaning. It is nil without an endpoint.
	Embedding *embedding.Service
	// Importer imports memories. Without it, imports are refused.
	Importer *importer.Importer
	// Tokens manages the tokens of people and programs. If it is nil, there is no page for them.
	Tokens accesspages.Tokens
	// BackgroundModel describes the model for background work. It is empty without one.
	BackgroundModel string
	Log             *slog.Logger
}

// defaultDatabaseTime is far longer than the slowest page takes (arbitrary).
const defaultDatabaseTime = 15 * time.Second

// site holds the state that the handlers share.
type site struct {
	engine   *engine.Engine
	store    Store
	recaller *recall.Recaller
	options  Options
	undoer   undo.Undoer
	kit      *kit.Kit
}

// New returns the handler of all pages and their assets. It does not authenticate: the caller must
// put package gate in front of it. Changes are recorded as made in a browser.
func New(engine *engine.Engine, store Store, recaller *recall.Recaller, options Options) http.Handler {
	if options.DatabaseTime == 0 {
		options.DatabaseTime = defaultDatabaseTime
	}
	if options.Extractor == nil {
		options.Extractor = extraction.Idle(engine, store, options.Log)
	}
	s := &site{engine: engine, store: store, recaller: recaller, options: options, undoer: undo.Undoer{Store: store, Engine: engine}}
	s.kit = &kit.Kit{Store: store, DatabaseTime: options.DatabaseTime, Sidebar: s.sidebar, Notices: notices, Log: options.Log}
	r := chi.NewRouter()
	r.Use(middleware.GetHead, once, s.kit.Framed)
	r.NotFound(s.kit.NotFound)
	r.MethodNotAllowed(s.kit.MethodNotAllowed(r))

	r.Handle(web.Prefix+"*", web.Static())
	// some browsers request it although the page names another icon
	r.Get("/favicon.ico", http.RedirectHandler(web.Asset("icon.svg"), http.StatusFound).ServeHTTP)

	r.Get(address.KeysPath, s.kit.Page(s.keys))
	r.Post(address.ThemePath, s.kit.ChooseTheme)
	r.Get(address.HomePath, s.kit.Page(s.home))
	r.Get(address.NewsPath, s.kit.Page(s.newsMarkdown))
	r.Post(address.SamplesPath, s.kit.Action(s.addSamples))
	r.Get(address.SearchPath, s.kit.Page(s.search))
	r.Get(address.AllMemoriesPath, s.kit.Page(allmemories.Page{Store: store, HomeDir: home(), Notice: s.undoNotice}.ServePage))
	r.Get(address.PalettePath, s.kit.Page(s.palette))
	s.reviewPages(r)
	r.Post(address.UndoPath("{event}"), s.kit.Action(s.undo))
	r.Get(address.UndoPath("{event}"), http.RedirectHandler(address.TimelinePath, http.StatusSeeOther).ServeHTTP)
	r.Get(address.TimelinePath, s.kit.Page(s.timelineOfAll))
	r.Get("/activity", toTimeline(address.ShowEvents))
	r.Get(address.SyncPath, s.kit.Page(s.sync))
	r.Post(address.ScanPath, s.kit.Action(s.scan))
	exchangepages.Register(r, s.kit, store, options.Importer)
	accesspages.Register(r, s.kit, options.Tokens)
	s.agentPages(r)
	s.memoryPages(r)
	return r
}

// agentPages registers the pages and actions of an agent by their full addresses. A sub-router of
// chi answers unknown addresses itself, with a wrong Allow header and for HEAD.
func (s *site) agentPages(r chi.Router) {
	const agent = "/agents/{slug}"
	r.Get(agent, s.kit.Page(s.kit.OfAgent(s.agent)))
	r.Get(agent+"/", s.kit.Page(s.kit.OfAgent(s.agent)))
	r.Get(agent+"/memory", s.kit.Page(orAsOf(s.kit.OfAgent(s.memories), s.memoriesAsOf)))
	s.contextPages(r)
	r.Get(agent+"/timeline", s.kit.Page(s.kit.OfAgent(s.timeline)))
	r.Post(agent+"/timeline/names", s.kit.Action(s.kit.OfAgent(s.nameSession)))
	r.Get(agent+"/activity", toTimeline(address.ShowEvents))
	r.Get(agent+"/sessions", toTimeline(address.ShowSessions))
	r.Get(agent+"/sessions/{session}/memory", toTimeline(address.ShowSessions))
	r.Get(agent+"/logs", toTimeline(address.ShowLogs))
	r.Get(agent+"/logs/{day}", toTimeline(address.ShowLogs))
	r.Post(agent+"/logs", s.kit.Writing(s.kit.OfAgent(s.appendLog)))
	r.Get(agent+"/proposals/{id}/edit", s.kit.Page(s.kit.OfAgent(s.proposal)))
	r.Post(agent+"/proposals/{id}/edit", s.kit.Writing(s.kit.OfAgent(s.editProposal)))
	r.Post(agent+"/proposals/{id}/edit/preview", s.kit.Writing(s.kit.OfAgent(s.previewProposal)))
	r.Post(agent+"/consolidation/steps/{id}/undo", s.kit.Action(s.consolidating(s.undoStep)))
	r.Get(agent+"/trash", s.kit.Page(s.kit.OfAgent(s.trash)))
	r.Get(agent+"/settings", s.kit.Page(s.kit.OfAgent(s.settings)))
	r.Post(agent+"/settings/memory/off", s.kit.Action(s.switchMemory(true)))
	r.Post(agent+"/settings/memory/on", s.kit.Action(s.switchMemory(false)))
	r.Post(agent+"/settings/targets/{target}/on", s.kit.Action(s.switchTarget(true)))
	r.Post(agent+"/settings/targets/{target}/off", s.kit.Action(s.switchTarget(false)))
	r.Get(agent+"/about", kit.Moved(agent+"/settings"))
	r.Post(agent+"/forget", s.kit.Action(s.forget))
	r.Post(agent+"/missing/{decision}", s.kit.Action(s.decideMissing))
}

// reviewPages registers the pages and actions of the review, and the addresses that redirect there.
func (s *site) reviewPages(r chi.Router) {
	const agent = "/agents/{slug}"
	r.Get(address.ReviewPath, s.kit.Page(s.review))
	r.Get(address.ReviewPicturePath, s.kit.Page(s.reviewSummary("image/svg+xml", templates.ReviewPicture)))
	r.Get(address.ReviewMarkdownPath, s.kit.Page(s.reviewSummary("text/plain; charset=utf-8", reviewcards.Markdown)))
	r.Get(address.ReviewBatchPath, s.kit.Page(s.reviewBatch))
	r.Post(address.ReviewBatchPath, s.kit.Writing(s.decideBatch))
	r.Get(address.ReviewPath+"/{id}", s.kit.Page(s.review))
	r.Post(address.ReviewPath+"/{id}", s.kit.Writing(s.decide))
	r.Get(agent+"/review", s.kit.Page(s.kit.OfAgent(s.agentReview)))
	r.Get(agent+"/review/{id}", s.kit.Page(s.kit.OfAgent(s.agentReview)))
	r.Post(agent+"/review/plan/make", s.kit.Action(s.consolidating(s.makePlan)))
	r.Post(agent+"/review/plan/discard", s.kit.Action(s.consolidating(s.discardPlan)))

	r.Get(agent+"/attention", s.kit.Page(s.kit.OfAgent(s.movedToReview)))
	r.Get(agent+"/proposals", s.kit.Page(s.kit.OfAgent(s.movedToReview)))
	r.Get(agent+"/proposals/{id}", s.kit.Page(s.kit.OfAgent(s.movedToReview)))
	r.Get(agent+"/consolidation", s.kit.Page(s.kit.OfAgent(s.movedToReview)))
	r.Get(agent+"/memory/{id}/versions", s.kit.Page(s.kit.OfAgent(s.movedToReview)))
}

// contextPages registers the Context tab of an agent, and its earlier addresses.
func (s *site) contextPages(r chi.Router) {
	const tab, agent = "/agents/{slug}/context", "/agents/{slug}"
	r.Get(tab, s.kit.Page(orAsOf(s.kit.OfAgent(s.agentContext), s.contextAsOf)))
	r.Get(tab+".svg", s.kit.Page(s.kit.OfAgent(s.contextPicture)))
	r.Get(tab+"/index", s.kit.Page(s.indexRepair))
	r.Post(tab+"/index", s.kit.Action(s.repairIndex))
	r.Get(tab+"/facts/{id}", s.kit.Page(s.kit.OfAgent(s.fact)))
	r.Post(tab+"/facts/{id}", s.kit.Writing(s.kit.OfAgent(s.adoptFact)))
	r.Post(tab+"/facts/{id}/preview", s.kit.Writing(s.kit.OfAgent(s.previewFact)))
	r.Post(tab+"/find/{id}", s.kit.Action(s.kit.OfAgent(s.saveFind)))
	r.Get(agent+"/claude-md", kit.Moved(tab+"?file=claude-md"))
	r.Get(agent+"/index", kit.Moved(tab+"?file=memory-md"))
	r.Get(agent+"/recall", kit.Moved(tab))
	r.Get(agent+"/index/repair", kit.Moved(tab+"/index"))
	r.Get(agent+"/index/rebuild", kit.Moved(tab+"/index"))
	r.Get(agent+"/index/facts/{id}", kit.Moved(tab+"/facts/{id}"))
}

func (s *site) memoryPages(r chi.Router) {
	const many = "/agents/{slug}/memory/batch"
	r.Get(many+"/{operation}", s.kit.Page(s.nothingSelected))
	r.Post(many+"/{operation}", s.kit.Writing(s.batch))

	const memory = "/agents/{slug}/memory/{id}"
	const create = "/agents/{slug}/memory/new"
	r.Get(create, s.kit.Page(s.kit.OfAgent(s.newMemory)))
	r.Post(create, s.kit.Writing(s.kit.OfAgent(s.create)))
	r.Post(create+"/preview", s.kit.Writing(s.kit.OfAgent(s.preview)))
	r.Get(memory, s.kit.Page(orAsOf(s.memory, s.memoryAsOf)))
	r.Get(memory+"/edit", s.kit.Page(s.ofMemory(s.editMemory)))
	r.Post(memory+"/edit", s.kit.Writing(s.kit.OfAgent(s.edit)))
	r.Post(memory+"/edit/preview", s.kit.Writing(s.kit.OfAgent(s.preview)))
	r.Get(memory+"/raw", s.kit.Page(s.ofMemory(s.raw)))
	r.Get(memory+"/delete", s.kit.Page(s.ofMemory(s.deletion)))
	r.Post(memory+"/delete", s.kit.Action(s.delete))
	r.Get(memory+"/history", oldTab(address.HistoryTab))
	r.Post(memory+"/history/{revision}/restore", s.kit.Action(s.ofMemory(s.restoreRevision)))
	r.Post(memory+"/restore", s.kit.Action(s.change(s.engine.Restore, doneRestored)))
	r.Post(memory+"/verify", s.kit.Action(s.change(s.engine.Verify, doneVerified)))
	r.Post(memory+"/move", s.kit.Action(s.ofMemory(s.transfer(s.engine.Move, doneMoved))))
	r.Post(memory+"/copy", s.kit.Action(s.ofMemory(s.transfer(s.engine.Copy, doneCopied))))
	r.Post(memory+"/reveal", s.kit.Action(s.reveal))
	r.Post(memory+"/citations", s.kit.Action(s.ofMemory(s.checkCitations)))
	r.Post(memory+"/purge", s.kit.Action(s.purge))
	r.Post(memory+"/type", s.kit.Action(s.chooseType))
	r.Post(memory+"/asked-as", s.kit.Writing(s.askAs))
	r.Get(memory+"/fix", oldTab(address.FileTab))
	r.Post(memory+"/fix", s.kit.Action(s.fix))
	r.Post(memory+"/fix/undo", s.kit.Action(s.undoFix))
}

// Store is the database of the pages. *postgres.Store implements and documents it.
type Store interface {
	records.Reads
	records.Overview
	records.Timeline
	extraction.Store // for an Extractor without a model

	// Revealed is Memory without masks. The other methods mask what is in quarantine.
	Revealed(ctx context.Context, agent records.Agent, id string) (memories.Memory, error)
	MemoryList(ctx context.Context, agent records.Agent, list records.MemoryList, window records.MemoryWindow) (records.MemoryListPage, error)
	MemoryViewCounts(ctx context.Context, agent records.Agent) (records.MemoryViewCounts, error)
	ReviewTexts(ctx context.Context, agentID int64, since time.Time, ids []string) ([]records.ReviewText, error)
	ConsolidationStep(ctx context.Context, agentID int64, id string) (records.Step, error)
	RunDetached(ctx context.Context, timeout time.Duration, change func(context.Context) error) error
}

// SignIn writes the page that asks for the token, or to sign in at a provider, with the problem of
// the last try. It implements
// gate.Options.SignIn. It sends no status, because the gate has already sent one after a wrong
// token.
func SignIn(w http.ResponseWriter, r *http.Request, form gate.SignInForm) {
	v := templates.SignIn{Next: form.Next, Provider: form.Provider, ProviderHref: form.ProviderHref, ProviderProblem: form.Problem}
	switch {
	case form.Wrong:
		v.Problem = "Wrong token. Use the value of --token."
	case form.Wait > 0:
		v.Problem = fmt.Sprintf("Too many wrong tokens. Try again in %d s.", form.Wait)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = templates.SignInPage(v).Render(kit.ForReader(r, false), w) // the client may have disconnected
}

// Refusal writes the error page for a request that the gate refused or that panicked, with the
// status. For 403, 429 and 503 the page shows the detail. For 403 to a user who may only read, it
// explains the token instead. For 5xx it shows the request id. It implements gate.Options.Refusal.
func Refusal(w http.ResponseWriter, r *http.Request, status int, detail string) {
	f := templates.FailureOf(status)
	switch {
	case status == http.StatusForbidden && gate.ReadOnly(r.Context()) && access.Of(r.Context()).Name == "":
		f.Title = "Read-only access"
		f.Text = "Nothing was changed. Sign in at /sign-in with the other token."
	case status == http.StatusForbidden, status == http.StatusServiceUnavailable:
		f.Text = detail
	case status == http.StatusTooManyRequests:
		f.Title, f.Text = "Too many wrong tokens", detail
	}
	if status >= http.StatusInternalServerError {
		f.RequestID = gate.RequestID(r.Context())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = templates.FailurePage(f).Render(r.Context(), w) // the client may have disconnected
}

func (s *site) keys(w http.ResponseWriter, r *http.Request) error {
	return kit.Show(w, r, http.StatusOK, ui.KeysPage(ui.Keys{}))
}
