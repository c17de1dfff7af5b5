package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// KnownAgent is an agent that has been seen before.
type KnownAgent struct {
	Slug   string
	Layout Layout
	Dir    string
	// Present: its directory is there, or at least was not seen to be gone.
	Present bool
}

// MarkPresent returns the known agents with Present set from one look at the disk. What lies beneath a directory that could
// not be read counts as present: nothing is concluded from a failed look.
func MarkPresent(known []KnownAgent, found []Found, unreadable []string) []KnownAgent {
	type place struct {
		layout Layout
		dir    string
	}
	seen := make(map[place]bool, len(found))
	for _, f := range found {
		seen[place{f.Layout, f.Dir}] = true
	}
	marked := make([]KnownAgent, len(known))
	for i, k := range known {
		k.Present = seen[place{k.Layout, k.Dir}] || beneathAny(k.Dir, unreadable)
		marked[i] = k
	}
	return marked
}

// StillThere reports whether the directory of a known hive agent is where it was, though it has neither memory/ nor sessions/
// any more: that makes no new agent, but the known one is not gone.
func StillThere(s Settings, k KnownAgent) bool {
	if k.Layout != Hive || s.AgentsDir == "" || filepath.Dir(k.Dir) != absolute(s.AgentsDir) {
		return false
	}
	info, err := os.Stat(k.Dir)
	return err == nil && info.IsDir()
}

// AssignSlugs gives every found agent its slug, in the order of found.
//
// An agent whose layout and directory are known keeps its slug. Any other gets the slug it wishes for when nobody has it, or
// when the one who has it is gone: then it goes on as that agent. Otherwise it gets the wish with -2, -3 and so on; a numbered
// slug whose agent is gone is gone on with only by a directory of the same layout and name, for the number was a matter of
// order and says nothing about whose memories they are.
func AssignSlugs(found []Found, known []KnownAgent) []Agent {
	taken := make(map[string]bool, len(found)+len(known))
	gone := make(map[string]KnownAgent)
	slugs := make([]string, len(found))
	for _, k := range known {
		i := indexOf(found, k)
		switch {
		case i >= 0 && slugs[i] == "":
			slugs[i] = k.Slug
			taken[k.Slug] = true
		case k.Present:
			taken[k.Slug] = true
		default:
			gone[k.Slug] = k
		}
	}

	agents := make([]Agent, len(found))
	for i, f := range found {
		slug := slugs[i]
		if slug == "" {
			slug = freeSlug(f, taken, gone)
			taken[slug] = true
		}
		agents[i] = Agent{Slug: slug, Layout: f.Layout, Dir: f.Dir, DisplayName: f.DisplayName}
	}
	return agents
}

func indexOf(found []Found, k KnownAgent) int {
	for i, f := range found {
		if f.Layout == k.Layout && f.Dir == k.Dir {
			return i
		}
	}
	return -1
}

func freeSlug(f Found, taken map[string]bool, gone map[string]KnownAgent) string {
	if !taken[f.Slug] {
		return f.Slug
	}
	for n := 2; ; n++ {
		slug := f.Slug + "-" + strconv.Itoa(n)
		if taken[slug] {
			continue
		}
		former, was := gone[slug]
		if !was || former.Layout == f.Layout && nameOf(former.Layout, former.Dir) == nameOf(f.Layout, f.Dir) {
			return slug
		}
	}
}

// nameOf returns the directory name that an agent is called after: memory/ of a project is called after the project.
func nameOf(layout Layout, dir string) string {
	if name, isProject := claudeProject(layout, dir); isProject {
		return name
	}
	return filepath.Base(dir)
}

// claudeProject returns the name that Claude Code has given to the directory of a project whose memory is in dir.
func claudeProject(layout Layout, dir string) (name string, isProject bool) {
	project := filepath.Dir(dir)
	isProject = layout == Claude && filepath.Base(dir) == memoryDir && filepath.Base(filepath.Dir(project)) == projectsDir
	return filepath.Base(project), isProject
}

// sanitise turns each character that has no place in a slug into a dash.
func sanitise(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, name)
}

func beneathAny(dir string, parents []string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool { return Beneath(dir, parent) })
}
