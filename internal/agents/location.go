package agents

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"memoir/internal/claudesettings"
)

// MemoryLocation is the directory of an agent's memory and whether its memory is on, with the
// reasons.
type MemoryLocation struct {
	Scope   Scope  // of a custom agent; empty for others
	Project string // absolute path of the agent's project, or empty if it has no single one
	// ByClaude means that Claude Code's settings decide. DirLinks, On and OnLinks are set only
	// then.
	ByClaude bool
	// Dir is the memory directory that Claude Code uses now. DirLinks are the settings that decide
	// it; they are empty for a custom agent, whose scope decides.
	Dir      string
	DirLinks []claudesettings.Link
	On       bool // Claude Code keeps a memory for the agent
	OnLinks  []claudesettings.Link
}

// IsOff reports whether Claude Code manages the memory and has it switched off. Memoir then gives,
// reads and writes nothing for the agent on its own.
func (w MemoryLocation) IsOff() bool { return w.ByClaude && !w.On }

// LocateMemory returns where an agent's memory is and whether it is on. For an agent of Claude
// Code, it reads Claude Code's settings files and the variables in s.Env. For other agents, or if
// s.ClaudeDir is empty, it sets only Scope, Project and Dir. It returns no error: the settings in
// an unreadable file do not count.
func LocateMemory(s Settings, a Agent) MemoryLocation {
	w := MemoryLocation{Scope: ScopeOf(a), Project: ProjectDir(a), Dir: a.Dir}
	if !a.Rules().HasSettings || s.ClaudeDir == "" {
		return w
	}
	w.ByClaude = true
	claudeDir := absolute(s.ClaudeDir)
	p := project{path: w.Project}
	if name, isProject := claudeProject(a.Layout, a.Dir); isProject {
		p.name = name
	} else if w.Scope == "" && p.path != "" {
		p.name = projectDirName(p.path)
	}
	in := s.input(claudeDir, p, func(string) {}, func(error) {})
	w.On, w.OnLinks = claudesettings.Enabled(in)
	if w.Scope == "" {
		w.Dir, w.DirLinks = claudesettings.Directory(in)
	}
	return w
}

// Committed is whether git commits the files of a directory.
type Committed string

const (
	IsCommitted  Committed = "committed"
	IsIgnored    Committed = "ignored"
	MayBeIgnored Committed = "unknown" // there is no repository, or git did not answer
)

// gitTimeout limits how long git may take to answer. It reads a few small files; 2 s is arbitrary.
const gitTimeout = 2 * time.Second

// CommittedOf runs git and returns IsIgnored if it ignores a MEMORY.md in dir, and IsCommitted if
// it does not. It returns MayBeIgnored without a repository, without git, or without an answer
// within gitTimeout. It lets git run no program that the repository's configuration names, because
// its author may not be trusted.
func CommittedOf(ctx context.Context, dir string) Committed {
	at, err := ProjectAt(filepath.Dir(dir))
	git, lookErr := exec.LookPath("git")
	if err != nil || lookErr != nil || !at.Repository {
		return MayBeIgnored
	}
	rel, err := filepath.Rel(at.Tree, RealDir(dir))
	if err != nil || strings.HasPrefix(rel, "..") {
		return MayBeIgnored
	}
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, git, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", at.Tree,
		"check-ignore", "--quiet", "--", filepath.Join(rel, indexName))
	command.Env = append(command.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	command.WaitDelay = gitTimeout
	var exit *exec.ExitError
	switch err := command.Run(); {
	case err == nil:
		return IsIgnored
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return IsCommitted
	}
	return MayBeIgnored
}
