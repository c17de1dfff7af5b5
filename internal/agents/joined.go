package agents

import (
	"io/fs"
	"os"
	"slices"
)

// Joined returns the agents with JoinedTo set for each whose directory is, with all links followed, that of another. Of those that share
// a directory the one it belongs to is not joined: whose own place it is, before those who come there by a link; of several the one that
// was not joined before, as wasJoined says of those that are known; else the first.
//
// Agents of the hive are joined where one's whole directory is another's, CLAUDE.md and sessions included: two that each wrote there would
// undo each other's deletions.
func Joined(all []Agent, wasJoined func(slug string) bool) []Agent {
	sharing := map[MemoryHome][]int{}
	for i, a := range all {
		home := HomeOf(a)
		sharing[home] = append(sharing[home], i)
	}
	joined := slices.Clone(all)
	for home, sharers := range sharing {
		owner := slices.MinFunc(sharers, func(i, j int) int {
			return claim(all[i], home.Dir, wasJoined) - claim(all[j], home.Dir, wasJoined)
		})
		for _, i := range sharers {
			if joined[i].JoinedTo = ""; i != owner {
				joined[i].JoinedTo = all[owner].Slug
			}
		}
	}
	return joined
}

// A MemoryHome identifies the directory in which an agent's memory is. Agents with the same one share a memory.
type MemoryHome struct {
	Dir  string // with all links followed
	Hive bool   // a directory of the hive has memory/ and sessions in it, any other one the memories themselves
}

// HomeOf returns where an agent remembers.
func HomeOf(a Agent) MemoryHome { return MemoryHome{RealDir(a.Dir), a.Layout == Hive} }

// claim orders those who share a directory: the least is the one it belongs to.
func claim(a Agent, dir string, wasJoined func(slug string) bool) int {
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

// IsLink reports whether there is a link at a path.
func IsLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

// ResolveJoined returns the agents, with each one that is joined to another replaced by that one.
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
