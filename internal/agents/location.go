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

// MemoryLocation is the place of an agent's memory and whether it is on, with the reasons.
type MemoryLocation struct {
	Scope   Scope  // of a custom agent; else empty
	Project string // the absolute path of the project that it is about; empty: none, or all
	// ByClaude: Claude Code decides both. The rest is only said then.
	ByClaude bool
	// Dir is where Claude Code keeps the memory now, and DirLinks how it comes to that. A custom agent's is where its scope says, and
	// has none.
	Dir      string
	DirLinks []claudesettings.Link
	On       bool // Claude Code keeps a memory
	OnLinks  []claudesettings.Link
}

// LocateMemory returns the place of an agent's memory, as far as this process knows Claude Code's environment.
func LocateMemory(s Settings, a Agent) MemoryLocation {
	w := MemoryLocation{Scope: ScopeOf(a), Project: ProjectDir(a), Dir: a.Dir}
	if a.Layout != Claude || s.ClaudeDir == "" {
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

// Committed says whether what is written into a project is committed with it.
type Committed string

// What is known of that.
const (
	IsCommitted  Committed = "committed"
	IsIgnored    Committed = "ignored"
	MayBeIgnored Committed = "unknown" // nobody could be asked, or there is no repository
)

// gitPatience is how long git may take to answer; it reads a few small files.
const gitPatience = 2 * time.Second

// CommittedOf asks git whether it ignores what is written into a directory of a project. What a repository configures of git's own helpers is
// not run: it comes from whoever wrote the repository.
func CommittedOf(ctx context.Context, dir string) Committed {
	at, err := ProjectAt(filepath.Dir(dir))
	git, missing := exec.LookPath("git")
	if err != nil || missing != nil || !at.Repository {
		return MayBeIgnored
	}
	rel, err := filepath.Rel(at.Tree, RealDir(dir))
	if err != nil || strings.HasPrefix(rel, "..") {
		return MayBeIgnored
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	ask := exec.CommandContext(ctx, git, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", at.Tree,
		"check-ignore", "--quiet", "--", filepath.Join(rel, indexName))
	ask.Env = append(ask.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	ask.WaitDelay = gitPatience
	var ended *exec.ExitError
	switch err := ask.Run(); {
	case err == nil:
		return IsIgnored
	case errors.As(err, &ended) && ended.ExitCode() == 1:
		return IsCommitted
	}
	return MayBeIgnored
}
