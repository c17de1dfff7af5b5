package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// KnownAgent is an agent that an earlier discovery found.
type KnownAgent struct {
	Slug   string
	Layout Layout
	Dir    string
	// Present means that Dir exists, or that this is unknown.
	Present bool
}

// MarkPresent returns a copy of known with Present computed again. It is true for agents in found,
// and for those below a directory in unreadable, because their absence is not certain. It is false
// for others.
func MarkPresent(known []KnownAgent, found []Found, unreadable []string) []KnownAgent {
	marked := slices.Clone(known)
	for i, k := range known {
		inUnreadable := slices.ContainsFunc(unreadable, func(dir string) bool { return Beneath(k.Dir, dir) })
		marked[i].Present = inUnreadable || indexOf(found, k) >= 0
	}
	return marked
}

// StillThere reports whether the directory of a known hive agent exists and is directly in
// s.AgentsDir. It need not have memory/ or sessions/. Discovery does not find such a directory, but
// the known agent is not removed. StillThere reports false for other layouts.
func StillThere(s Settings, k KnownAgent) bool {
	if k.Layout != Hive || s.AgentsDir == "" || filepath.Dir(k.Dir) != absolute(s.AgentsDir) {
		return false
	}
	info, err := os.Stat(k.Dir)
	return err == nil && info.IsDir()
}

// AssignSlugs returns the found agents, each with a unique slug, in the order of found. An agent of
// a known layout and directory keeps its slug. Another one gets the slug of Found if that is free
// or its agent is absent; it then continues that agent. Otherwise it gets the slug with the first
// free number from -2. The numbered slug of an absent agent is reused only for a directory of the
// same layout and name.
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

// indexOf returns the index of the found agent with the layout and directory of k, or -1.
func indexOf(found []Found, k KnownAgent) int {
	return slices.IndexFunc(found, func(f Found) bool { return f.Layout == k.Layout && f.Dir == k.Dir })
}

// freeSlug returns the slug of f if it is not taken, else with the first of -2, -3 and so on that
// is free. A slug in gone is free only for a directory of the same layout and name.
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

// nameOf returns the directory name that identifies an agent: for memory/ of a project of Claude
// Code, the name of the project's directory.
func nameOf(layout Layout, dir string) string {
	a := Agent{Layout: layout, Dir: dir}
	for _, layout := range []Layout{Claude, Qwen} {
		if name, isProject := projectMemoryOf(a, layout); isProject {
			return name
		}
	}
	if root := qwenRoot(a); root != "" {
		return filepath.Join(filepath.Base(root), dotQwen, filepath.Base(dir))
	}
	if layout == Gemini || layout == Letta {
		return filepath.Base(filepath.Dir(dir))
	}
	return filepath.Base(dir)
}

// claudeProject reports whether dir is the memory directory of a project of Claude Code, and
// returns the name of the project's directory. name has no meaning if isProject is false.
func claudeProject(layout Layout, dir string) (name string, isProject bool) {
	return projectMemoryOf(Agent{Layout: layout, Dir: dir}, Claude)
}

// projectMemoryOf reports whether the agent's directory is projects/{name}/memory of the client with
// that layout, and returns the name. name has no meaning if isProject is false.
func projectMemoryOf(a Agent, layout Layout) (name string, isProject bool) {
	project := filepath.Dir(a.Dir)
	isProject = a.Layout == layout && filepath.Base(a.Dir) == memoryDir && filepath.Base(filepath.Dir(project)) == projectsDir
	return filepath.Base(project), isProject
}

// sanitise replaces each character that is not allowed in a slug by a dash. Allowed are a to z, A
// to Z, 0 to 9, dot, underscore and dash.
func sanitise(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, name)
}

// IsSlug reports whether slug can be the name of an agent's directory and is the slug of that agent:
// it has only characters of slugs, and is not hidden.
func IsSlug(slug string) bool {
	return slug != "" && len(slug) <= maxName && !strings.HasPrefix(slug, ".") && sanitise(slug) == slug
}
