package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/cli"
	"memoir/internal/gate"
	"memoir/internal/pages"
	"memoir/internal/postgres/masked"
	"memoir/internal/recall"
	engine "memoir/internal/sync"
)

// startPoll is how often startSandbox checks whether all memories can be searched. Arbitrary.
const startPoll = 20 * time.Millisecond

// startSandbox runs a Memoir for the agents in dir/agents, with a private Postgres in dir/data. It
// has only the API, at a free port of this machine and behind a new token. No model, environment
// variable or background work changes its answers. It returns when all memories can be searched.
// The caller must call Stop, which ends all of it.
func startSandbox(ctx context.Context, dir string) (sandbox cli.Sandbox, err error) {
	var stops []func()
	stop := func() {
		for i := len(stops) - 1; i >= 0; i-- {
			stops[i]()
		}
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	log := slog.New(slog.DiscardHandler)
	settings := defaults(func(string) (string, bool) { return "", false })
	settings.dataDir, settings.isTemporary = filepath.Join(dir, "data"), true
	database, err := openDatabase(ctx, *settings, log)
	if err != nil {
		return sandbox, err
	}
	stops = append(stops, database.close)
	mirror, err := engine.Start(database.store, engine.Options{
		Places:   agents.Settings{AgentsDir: filepath.Join(dir, "agents")},
		Debounce: settings.debounce, Rescan: settings.rescan, ClaudeMDLimit: settings.claudeMDLimit, Log: log,
	})
	if err != nil {
		return sandbox, err
	}
	stops = append(stops, func() { _ = mirror.Close() }) // nothing of it is used again
	recaller := recall.New(database.store, recall.Options{Log: log})
	stops = append(stops, recaller.Close)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return sandbox, err
	}
	sandbox = cli.Sandbox{URL: "http://" + listener.Addr().String(), Token: rand.Text(), Stop: stop}
	around, err := gate.New(gate.Options{
		Addr: listener.Addr().String(), Token: sandbox.Token, SignIns: database.store, SignIn: pages.SignIn, Log: log,
	})
	if err != nil {
		_ = listener.Close() // nothing uses it
		return sandbox, err
	}
	calls := api.New(mirror, masked.Store{Store: database.store}, recaller, api.Options{ClaudeMDLimit: settings.claudeMDLimit, Log: log})
	server := around.Server(calls, mirror.Hub().Close)
	go server.Serve(listener)                            //nolint:errcheck // it ends with Close
	stops = append(stops, func() { _ = server.Close() }) // no request is running

	for tick := time.NewTicker(startPoll); !mirror.Ready() || !mirror.Searchable(); {
		select {
		case <-tick.C:
		case <-database.lost():
			return sandbox, fmt.Errorf("the private Postgres has ended: %w", database.server.Err())
		case <-ctx.Done():
			return sandbox, ctx.Err()
		}
	}
	return sandbox, nil
}
