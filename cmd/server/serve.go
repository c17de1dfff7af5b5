package main

import (
	"log/slog"
	"net/http"

	"memoir/internal/api"
	"memoir/internal/gate"
	"memoir/internal/postgres"
	"memoir/internal/sync"
)

// newServer puts the API and the pages behind the gate.
func newServer(config config, engine *sync.Engine, store *postgres.Store, log *slog.Logger) (*http.Server, error) {
	calls := api.New(engine, store, api.Options{ClaudeMDLimit: config.claudeMDLimit, Log: log})
	mux := http.NewServeMux()
	for _, path := range []string{"/api", "/api/", "/healthz", "/readyz"} {
		mux.Handle(path, calls)
	}
	around, err := gate.New(gate.Options{Addr: config.addr, AllowedHosts: config.allowedHosts, Token: config.token, Log: log})
	if err != nil {
		return nil, err
	}
	server := gate.Server(around.Around(mux), log, engine.Hub().Close)
	server.Addr = config.addr
	return server, nil
}
