package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"memoir/examples"
	"memoir/internal/access/directory"
	"memoir/internal/access/oidc"
	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/cli"
	"memoir/internal/consolidation"
	"memoir/internal/doctor"
	"memoir/internal/embedding"
	"memoir/internal/exporter"
	"memoir/internal/extraction"
	"memoir/internal/files"
	"memoir/internal/gate"
	"memoir/internal/hooks"
	"memoir/internal/importer"
	"memoir/internal/mcp"
	"memoir/internal/memories"
	"memoir/internal/metrics"
	"memoir/internal/pages"
	"memoir/internal/postgres"
	"memoir/internal/postgres/masked"
	"memoir/internal/recall"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/internal/verification"
	"memoir/internal/version"
)

// newServer returns the HTTP server for the API, hooks, MCP and pages, behind the gate that
// authenticates requests. It sets Addr but does not listen. TLSConfig is nil without --tls-cert. It
// returns an error if the settings of the gate or the TLS files are invalid.
func newServer(
	config config, owned ownerAccess, provider *oidc.Provider, places agents.Settings, engine *engine.Engine, store *postgres.Store, recaller *recall.Recaller, checker *verification.Checker,
	consolidator *consolidation.Consolidator, extractor *extraction.Extractor, reviewer *review.Reviewer, meaning *embedding.Service, background describedModel, backups api.Backups, examine func(context.Context) []doctor.Check, measured *metrics.Metrics, log *slog.Logger,
) (*http.Server, error) {
	people := directory.New(store, log)
	around, err := gate.New(gate.Options{
		Addr: config.addr, AllowedHosts: config.allowedHosts,
		OnlyOwner: config.token == "", TokenFile: owned.file, SignInCode: owned.code,
		Token: cmp.Or(config.token, owned.token), ReadToken: config.readToken, Needs: needs, NeedsAllAgents: needsAllAgents,
		PublicURL: config.publicURL, SignIns: store, Principals: people, UserHeader: config.authHeader, Proxies: config.authProxies, OIDC: provider, SignIn: pages.SignIn, Refusal: pages.Refusal, Log: log,
	})
	if err != nil {
		return nil, err
	}
	shown := masked.Store{Store: store}
	calls := api.New(engine, shown, recaller, api.Options{
		ClaudeMDLimit: config.claudeMDLimit, Checker: checker, Consolidator: consolidator, Extractor: extractor, Reviewer: reviewer, Embedding: meaning,
		Tokens: people, Backups: backups, Examine: examine,
		Exporter: exporter.New(engine, store), Importer: importer.New(engine, store, log),
		BackgroundModel: background.description, Log: log,
	})
	site := pages.New(engine, shown, recaller, pages.Options{
		Places: places, AddSamples: samplesInto(places.AgentsDir), ClaudeMDLimit: config.claudeMDLimit, TokenPrice: config.tokenPrice, Checker: checker, Consolidator: consolidator, Extractor: extractor, Decider: reviewer, Embedding: meaning, Importer: importer.New(engine, store, log), Tokens: people, BackgroundModel: background.description, Log: log,
	})
	protocol := mcp.New(engine, shown, recaller, mcp.Options{Version: version.Current().Version, Log: log})
	server := around.Server(measured.Measure(route(calls, hooks.New(engine, store, recaller, extractor, log), protocol, measured, site)), engine.Hub().Close)
	server.Addr = config.addr
	server.TLSConfig, err = tlsConfig(config, log)
	return server, err
}

// route returns a handler that passes each request to another one by its path. The API and health
// checks are for calls, /hooks/ for hooks, /mcp for protocol, /metrics for measured, and all else for
// site. It redirects nothing. http.ServeMux would redirect DELETE …/memories/.. to DELETE …, which is another
// operation.
func route(calls, hooks, protocol, measured, site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = unescaped(r)
		switch path := r.URL.Path; {
		case path == "/api", strings.HasPrefix(path, "/api/"), path == "/healthz", path == "/readyz":
			calls.ServeHTTP(w, r)
		case strings.HasPrefix(path, "/hooks/"):
			hooks.ServeHTTP(w, r)
		case path == "/mcp":
			protocol.ServeHTTP(w, r)
		case path == metrics.Path:
			measured.ServeHTTP(w, r)
		default:
			site.ServeHTTP(w, r)
		}
	})
}

// unescaped returns a copy of the request whose URL has no raw path, so that routers match unusual
// escapes such as memories%3Abatch. It returns the request itself if there is no raw path, or the
// path has an escaped slash, which is part of a name.
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

// mayWriteTo returns *memories.ConflictError if the directory's owner or permissions forbid
// writing. It returns nil if writing is allowed, the directory is missing, or the check fails. It
// writes nothing.
func mayWriteTo(dir string) error {
	root, err := files.OpenRoot(dir)
	if err == nil {
		defer root.Close() //nolint:errcheck // nothing is written through the handle itself
		err = files.NewGuard(dir).CheckRemoval(root, "any")
	}
	if files.IsOwnership(err) {
		return &memories.ConflictError{Reason: "Examples not added: " + err.Error() + ". Nothing was changed."}
	}
	return nil // a missing directory will be created
}

// samplesInto returns a function that copies the sample agents into agentsDir, or nil if agentsDir
// is empty. The function creates a missing directory. It returns *memories.ConflictError, and
// writes nothing, if the directory is not empty or must not be written.
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
			return &memories.ConflictError{Reason: "Directory " + agentsDir + " is not empty. Nothing was changed. The examples need an empty directory."}
		}
		return err
	}
}

// isCommand reports whether the first argument is the name of a command: args is not empty, and
// args[0] does not start with a dash. The command may be unknown.
func isCommand(args []string) bool { return len(args) > 0 && !strings.HasPrefix(args[0], "-") }

// world returns the environment of a command: variables, standard streams and help. It has the
// address, owner's token and directories of a server with the same environment and no flags.
func world() cli.World {
	c := defaults(os.LookupEnv)
	if addr := os.Getenv("MEMOIR_ADDR"); addr != "" {
		c.addr = addr
	}
	return cli.World{
		Env: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Addr: c.addr, OwnerToken: ownerTokenFromEnvironment, Places: placesFromEnvironment, StartSandbox: startSandbox, Restore: restore, CheckServer: checkServer, MachineChecks: machineChecksOf, Help: usage,
	}
}

// checkServer returns an error for users if the flags and variables of a service are invalid. Its
// paths must not be relative, because a service has another working directory.
func checkServer(args []string, env func(string) (string, bool)) error {
	_, err := parseConfig(args, env, io.Discard)
	switch {
	case errors.Is(err, errAnswered):
		return errors.New("it would only print a text and end")
	case err != nil:
		return err
	}
	c := defaults(env)
	flags := c.flagSet()
	if err := errors.Join(flags.Parse(args), setFromEnvironment(flags, env)); err != nil {
		return err
	}
	for _, path := range c.paths() {
		if *path != "" && !filepath.IsAbs(*path) && !strings.HasPrefix(*path, "~") {
			return fmt.Errorf("the path %s must be absolute, because a service has another working directory", *path)
		}
	}
	return nil
}

// placesFromEnvironment returns the settings with which a server without flags discovers agents. It
// returns an error for users if a variable for any flag is invalid.
func placesFromEnvironment() (agents.Settings, error) {
	c := defaults(os.LookupEnv)
	if err := setFromEnvironment(c.flagSet(), os.LookupEnv); err != nil {
		return agents.Settings{}, err
	}
	if err := c.makePathsAbsolute(os.LookupEnv); err != nil {
		return agents.Settings{}, err
	}
	return placesOf(*c), nil
}
