package agents

import (
	"io/fs"
	"os"
	"slices"
)

// Joined returns a copy of all with JoinedTo computed again. Agents with the same MemoryHome could
// not both write there: they would undo each other's deletions. So all but one of them are joined
// to that one, and JoinedTo of every other agent is empty. The one is preferably one that is no
// link, then one for which wasJoined is false, then the first.
func Joined(all []Agent, wasJoined func(slug string) bool) []Agent {
	sharing := map[MemoryHome][]int{}
	for i, a := range all {
		home := HomeOf(a)
		sharing[home] = append(sharing[home], i)
	}
	joined := slices.Clone(all)
	for home, sharers := range sharing {
		owner := slices.MinFunc(sharers, func(i, j int) int {
			return joinRank(all[i], home.Dir, wasJoined) - joinRank(all[j], home.Dir, wasJoined)
		})
		for _, i := range sharers {
			if joined[i].JoinedTo = ""; i != owner {
				joined[i].JoinedTo = all[owner].Slug
			}
		}
	}
	return joined
}

// A MemoryHome identifies the directory of an agent's memory. Agents with the same one share a
// memory.
type MemoryHome struct {
	Dir  string // absolute, with all links followed
	Hive bool   // layout Hive: Dir contains memory/ and sessions/, not the memories themselves
}

// HomeOf returns the directory of an agent's memory with all links followed, and whether it has the
// layout Hive.
func HomeOf(a Agent) MemoryHome { return MemoryHome{RealDir(a.Dir), a.Rules().HasSessions} }

// joinRank returns 0 to 3 for an agent among those that share dir; the agent with the lowest rank
// is not joined. An agent that reaches dir without a link ranks first, then one for which wasJoined
// is false.
func joinRank(a Agent, dir string, wasJoined func(slug string) bool) int {
	byLink := IsLink(a.Dir) || nameOf(a.Layout, a.Dir) != nameOf(a.Layout, dir)
	switch {
	case !byLink && !wasJoined(a.Slug):
		return 0
	case !byLink:
		return 1
	case !wasJoined(a.Slug):
		return 2
	}
	return 3
}

// IsLink reports whether there is a symbolic link at a path. It reports false if the path cannot be
// examined.
func IsLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

// ResolveJoined returns some in their order, without duplicates. It replaces each joined agent by
// the agent in all to which it is joined. A joined agent stays if all does not contain the other.
func ResolveJoined(some, all []Agent) []Agent {
	var found []Agent
	for _, a := range some {
		if i := slices.IndexFunc(all, func(other Agent) bool { return other.Slug == a.JoinedTo }); a.JoinedTo != "" && i >= 0 {
			a = all[i]
		}
		if !slices.ContainsFunc(found, func(other Agent) bool { return other.Slug == a.Slug }) {
			found = append(found, a)
		}
	}
	return found
}
