package discover

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
)

// agentOrNew returns an agent as e.agent does. Where the slug is unknown and there is a directory for it, agents are looked for first: the
// directory may have been made a moment ago.
func (d *Discoverer) Find(ctx context.Context, slug string) (*agenttx.State, error) {
	a, err := d.Agents.Load(ctx, slug)
	if !errors.Is(err, memories.ErrNotFound) || !d.mayBeNew(slug) {
		return a, err
	}
	if _, err := d.Run(ctx); err != nil {
		return nil, err
	}
	return d.Agents.Load(ctx, slug)
}

// mayBeNew reports whether discovery may find an agent of this slug: a directory of the settings has one of that name in it. It costs a few
// calls of stat, so that requests for slugs that nobody has cost no discovery.
func (d *Discoverer) mayBeNew(slug string) bool {
	if slug == "" || slug[0] == '.' || strings.ContainsAny(slug, "/\\\x00") {
		return false
	}
	s := d.Places
	var dirs []string
	if s.AgentsDir != "" {
		dirs = append(dirs, filepath.Join(s.AgentsDir, slug))
	}
	if s.ClaudeDir != "" {
		dirs = append(dirs, filepath.Join(s.ClaudeDir, "projects", slug, "memory"), filepath.Join(s.ClaudeDir, "agent-memory", slug))
	}
	for _, named := range s.MemoryDirs {
		if named.Slug == slug {
			dirs = append(dirs, named.Path)
		}
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}
