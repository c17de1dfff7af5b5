// Command server is Memoir: it mirrors agents' memories into Postgres, shows them in a browser and
// serves a JSON API. It parses the settings, connects the packages and shuts them down. With a word
// as first argument it runs a command of package cli.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/askedas"
	"memoir/internal/backup"
	"memoir/internal/cli"
	"memoir/internal/consolidation"
	"memoir/internal/embedding"
	"memoir/internal/extraction"
	"memoir/internal/gate"
	"memoir/internal/jobs"
	"memoir/internal/metrics"
	"memoir/internal/model"
	"memoir/internal/postgres"
	"memoir/internal/postgres/figures"
	"memoir/internal/recall"
	"memoir/internal/review"
	engine "memoir/internal/sync"
	"memoir/internal/verification"
	"memoir/internal/version"
)

// The server ends within 15 s of a signal. Requests may take requestTimeout, other work
// backgroundTimeout more, and the database stopTimeout.
const (
	requestTimeout    = 9 * time.Second
	backgroundTimeout = time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if args := os.Args[1:]; isCommand(args) {
		os.Exit(cli.Run(ctx, world(), args))
	}
	err := run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr)
	var refused *settingsError
	switch {
	case errors.Is(err, errAnswered):
	case ctx.Err() != nil && errors.Is(err, context.Canceled): // stopped before it had started
	case errors.As(err, &refused):
		fmt.Fprintln(os.Stderr, "memoir:", err)
		os.Exit(cli.Misused)
	case err != nil:
		fmt.Fprintln(os.Stderr, "memoir:", err)
		os.Exit(cli.Failed)
	}
}

// settingsError means that the flags or variables are invalid. Nothing was started.
type settingsError struct{ error }

// run parses the settings, listens, opens the database, and serves until ctx ends or a required
// part fails. It returns nil after ctx has ended and all work with it. If work does not end in
// time, it logs that and returns nil. It returns errAnswered for --help and --version,
// *settingsError for invalid settings, and ctx's error if ctx ends before the database is open.
// Other errors are sentences for users.
func run(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) error {
	config, err := parseConfig(args, env, stdout)
	if errors.Is(err, errAnswered) {
		return err
	}
	if err != nil {
		return &settingsError{err}
	}
	log := newLog(config.logFormat, stderr)
	if _, err := tlsConfig(config, log); err != nil {
		return &settingsError{err}
	}
	if _, err := config.oidc.provider(config.publicURL); err != nil {
		return &settingsError{err}
	}
	limitHeap()
	logFigures(ctx, log)
	go releaseMemory(ctx)
	// The listener comes first: if the address is unavailable, nothing else was touched.
	listener, err := net.Listen("tcp", config.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Choose another address with --addr", config.addr, err)
	}
	defer listener.Close() //nolint:errcheck // the HTTP server normally closes it
	if err := config.checkListener(listener.Addr()); err != nil {
		return &settingsError{err}
	}

	database, err := openDatabase(ctx, config, log)
	if err != nil {
		return err
	}
	defer database.close()
	late := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(requestTimeout+backgroundTimeout, func() { close(late) }) })()
	ended := make(chan error, 1)
	go func() { ended <- work(ctx, config, listener, database, stdout, log) }()
	select {
	case err := <-ended:
		return err
	case <-late:
		log.Warn("background work did not end in time, continues at the next start")
		return nil
	}
}

// work starts the engine and all features, and serves until ctx ends, when it returns nil, or a
// required part fails. Then it closes them in reverse order. It does not close database.
func work(ctx context.Context, config config, listener net.Listener, database *database, stdout io.Writer, log *slog.Logger) error {
	places := placesOf(config)
	engine, err := engine.Start(database.store, engine.Options{
		Places: places, Debounce: config.debounce, Rescan: config.rescan, ClaudeMDLimit: config.claudeMDLimit, AgeNotes: config.ageNotes, Poll: config.watch == watchPoll,
		Log: log,
	})
	if err != nil {
		return err
	}
	defer func() {
		if err := engine.Close(); err != nil {
			log.Warn("engine not closed cleanly", "error", err)
		}
	}()
	defer context.AfterFunc(ctx, engine.StopScans)()
	recalls := recall.Options{Selector: selectorOf(config.model, log), Log: log}
	meaning := embeddingOf(config.embedding, engine, database.store, log)
	if meaning != nil {
		defer meaning.Close()
		recalls.Meaning = meaning
	}
	recaller := recall.New(database.store, recalls)
	defer recaller.Close()
	checker := verification.Start(engine, database.store, verification.Options{Log: log})
	defer checker.Close()
	queue, err := jobs.New(database.store, jobs.Options{Changed: engine.EmitScanned, Log: log})
	if err != nil {
		return err
	}
	background := backgroundModel(config.model, os.Environ(), log)
	consolidator := consolidation.Start(engine, database.store, queue, consolidation.Options{
		Mode: config.consolidate, Model: background.Model, ModelName: config.model.background, Log: log,
	})
	defer consolidator.Close()
	extractor := extraction.Start(engine, database.store, extraction.Options{
		Mode: config.extract.mode, Quiet: config.extract.quiet, DailyTokens: config.extract.dailyTokens, Model: background.Model, ClaudeDir: config.claudeDir, Queue: queue, Log: log,
	})
	defer extractor.Close()
	reviewer := review.Start(engine, database.store, review.Options{
		Off: config.review.off, Suggestions: suggestions{extractor}, Plans: plans{consolidator},
		Model: background.Model, DailyTokens: config.review.dailyTokens, Queue: queue, Log: log,
	})
	defer reviewer.Close()
	phrases := askedas.Options{Model: background.Model, DailyTokens: config.askedAs.dailyTokens, Queue: queue, Log: log}
	if config.askedAs.mode == askedAsOff {
		phrases.Model = nil
	}
	defer askedas.Start(engine, database.store, phrases).Close()
	queue.Start(ctx, engine.Ready)
	defer queue.Close()
	var owned ownerAccess
	if config.token == "" {
		if owned, err = accessOfOwner(config.dataDir, gate.CanIdentifyPeers); err != nil {
			return err
		}
	}
	backups := api.Backups{Service: backup.New(database.store.Pool(), version.Current().Version)}
	if config.backup.dir != "" {
		scheduled := backups.Service.Start(backup.Schedule{Dir: config.backup.dir, Every: config.backup.every, Keep: config.backup.keep, Ready: engine.Ready, Log: log})
		defer scheduled.Close()
		backups.Scheduled = scheduled.Status
	}
	counts := figures.New(database.store.Pool())
	measured := metrics.New(metrics.Sources{Status: engine.Status, Figures: counts.Read, Backups: backups.Scheduled})
	provider, err := config.oidc.provider(config.publicURL)
	if err != nil {
		return err
	}
	checks := examiner{config, engine, database.store, counts, meaning, background, backups.Scheduled, provider}
	server, err := newServer(config, owned, provider, places, engine, database.store, recaller, checker, consolidator, extractor, reviewer, meaning, background, backups, checks.examine, measured, log)
	if err != nil {
		return err
	}
	if link := owned.link(schemeOf(server), server.Addr, listener.Addr()); link != "" {
		log.Info("open this link once to sign in with the browser", "link", link)
	}
	return serve(ctx, listener, server, database, stdout, log)
}

// serve prints the address on stdout and answers requests until ctx ends. Then it closes the
// listener, waits up to requestTimeout for running requests, closes all connections, and returns
// nil. It returns an error if the listener fails or the private database has ended.
func serve(ctx context.Context, listener net.Listener, server *http.Server, database *database, stdout io.Writer, log *slog.Logger) error {
	failed := make(chan error, 1)
	// Serve sets TLSConfig, with TLS or without.
	scheme := schemeOf(server)
	go func() {
		if scheme == "https" {
			failed <- server.ServeTLS(listener, "", "")
			return
		}
		failed <- server.Serve(listener)
	}()
	fmt.Fprintf(stdout, "memoir: listening on %s://%s\n", scheme, displayAddress(server.Addr, listener.Addr()))
	select {
	case <-ctx.Done():
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-database.lost():
		return database.server.Err()
	}
	log.Info("stopping: finishing writes, cancelling scans")
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	if err := server.Shutdown(stopCtx); err != nil {
		log.Warn("connections still open, closing them", "error", err)
		return server.Close()
	}
	return nil
}

func schemeOf(server *http.Server) string {
	if server.TLSConfig != nil {
		return "https"
	}
	return "http"
}

// displayAddress returns the address given. If its port is 0, the port of found replaces it.
func displayAddress(given string, found net.Addr) string {
	host, port, err := net.SplitHostPort(given)
	if err != nil || port != "0" {
		return given
	}
	_, port, err = net.SplitHostPort(found.String())
	if err != nil {
		return given
	}
	return net.JoinHostPort(host, port)
}

// selectorOf returns the model that selects memories for recall, and logs that it is used. It
// returns nil, and logs nothing, if config.name is empty or there is no key.
func selectorOf(config modelConfig, log *slog.Logger) recall.Selector {
	if config.name == "" || !config.endpoint.IsSet() {
		return nil
	}
	log.Info("recall sends prompts and names and descriptions of memories to the model", "model", config.name)
	return recall.SelectBy(model.Pausing(model.Anthropic(config.name, config.endpoint)))
}

// embeddingOf starts the search by meaning, and logs the endpoint. It returns nil, and logs nothing,
// without a URL.
func embeddingOf(config embeddingConfig, e *engine.Engine, store *postgres.Store, log *slog.Logger) *embedding.Service {
	if config.url == "" {
		return nil
	}
	log.Info("memories and prompts are sent to the embedding endpoint", "url", embedding.Endpoint(config.url), "model", config.model)
	return embedding.Start(e, store, embedding.Options{
		URL: config.url, Model: config.model, Key: config.key, DailyTokens: config.dailyTokens, Log: log,
	})
}

// describedModel is a model and its description for users.
type describedModel struct {
	model.Model
	description string
}

// backgroundModel returns the model for background work, and logs that it is used. It is the
// Messages API if there is a key, else the claude command line, run with the environment env.
// Without a model's name, or without key and installed command, it logs nothing and returns the
// zero value.
func backgroundModel(config modelConfig, env []string, log *slog.Logger) describedModel {
	var found describedModel
	if config.background == "" {
		return found
	}
	if config.endpoint.IsSet() {
		found = describedModel{model.Pausing(model.Anthropic(config.background, config.endpoint)), config.background + ", over the Messages API"}
	} else if program, err := exec.LookPath(config.command); config.command != "" && err == nil {
		found = describedModel{model.Pausing(model.Command(program, config.background, env)), config.background + ", by the claude command line"}
	} else {
		return found
	}
	log.Info("background model configured", "model", found.description)
	return found
}

func placesOf(config config) agents.Settings {
	return agents.Settings{
		AgentsDir: config.agentsDir, ClaudeDir: config.claudeDir, MemoryDirs: config.memoryDirs, TeamDir: config.teamDir, IsOwnTeamDir: config.isOwnTeamDir,
		QwenDir: config.qwenDir, GeminiDir: config.geminiDir, CodexDir: config.codexDir, OpenClawDir: config.openClawDir, LettaDir: config.lettaDir,
		Env: os.LookupEnv, Home: os.Getenv("HOME"), ManagedDir: agents.ManagedDir(),
	}
}

func newLog(format string, to io.Writer) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(to, nil))
	}
	return slog.New(slog.NewTextHandler(to, nil))
}
