package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/cli/memorystore"
	"memoir/internal/cli/remote"
	"memoir/internal/files"
)

// open returns access to the agent's memories: in the files of --dir if that is set, else through
// the server. If no Memoir answers at a local URL, it prints a note on standard error and uses the
// agent's files, found as a server would. It returns an error if none answers at another URL, the
// server refuses, or no single agent can be chosen. An agent whose directory is missing must be named
// with --agent.
func (c *memoryCall) open(ctx context.Context) (memorystore.Store, error) {
	if c.dir != "" {
		return c.openDirectory()
	}
	server, err := c.addressOf(c.server)
	if err != nil {
		return nil, err
	}
	all, gone, err := server.Agents(ctx)
	var absent *remote.AbsentError
	switch {
	case errors.As(err, &absent) && server.IsLocal():
		return c.openFiles(absent)
	case errors.As(err, &absent):
		return nil, fmt.Errorf("%w. It is on another machine. Use --dir for a directory of this one", err)
	case err != nil:
		return nil, err
	}
	if c.agent != "" {
		all = append(all, gone...) // its memories can still be read
	}
	agent, err := chooseAgent(c.agent, all)
	if err != nil {
		return nil, err
	}
	return memorystore.Served{Server: server, Slug: agent.Slug}, nil
}

// openDirectory returns access to the files of --dir. A directory with a subdirectory memory or
// sessions is an agent's directory. The memory directory of an agent of Claude Code is that agent's,
// and any other is a memory directory. It returns an error if --dir is no directory, and a
// *usageError if --agent or --url is set too.
func (c *memoryCall) openDirectory() (memorystore.Store, error) {
	if c.agent != "" || given(c.flags, "url") {
		return nil, misused("--dir works without a server, and takes neither --agent nor --url")
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("directory %s not found", dir)
	case err != nil:
		return nil, fmt.Errorf("the directory cannot be opened: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	places, err := c.Places()
	if err != nil {
		return nil, err
	}
	if agent, isClaude := claudeAgentIn(places, info); isClaude {
		return &memorystore.Directory{Agent: agent, Guard: files.NewGuard(dir), IsOff: agents.LocateMemory(places, agent).IsOff()}, nil
	}
	agent := agents.Agent{Slug: filepath.Base(dir), Layout: agents.Directory, Dir: dir}
	for _, name := range []string{"memory", "sessions"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			agent.Layout = agents.Hive
		}
	}
	return &memorystore.Directory{Agent: agent, Guard: files.NewGuard(dir)}, nil
}

// claudeAgentIn returns the agent of Claude Code whose memory directory is dir. isClaude is false if
// there is none.
func claudeAgentIn(places agents.Settings, dir fs.FileInfo) (agent agents.Agent, isClaude bool) {
	found, _ := agents.Discover(places, func(string) {})
	for _, a := range agents.AssignSlugs(found, nil) {
		if info, err := os.Stat(a.Dir); err == nil && a.Layout == agents.Claude && os.SameFile(info, dir) {
			return a, true
		}
	}
	return agents.Agent{}, false
}

// openFiles discovers the agents as a server on this machine would, and returns access to the files
// of the one that chooseAgent returns. It prints a note with absent, the reason, on standard error. It
// returns an error, and prints nothing, if no single agent can be chosen.
func (c *memoryCall) openFiles(absent *remote.AbsentError) (memorystore.Store, error) {
	places, err := c.Places()
	if err != nil {
		return nil, err
	}
	found, _ := agents.Discover(places, func(string) {})
	agent, err := chooseAgent(c.agent, agents.AssignSlugs(found, nil))
	if err != nil {
		return nil, fmt.Errorf("%w (%s; this used the files on this machine)", err, absent)
	}
	fmt.Fprintf(c.Stderr, "memoir: %s; using the files in %s\n", absent, agent.Dir)
	return &memorystore.Directory{Agent: agent, Guard: files.NewGuard(agents.Roots(places)...), IsOff: agents.LocateMemory(places, agent).IsOff()}, nil
}

// chooseAgent returns the agent in all with the slug. If slug is empty, it returns the only agent of
// the working directory's project. In place of a joined agent, it returns the one that has its
// memories. It returns an error that lists possible agents if there is no such agent or there are
// several.
func chooseAgent(slug string, all []agents.Agent) (agents.Agent, error) {
	if slug != "" {
		for _, a := range all {
			if a.Slug == slug {
				return agents.ResolveJoined([]agents.Agent{a}, all)[0], nil
			}
		}
		return agents.Agent{}, fmt.Errorf("unknown agent %q%s", slug, listed("; known: ", all))
	}
	cwd, err := os.Getwd()
	if err != nil {
		return agents.Agent{}, fmt.Errorf("working directory unknown: %w. Name the agent with --agent", err)
	}
	project, err := agents.ProjectAt(cwd)
	if err != nil {
		return agents.Agent{}, err
	}
	switch fitting := project.Agents(all); len(fitting) {
	case 1:
		return fitting[0], nil
	case 0:
		return agents.Agent{}, fmt.Errorf("no agent belongs to %s. Name one with --agent%s", cwd, listed(": ", all))
	default:
		return agents.Agent{}, fmt.Errorf("several agents belong to %s. Name one with --agent%s", cwd, listed(": ", fitting))
	}
}

// listed returns introduction, the slugs of the first 20 agents and, if there are more, the number
// of the others. It returns "" if there are no agents.
func listed(introduction string, all []agents.Agent) string {
	const most = 20
	if len(all) == 0 {
		return ""
	}
	var slugs []string
	for _, a := range all[:min(len(all), most)] {
		slugs = append(slugs, a.Slug)
	}
	if more := len(all) - most; more > 0 {
		slugs = append(slugs, fmt.Sprintf("and %d more", more))
	}
	return introduction + strings.Join(slugs, ", ")
}
