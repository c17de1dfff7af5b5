package memorystore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/fence"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/recall"
	"memoir/internal/wire"
)

// Directory is the memoryStore of an agent's files. It reads them again for each call. A server
// finds its changes like those of the agent.
type Directory struct {
	Agent agents.Agent
	Guard *files.Guard
	// IsOff reports whether Claude Code has switched off the agent's memory.
	IsOff bool
}

// note is one memory file. raw is nil if the file could not be read.
type note struct {
	agents.Entry
	frontmatter.File
	raw  []byte
	team bool // whether the file is in team memory
}

// readAll reads all memory files of the agent, and returns them and the listing of its directory. A
// file that cannot be read is included as unreadable. A file that vanishes before it is read is
// left out. It returns an error only if the agent's directory itself cannot be listed.
func (d *Directory) readAll(root *os.Root) ([]note, agents.Listing, error) {
	listing := agents.Walk(root, d.Agent, []string{"."}, func(string) {})
	if slices.Contains(listing.Failed, ".") {
		return nil, listing, fmt.Errorf("%s cannot be read", d.Agent.Dir)
	}
	var notes []note
	for _, entry := range listing.Files {
		stem := strings.TrimSuffix(path.Base(entry.Path), path.Ext(entry.Path))
		n := note{Entry: entry, team: d.Agent.InTeam(entry.Path)}
		if entry.Problem == nil {
			raw, err := d.Agent.ReadFile(root, entry.Path, memories.MaxFileSize)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				n.File = frontmatter.UnreadableFile(stem, memories.ProblemOf(memories.CodeUnreadable))
			default:
				n.raw, n.File = raw, d.Agent.Parse(raw, entry.Path)
			}
		} else {
			n.File = frontmatter.UnreadableFile(stem, *entry.Problem)
		}
		notes = append(notes, n)
	}
	return notes, listing, nil
}

// byMemory returns the files grouped by memory. The groups, and the files of each group, are
// ordered by modification time, the newest first. A private and a team memory with one name are two
// groups. Each unreadable file is a group of its own.
func byMemory(notes []note) [][]note {
	var groups [][]note
	at := map[memories.Key]int{}
	for _, n := range slices.SortedStableFunc(slices.Values(notes), func(a, b note) int { return cmp.Compare(b.ModTime, a.ModTime) }) {
		key := memories.Key{Name: n.Name, Team: n.team}
		i, known := at[key]
		if n.Unreadable || !known {
			i = len(groups)
			groups = append(groups, nil)
		}
		if !n.Unreadable {
			at[key] = i
		}
		groups[i] = append(groups[i], n)
	}
	return groups
}

// memoryOf returns the memory with the files sources, which must not be empty. Its content is from
// sources[0], the newest file. Its state is NeedsAttention if that file is unreadable or has no
// type, else Active. inIndex is the result of readIndex.
func (d *Directory) memoryOf(sources []note, inIndex map[string]memories.IndexStatus) memories.Memory {
	newest := sources[0]
	m := memories.Memory{
		Agent: d.Agent.Slug, Name: newest.Name, Team: newest.team, Readable: !newest.Unreadable, Type: newest.Type, Description: newest.Description, Body: newest.Body,
		State: memories.Active, Problems: newest.Problems, Path: newest.Path, Session: newest.Session, Hash: hashOf(newest), Size: newest.Size,
		ModifiedAt: modifiedAt(newest), UpdatedAt: time.Unix(0, newest.ModTime).UTC(),
	}
	if newest.Unreadable || newest.Type == "" {
		m.State = memories.NeedsAttention
	}
	m.Index = memories.Unlisted
	for _, n := range sources {
		if status := inIndex[n.Path]; status != "" && m.Index != memories.LoadedByLine && n.Session == "" {
			m.Index = status
		}
		m.Files = append(m.Files, memories.MemoryFile{Path: n.Path, Session: n.Session, Hash: hashOf(n), ModifiedAt: time.Unix(0, n.ModTime).UTC()})
	}
	return m
}

// described returns m in the form of an API answer, with its JSON. In the JSON, the id, the size in
// CLAUDE.md, the use and the time of creation are null, because only the database knows them.
func described(m memories.Memory) (Answer[wire.Memory], error) {
	value := wire.MemoryOf(m, "", time.Now())
	text, err := json.Marshal(localMemory{Memory: value})
	return Answer[wire.Memory]{value, text}, err
}

// modifiedAt returns the time from which the age of a file's content counts: the one in its
// frontmatter, or else the file's modification time.
func modifiedAt(n note) time.Time {
	if !n.Modified.IsZero() {
		return n.Modified
	}
	return time.Unix(0, n.ModTime)
}

// hashOf returns the hash of a file's bytes, or "" if the file could not be read.
func hashOf(n note) string {
	if n.raw == nil {
		return ""
	}
	return files.Hash(n.raw)
}

// open opens the agent's directory. The caller must close the root. It returns an error for users
// if the directory is missing or cannot be opened.
func (d *Directory) open() (*os.Root, error) {
	root, err := files.OpenRoot(d.Agent.Dir)
	if err != nil {
		return nil, fmt.Errorf("the agent's directory cannot be opened: %w", err)
	}
	return root, nil
}

// notes opens the agent's directory and returns all its memory files, with the unreadable ones, and
// the result of readIndex. It returns an error if the directory cannot be opened or listed.
func (d *Directory) notes() ([]note, map[string]memories.IndexStatus, error) {
	root, err := d.open()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	notes, listing, err := d.readAll(root)
	return notes, d.readIndex(root, listing), err
}

func (d *Directory) List(_ context.Context, filter memories.Filter) (Answer[wire.MemoryList], error) {
	matches, err := filter.Matcher(time.Now())
	if err != nil {
		return Answer[wire.MemoryList]{}, err
	}
	notes, inIndex, err := d.notes()
	if err != nil {
		return Answer[wire.MemoryList]{}, err
	}
	list := localList{Memories: []localMemory{}}
	for _, sources := range byMemory(notes) {
		if m := d.memoryOf(sources, inIndex); matches(m) {
			value := wire.MemoryOf(m, "", time.Now())
			list.MemoryList.Memories = append(list.MemoryList.Memories, value)
			list.Memories = append(list.Memories, localMemory{Memory: value})
		}
	}
	list.Total = len(list.Memories)
	text, err := json.Marshal(list)
	return Answer[wire.MemoryList]{list.MemoryList, text}, err
}

// filesOf returns the files of the memory with the name, newest first, or nil if there is no such
// memory. It prefers a private memory to a team memory, and both to an unreadable file with the
// name. It normalises name.
func filesOf(notes []note, name string) []note {
	groups := byMemory(notes)
	name = memories.NormalizeName(name)
	for _, kind := range []struct{ unreadable, team bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		for _, sources := range groups {
			if n := sources[0]; n.Name == name && n.Unreadable == kind.unreadable && n.team == kind.team {
				return sources
			}
		}
	}
	return nil
}

func (d *Directory) Find(_ context.Context, name string) (Answer[wire.Memory], error) {
	notes, inIndex, err := d.notes()
	if err != nil {
		return Answer[wire.Memory]{}, err
	}
	sources := filesOf(notes, name)
	if sources == nil {
		return Answer[wire.Memory]{}, &UnknownError{name}
	}
	return described(d.memoryOf(sources, inIndex))
}

func (d *Directory) Recall(_ context.Context, query string, limit int) (Answer[Recalled], error) {
	began := time.Now()
	notes, _, err := d.notes()
	if err != nil {
		return Answer[Recalled]{}, err
	}
	var all []memories.Memory
	read := map[string]note{}
	for _, sources := range byMemory(notes) {
		newest := sources[0]
		if newest.Unreadable {
			continue
		}
		read[newest.Path] = newest
		all = append(all, memories.Memory{
			Name: newest.Name, Readable: true, Type: newest.Type, Description: newest.Description, Body: newest.Body,
			State: memories.Active, Path: newest.Path, ModifiedAt: modifiedAt(newest),
		})
	}
	if !recall.Askable(query) {
		skipped := string(recall.SkipShortQuery)
		return marshalled(Recalled{State: "settled", Skipped: &skipped, Memories: []Chosen{}, BudgetLeft: recall.SessionBudget})
	}
	found := d.chosen(recall.RankTexts(query, all, began), read, limit, began)
	found.Candidates = min(len(all), recall.MaxCandidates)
	found.TookMS = float64(time.Since(began).Microseconds()) / 1000
	return marshalled(found)
}

// chosen returns the API's answer for the first limit choices in best: their texts, which may be
// cut, and the reminder. If best is empty, so are both. read must have the file of each choice by
// its path. It leaves Candidates and TookMS zero.
func (d *Directory) chosen(best []recall.Choice, read map[string]note, limit int, now time.Time) Recalled {
	way := recall.ByKeyword
	found := Recalled{State: "settled", SelectedBy: &way, Memories: []Chosen{}, BudgetLeft: recall.SessionBudget}
	var blocks []string
	for _, c := range best[:min(len(best), limit)] {
		text, bytes := recall.Cut(read[c.Path].raw)
		age := memories.AgeOf(c.ModifiedAt, now)
		found.Memories = append(found.Memories, Chosen{
			Name: c.Name, Type: orNull(c.Type), Description: c.Description, Path: c.Path, AgeDays: age.KnownDays(), Stale: age.Stale,
			Why: c.Why, Weak: c.Weak, Bytes: bytes, Text: text,
		})
		found.BudgetLeft -= bytes
		blocks = append(blocks, fence.Block(recall.WeakNote(c.Weak)+recall.Head(age, filepath.Join(d.Agent.Dir, filepath.FromSlash(c.Path))), text))
	}
	found.Reminder = fence.Reminder(blocks)
	return found
}
