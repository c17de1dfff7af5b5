// Command server is Memoir: one binary that mirrors what agents remember, shows it in a browser and serves it over a
// JSON API. It reads the settings, wires the rooms together and takes them down again; it decides nothing else. With a word in
// the place of flags it is a command, which package cli carries out.
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
	"runtime/debug"
	"syscall"
	"time"

	"memoir/internal/agents"
	"memoir/internal/cli"
	"memoir/internal/consolidation"
	"memoir/internal/extraction"
	"memoir/internal/gate"
	"memoir/internal/jobs"
	"memoir/internal/model"
	"memoir/internal/recall"
	"memoir/internal/sync"
	"memoir/internal/verification"
)

// The promise is to be gone within 15 s of a signal. Running writes may take farewell, and what runs besides may take parting more; after
// that nothing is waited for but the database, for at most stopLimit.
const (
	farewell = 9 * time.Second
	parting  = time.Second
)

// garbage is how much the heap may grow before it is looked through again, in percent. What a server keeps is some 12 MB, and
// the usual 100 had the collector take a fifth of all its time where lists are asked for one after the other.
const garbage = 150

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if args := os.Args[1:]; isCommand(args) {
		os.Exit(cli.Run(ctx, world(), args))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	err := run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr)
	var refused *settingsError
	switch {
	case errors.Is(err, errAnswered):
	case ctx.Err() != nil && errors.Is(err, context.Canceled): // asked to stop before it had started
	case errors.As(err, &refused):
		fmt.Fprintln(os.Stderr, "memoir:", err)
		os.Exit(cli.Misused)
	case err != nil:
		fmt.Fprintln(os.Stderr, "memoir:", err)
		os.Exit(cli.Failed)
	}
}

// settingsError says that the flags or variables cannot be taken. Nothing has been begun.
type settingsError struct{ error }

// run serves until ctx ends or something that it cannot do without fails. Its errors are sentences for the person who
// started it.
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
	logFigures(ctx, log)
	go giveMemoryBack(ctx)
	// The address is taken first: if it is not to be had, nothing else has been touched.
	listener, err := net.Listen("tcp", config.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Choose another address with --addr", config.addr, err)
	}
	defer listener.Close() //nolint:errcheck // closed by the server when all is well
	if err := config.checkListener(listener.Addr()); err != nil {
		return &settingsError{err}
	}

	database, err := openDatabase(ctx, config, log)
	if err != nil {
		return err
	}
	defer database.close()
	late := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(farewell+parting, func() { close(late) }) })()
	ended := make(chan error, 1)
	go func() { ended <- work(ctx, config, listener, database, stdout, log) }()
	select {
	case err := <-ended:
		return err
	case <-late:
		log.Warn("something does not come to its end and is left; the next start goes on with it")
		return nil
	}
}

// work mirrors and serves until ctx ends or something that it cannot do without fails.
func work(ctx context.Context, config config, listener net.Listener, database *database, stdout io.Writer, log *slog.Logger) error {
	places := placesOf(config)
	engine, err := sync.Start(database.store, sync.Options{
		Places: places, Debounce: config.debounce, Rescan: config.rescan, ClaudeMDLimit: config.claudeMDLimit, AgeNotes: config.ageNotes, Poll: config.watch == watchPoll,
		Log: log,
	})
	if err != nil {
		return err
	}
	defer func() {
		if err := engine.Close(); err != nil {
			log.Warn("watching did not end cleanly", "error", err)
		}
	}()
	defer context.AfterFunc(ctx, engine.StopScans)()
	recaller := recall.New(database.store, recall.Options{Selector: selectorOf(config.model, log), Log: log})
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
		Mode: config.extract.mode, Quiet: config.extract.quiet, Model: background.Model, ClaudeDir: config.claudeDir, Queue: queue, Log: log,
	})
	defer extractor.Close()
	queue.Start(ctx, engine.Ready)
	defer queue.Close()
	var owned ownerAccess
	if config.token == "" {
		if owned, err = accessOfOwner(config.dataDir, gate.CanIdentifyPeers); err != nil {
			return err
		}
	}
	server, err := newServer(config, owned, places, engine, database.store, recaller, checker, consolidator, extractor, background, log)
	if err != nil {
		return err
	}
	if link := owned.link(schemeOf(server), server.Addr, listener.Addr()); link != "" {
		log.Info("open this link once to sign in with the browser", "link", link)
	}
	return serve(ctx, listener, server, database, stdout, log)
}

// serve answers requests until ctx ends or the database is lost for good.
func serve(ctx context.Context, listener net.Listener, server *http.Server, database *database, stdout io.Writer, log *slog.Logger) error {
	failed := make(chan error, 1)
	scheme := schemeOf(server) // Serve sets TLSConfig also without TLS
	go func() {
		if scheme == "https" {
			failed <- server.ServeTLS(listener, "", "")
			return
		}
		failed <- server.Serve(listener)
	}()
	fmt.Fprintf(stdout, "memoir: listening on %s://%s\n", scheme, announced(server.Addr, listener.Addr()))
	select {
	case <-ctx.Done():
	case err := <-failed:
		return fmt.Errorf("serving ended: %w", err)
	case err := <-database.lost():
		return err
	}
	log.Info("stopping; running writes are finished first, and scans are given up")
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		log.Warn("some connections were still open and are cut", "error", err)
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

// announced is the address as it was given, with the port that was found where that was left open.
func announced(given string, found net.Addr) string {
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

// selectorOf returns the model that chooses what to recall; nil where none does.
func selectorOf(config modelConfig, log *slog.Logger) recall.Selector {
	if config.name == "" || config.key == "" {
		return nil
	}
	log.Info("a model chooses what to recall: it is sent the prompts, and the names and descriptions of memories", "model", config.name)
	return recall.SelectBy(model.Pausing(model.Anthropic(config.name, config.key, config.url)))
}

// asked is a model with who it is, in words.
type asked struct {
	model.Model
	is string
}

// backgroundModel returns the model that does the work that nobody waits for; without a Model where there is none. With a key it is asked over
// the API, else by the claude command line. env is that of the command line.
func backgroundModel(config modelConfig, env []string, log *slog.Logger) asked {
	var found asked
	if config.background == "" {
		return found
	}
	if config.key != "" {
		found = asked{model.Pausing(model.Anthropic(config.background, config.key, config.url)), config.background + ", over the Messages API"}
	} else if program, err := exec.LookPath(config.command); config.command != "" && err == nil {
		found = asked{model.Pausing(model.Command(program, config.background, env)), config.background + ", by the claude command line"}
	} else {
		return found
	}
	log.Info("a model is asked for work in the background", "model", found.is)
	return found
}

func placesOf(config config) agents.Settings {
	settings := agents.Settings{
		AgentsDir: config.agentsDir, ClaudeDir: config.claudeDir, TeamDir: config.teamDir,
		Env: os.LookupEnv, Home: os.Getenv("HOME"), ManagedDir: agents.ManagedDir(),
	}
	for _, dir := range config.memoryDirs {
		settings.MemoryDirs = append(settings.MemoryDirs, agents.NamedDir{Slug: dir.slug, Path: dir.path})
	}
	return settings
}

func newLog(format string, to io.Writer) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(to, nil))
	}
	return slog.New(slog.NewTextHandler(to, nil))
}
