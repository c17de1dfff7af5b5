package main

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"memoir/examples"
	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/files"
	"memoir/internal/gate"
	"memoir/internal/hooks"
	"memoir/internal/mcp"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres"
	"memoir/internal/recall"
	"memoir/internal/sync"
	"memoir/internal/verification"
)

// newServer puts the API, the hooks, MCP and the pages behind the gate.
func newServer(
	config config, owned ownerAccess, places agents.Settings, engine *sync.Engine, store *postgres.Store, recaller *recall.Recaller, checker *verification.Checker,
	consolidator *consolidation.Consolidator, extractor *extraction.Extractor, background asked, log *slog.Logger,
) (*http.Server, error) {
	around, err := gate.New(gate.Options{
		Addr: config.addr, AllowedHosts: config.allowedHosts,
		OnlyOwner: config.token == "", TokenFile: owned.file, SignInCode: owned.code,
		Token: cmp.Or(config.token, owned.token), ReadToken: config.readToken, OnlyReads: onlyReads,
		PublicURL: config.publicURL, SignIns: store, SignIn: pages.SignIn, Refusal: pages.Refusal, Log: log,
	})
	if err != nil {
		return nil, err
	}
	calls := api.New(engine, store, recaller, api.Options{ClaudeMDLimit: config.claudeMDLimit, Checker: checker, Consolidator: consolidator, Extractor: extractor, BackgroundModel: background.is, Log: log})
	site := pages.New(engine, store, recaller, pages.Options{
		Places: places, AddSamples: samplesInto(places.AgentsDir), ClaudeMDLimit: config.claudeMDLimit, Checker: checker, Consolidator: consolidator, Extractor: extractor, BackgroundModel: background.is, Log: log,
	})
	protocol := mcp.New(engine, store, recaller, mcp.Options{Version: version(), Log: log})
	server := around.Server(route(calls, hooks.New(engine, store, recaller, extractor, log), protocol, site), engine.Hub().Close)
	server.Addr = config.addr
	server.TLSConfig, err = tlsConfig(config, log)
	return server, err
}

// route divides the addresses between the rooms. It leads nowhere else than they say, where http.ServeMux
// would lead from DELETE …/memories/.. to DELETE …, which is another call.
func route(calls, hooks, protocol, site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = unescaped(r)
		switch path := r.URL.Path; {
		case path == "/api", strings.HasPrefix(path, "/api/"), path == "/healthz", path == "/readyz":
			calls.ServeHTTP(w, r)
		case strings.HasPrefix(path, "/hooks/"):
			hooks.ServeHTTP(w, r)
		case path == "/mcp":
			protocol.ServeHTTP(w, r)
		default:
			site.ServeHTTP(w, r)
		}
	})
}

// unescaped returns the request as the rooms are to route it: by the path that its address stands for, however it is escaped. Routers
// go by the address as it was sent where that is not how Go would write it: memories%3Abatch would be nothing. An escaped slash is a
// part of a name, which the path alone does not tell, and an address with one stays as it is.
func unescaped(r *http.Request) *http.Request {
	if r.URL.RawPath == "" || strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") {
		return r
	}
	address := *r.URL
	address.RawPath = ""
	r = r.WithContext(r.Context())
	r.URL = &address
	return r
}

// onlyReads says which posts change nothing: recalls, hooks, and MCP, which looks at each call itself. It takes addresses as they
// are written, too: another spelling of one is refused.
func onlyReads(r *http.Request) bool {
	path := r.URL.EscapedPath()
	slug, found := strings.CutPrefix(path, "/api/v1/agents/")
	slug, isRecall := strings.CutSuffix(slug, "/recall")
	isRecall = isRecall && found && !strings.Contains(slug, "/")
	return r.Method == http.MethodPost && (isRecall || path == "/mcp" || strings.HasPrefix(path, "/hooks/"))
}

// mayWriteTo returns a conflict if a directory must not be written because of its owner or permissions.
func mayWriteTo(dir string) error {
	root, err := files.OpenRoot(dir)
	if err == nil {
		defer root.Close() //nolint:errcheck // nothing is written through the handle itself
		err = files.NewGuard(dir).CheckRemoval(root, "any")
	}
	if files.IsOwnership(err) {
		return &memories.ConflictError{Reason: "The samples were not added: " + err.Error() + ". Nothing was changed."}
	}
	return nil // a directory that is not there is made
}

// samplesInto returns what puts the sample agents into the agents directory; nil when there is none.
func samplesInto(agentsDir string) func() error {
	if agentsDir == "" {
		return nil
	}
	return func() error {
		if err := mayWriteTo(agentsDir); err != nil {
			return err
		}
		err := examples.Copy(agentsDir)
		if errors.Is(err, examples.ErrNotEmpty) {
			return &memories.ConflictError{Reason: "There is something in " + agentsDir + " already, so the sample agents were not put there. Nothing was changed."}
		}
		return err
	}
}
