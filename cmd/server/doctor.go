package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"memoir/internal/access/oidc"
	"memoir/internal/agents"
	"memoir/internal/backup"
	"memoir/internal/doctor"
	"memoir/internal/embedding"
	"memoir/internal/postgres"
	"memoir/internal/postgres/figures"
	"memoir/internal/postgres/local"
	engine "memoir/internal/sync"
)

// machineChecks checks what a server with these settings needs of its machine. It also works without
// a server.
func (c *config) machineChecks(ctx context.Context, isRunning bool) (checks []doctor.Check) {
	if c.databaseURL == "" {
		checks = append(checks, doctor.DataDir(c.dataDir))
		if !isRunning { // else it runs
			checks = append(checks, postgresCheck(local.Check(ctx, c.dataDir)))
		}
	}
	if c.dataDir != "" {
		checks = append(checks, doctor.Disk(c.dataDir))
	}
	for _, d := range []struct{ name, dir string }{{"agents directory", c.agentsDir}, {"Claude directory", c.claudeDir}, {"team directory", c.teamDir}} {
		if d.dir != "" {
			checks = append(checks, doctor.Directory(d.name, d.dir))
		}
	}
	for _, d := range c.memoryDirs {
		checks = append(checks, doctor.Directory("directory of "+d.Slug, d.Path))
	}
	return append(checks, doctor.Watches()...)
}

func postgresCheck(major int, err error) doctor.Check {
	if err != nil {
		return doctor.Check{Check: "PostgreSQL", State: doctor.Problem, Text: "No private database can be started.", Fix: err.Error()}
	}
	return doctor.Check{Check: "PostgreSQL", State: doctor.OK, Text: fmt.Sprintf("version %d", major)}
}

// machineChecksOf are the checks for a server with the environment of this program and no flags.
func machineChecksOf(ctx context.Context) ([]doctor.Check, error) {
	c, err := parseConfig(nil, os.LookupEnv, os.Stdout)
	if err != nil {
		return nil, err
	}
	return c.machineChecks(ctx, false), nil
}

// examiner checks a running server.
type examiner struct {
	config     config
	engine     *engine.Engine
	store      *postgres.Store
	figures    *figures.Reader
	meaning    *embedding.Service // nil without an endpoint
	background describedModel
	scheduled  func() backup.Status // nil without a schedule
	provider   *oidc.Provider       // nil without one
}

// examine returns all checks. Without the database it leaves out those that need it.
func (x examiner) examine(ctx context.Context) []doctor.Check {
	var checks []doctor.Check
	add := func(name string, state doctor.State, text, fix string) {
		checks = append(checks, doctor.Check{Check: name, State: state, Text: text, Fix: fix})
	}
	var version string
	err := x.store.Pool().QueryRow(ctx, "SELECT current_setting('server_version')").Scan(&version)
	if err != nil {
		add("database", doctor.Problem, "The database does not answer: "+err.Error()+".", "Start it, or look at the server's log.")
	} else {
		add("database", doctor.OK, "PostgreSQL "+version, "")
	}
	checks = append(checks, x.config.machineChecks(ctx, true)...)
	if err == nil {
		if err := x.examineWork(ctx, add); err != nil {
			add("database", doctor.Problem, err.Error()+".", "Run this again.")
		}
	}
	x.examineBackups(add)
	x.examineProvider(ctx, add)
	return checks
}

type addCheck func(name string, state doctor.State, text, fix string)

// examineWork checks scans, agents, models and jobs.
func (x examiner) examineWork(ctx context.Context, add addCheck) error {
	status, err := x.engine.Status(ctx)
	if err != nil {
		return err
	}
	for _, p := range status.Problems {
		fix := "Let " + engine.RunsAs() + " read it."
		if p.Path == "" {
			fix = "Look at the server's log."
		}
		add("scan", doctor.Problem, strings.TrimSpace(fmt.Sprintf("%s %s: %s.", p.Agent, p.Path, p.Reason)), fix)
	}
	if len(status.Problems) == 0 {
		add("scan", doctor.OK, fmt.Sprintf("%d files on disk, %d in the database, %d to look at", status.FilesOnDisk, status.Mirrored, status.Pending), "")
	}
	if status.WatchNote != "" {
		add("watching", doctor.Note, "Memoir looks every second, because "+status.WatchNote+".", "")
	}
	all, err := x.store.Agents(ctx)
	if err != nil {
		return err
	}
	here := 0
	var off []string
	for _, a := range all {
		if !a.Present {
			continue
		}
		here++
		if a.ClaudeMD.Problem != "" {
			add("CLAUDE.md", doctor.Problem, a.Slug+": "+a.ClaudeMD.Problem+".", "")
		}
		if a.MemoryOff || x.engine.IsOffInClaude(agentOf(a.Slug, a.Layout, a.Dir, a.DisplayName), agents.Conversation{}) {
			off = append(off, a.Slug)
		}
	}
	if here == 0 {
		add("agents", doctor.Note, "No agent was found.", "Name their directory with --agents-dir or --claude-dir.")
	} else {
		add("agents", doctor.OK, fmt.Sprintf("%d found", here), "")
	}
	if len(off) > 0 {
		add("memory off", doctor.Note, "Memory is switched off for "+strings.Join(off, ", ")+".", "The settings page of the agent says by what.")
	}
	return x.examineFigures(ctx, add, here)
}

func agentOf(slug, layout, dir, name string) agents.Agent {
	return agents.Agent{Slug: slug, Layout: agents.Layout(layout), Dir: dir, DisplayName: name}
}

// examineFigures checks indexes, models and jobs.
func (x examiner) examineFigures(ctx context.Context, add addCheck, here int) error {
	indexes, err := x.figures.IndexFindings(ctx)
	if err != nil {
		return err
	}
	for _, i := range indexes {
		add("MEMORY.md", doctor.Problem, fmt.Sprintf("%s, %s: %s.", i.Slug, i.Path, i.Reason), "memoir review list --kind index --agent "+i.Slug)
	}
	if x.background.Model == nil {
		add("background model", doctor.Note, "No model does background work.", "Set ANTHROPIC_API_KEY, or install the claude command line.")
	} else {
		add("background model", doctor.OK, x.background.description, "")
	}
	failing, err := x.figures.FailingJobs(ctx)
	if err != nil {
		return err
	}
	for _, f := range failing {
		add("jobs", doctor.Problem, fmt.Sprintf("%s failed (%d in the last day): %s.", f.Kind, f.N, strings.TrimSuffix(f.Problem, ".")), "Fix the reason; the jobs are tried again.")
	}
	if x.meaning == nil || here == 0 {
		return nil
	}
	all, err := x.store.Agents(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	s, err := x.meaning.Status(ctx, all[0]) // the endpoint is the same for all
	if err != nil {
		return err
	}
	if s.Problem != "" {
		add("embedding", doctor.Problem, s.Endpoint+": "+s.Problem+".", "Start the endpoint, or check --embedding-url and --embedding-model.")
	} else {
		add("embedding", doctor.OK, s.Model+" at "+s.Endpoint, "")
	}
	return nil
}

func (x examiner) examineProvider(ctx context.Context, add addCheck) {
	if x.provider == nil {
		return
	}
	if err := x.provider.Check(ctx); err != nil {
		add("OpenID Connect", doctor.Problem, x.config.oidc.issuer+": "+err.Error()+".", "Start the provider, or correct --oidc-issuer.")
		return
	}
	add("OpenID Connect", doctor.OK, "people sign in at "+x.provider.Host(), "")
}

func (x examiner) examineBackups(add addCheck) {
	if x.scheduled == nil {
		add("backup", doctor.Note, "No backups are made.", "Start the server with --backup-dir, or run memoir backup from time to time.")
		return
	}
	s := x.scheduled()
	last := "There is none yet."
	if !s.LastAt.IsZero() {
		last = "The last is " + s.LastFile + "."
	}
	switch {
	case s.Problem != "":
		add("backup", doctor.Problem, fmt.Sprintf("The backup of %s failed: %s. %s", s.FailedAt.UTC().Format(time.RFC3339), s.Problem, last), "Make "+s.Dir+" writable, with enough room.")
	case s.IsOverdue(time.Now()):
		add("backup", doctor.Problem, "The backup is overdue. "+last, "Look at the server's log.")
	default:
		add("backup", doctor.OK, last, "")
	}
}
