package main

import (
	"errors"
	"log/slog"
	"net/http"

	"memoir/examples"
	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres"
	"memoir/internal/sync"
)

// newServer puts the API and the pages behind the gate.
func newServer(config config, places agents.Settings, engine *sync.Engine, store *postgres.Store, log *slog.Logger) (*http.Server, error) {
	around, err := gate.New(gate.Options{
		Addr: config.addr, AllowedHosts: config.allowedHosts, Token: config.token, SignIn: pages.SignIn, Log: log,
	})
	if err != nil {
		return nil, err
	}
	calls := api.New(engine, store, api.Options{ClaudeMDLimit: config.claudeMDLimit, Log: log})
	mux := http.NewServeMux()
	for _, path := range []string{"/api", "/api/", "/healthz", "/readyz"} {
		mux.Handle(path, calls)
	}
	mux.Handle("/", pages.New(engine, store, pages.Options{
		Places: places, AddSamples: samplesInto(places.AgentsDir), ClaudeMDLimit: config.claudeMDLimit, Log: log,
	}))
	server := gate.Server(around.Around(mux), log, engine.Hub().Close)
	server.Addr = config.addr
	return server, nil
}

// samplesInto returns what puts the sample agents into the agents directory; nil when there is none.
func samplesInto(agentsDir string) func() error {
	if agentsDir == "" {
		return nil
	}
	return func() error {
		err := examples.Copy(agentsDir)
		if errors.Is(err, examples.ErrNotEmpty) {
			return &memories.ConflictError{Reason: "There is something in " + agentsDir + " already, so the sample agents were not put there. Nothing was changed."}
		}
		return err
	}
}
