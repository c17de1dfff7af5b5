package cli

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
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/recall"
	"memoir/internal/wire"
)

// directory are the memories of an agent as they are in its files, read anew for each call. A server that looks after the same
// directory finds what is written here as it finds what the agent writes.
type directory struct {
	agent agents.Agent
	guard *files.Guard
}

// note is one memory file.
type note struct {
	agents.Entry
	frontmatter.File
	raw  []byte
	team bool // it is in team memory
}

// look reads all memory files of the agent.
func (d *directory) look(root *os.Root) ([]note, agents.Listing, error) {
	listing := agents.Walk(root, d.agent, []string{"."}, func(string) {})
	if slices.Contains(listing.Failed, ".") {
		return nil, listing, fmt.Errorf("%s cannot be read", d.agent.Dir)
	}
	var notes []note
	for _, entry := range listing.Files {
		stem := strings.TrimSuffix(path.Base(entry.Path), path.Ext(entry.Path))
		n := note{Entry: entry, team: d.agent.InTeam(entry.Path)}
		if entry.Problem == nil {
			raw, err := agents.ReadFile(root, entry.Path, memories.MaxFileSize)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				n.File = frontmatter.UnreadableFile(stem, memories.ProblemOf(memories.CodeUnreadable))
			default:
				n.raw, n.File = raw, frontmatter.Parse(raw, stem)
			}
		} else {
			n.File = frontmatter.UnreadableFile(stem, *entry.Problem)
		}
		notes = append(notes, n)
	}
	return notes, listing, nil
}

// byName groups files by the memory that they carry, the newest first: a private memory and the team's may have one name. What could not be read stands for itself.
func byName(notes []note) [][]note {
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

// memoryOf returns the memory that files carry, of which the first holds its content.
func (d *directory) memoryOf(carriers []note) memories.Memory {
	holder := carriers[0]
	m := memories.Memory{
		Agent: d.agent.Slug, Name: holder.Name, Team: holder.team, Readable: !holder.Unreadable, Type: holder.Type, Description: holder.Description, Body: holder.Body,
		State: memories.Active, Problems: holder.Problems, Path: holder.Path, Session: holder.Session, Hash: hashOf(holder), Size: holder.Size,
		ModifiedAt: since(holder), UpdatedAt: time.Unix(0, holder.ModTime).UTC(),
	}
	if holder.Unreadable || holder.Type == "" {
		m.State = memories.NeedsAttention
	}
	for _, n := range carriers {
		m.Files = append(m.Files, memories.MemoryFile{Path: n.Path, Session: n.Session, Hash: hashOf(n), ModifiedAt: time.Unix(0, n.ModTime).UTC()})
	}
	return m
}

// described returns m as the API has it, with the JSON of a directory.
func described(m memories.Memory) (answer[wire.Memory], error) {
	value := wire.MemoryOf(m, "", time.Now())
	text, err := json.Marshal(localMemory{Memory: value})
	return answer[wire.Memory]{value, text}, err
}

// since returns what the age of a file's content counts from.
func since(n note) time.Time {
	if !n.Modified.IsZero() {
		return n.Modified
	}
	return time.Unix(0, n.ModTime)
}

// hashOf returns the hash of a file, or an empty string if it could not be read.
func hashOf(n note) string {
	if n.raw == nil {
		return ""
	}
	return files.Hash(n.raw)
}

func (d *directory) open() (*os.Root, error) {
	root, err := files.OpenRoot(d.agent.Dir)
	if err != nil {
		return nil, fmt.Errorf("the agent's directory cannot be opened: %w", err)
	}
	return root, nil
}

func (d *directory) list(_ context.Context, filter memories.Filter) (answer[wire.MemoryList], error) {
	matches, err := filter.Matcher(time.Now())
	if err != nil {
		return answer[wire.MemoryList]{}, err
	}
	root, err := d.open()
	if err != nil {
		return answer[wire.MemoryList]{}, err
	}
	defer root.Close()
	notes, _, err := d.look(root)
	if err != nil {
		return answer[wire.MemoryList]{}, err
	}
	list := localList{Memories: []localMemory{}}
	for _, carriers := range byName(notes) {
		if m := d.memoryOf(carriers); matches(m) {
			value := wire.MemoryOf(m, "", time.Now())
			list.MemoryList.Memories = append(list.MemoryList.Memories, value)
			list.Memories = append(list.Memories, localMemory{Memory: value})
		}
	}
	list.Total = len(list.Memories)
	text, err := json.Marshal(list)
	return answer[wire.MemoryList]{list.MemoryList, text}, err
}

// carriersOf returns the files of the memory of a name, of the private one where there are two; among those that could not be read, of the first that would have it.
func carriersOf(notes []note, name string) ([]note, bool) {
	groups := byName(notes)
	name = memories.NormalizeName(name)
	for _, wanted := range []struct{ readable, team bool }{{true, false}, {true, true}, {false, false}, {false, true}} {
		for _, carriers := range groups {
			if c := carriers[0]; c.Name == name && c.Unreadable != wanted.readable && c.team == wanted.team {
				return carriers, true
			}
		}
	}
	return nil, false
}

func (d *directory) find(_ context.Context, name string) (answer[wire.Memory], error) {
	root, err := d.open()
	if err != nil {
		return answer[wire.Memory]{}, err
	}
	defer root.Close()
	notes, _, err := d.look(root)
	if err != nil {
		return answer[wire.Memory]{}, err
	}
	carriers, found := carriersOf(notes, name)
	if !found {
		return answer[wire.Memory]{}, &unknownError{name}
	}
	return described(d.memoryOf(carriers))
}

func (d *directory) recall(_ context.Context, query string, limit int) (answer[recalled], error) {
	began := time.Now()
	root, err := d.open()
	if err != nil {
		return answer[recalled]{}, err
	}
	defer root.Close()
	notes, _, err := d.look(root)
	if err != nil {
		return answer[recalled]{}, err
	}
	var all []memories.Memory
	read := map[string]note{}
	for _, carriers := range byName(notes) {
		holder := carriers[0]
		if holder.Unreadable {
			continue
		}
		read[holder.Path] = holder
		all = append(all, memories.Memory{
			Name: holder.Name, Readable: true, Type: holder.Type, Description: holder.Description, Body: holder.Body,
			State: memories.Active, Path: holder.Path, ModifiedAt: since(holder),
		})
	}
	if !recall.Askable(query) {
		skipped := string(recall.SkipShortQuery)
		return marshalled(recalled{State: "settled", Skipped: &skipped, Memories: []chosen{}, BudgetLeft: recall.SessionBudget})
	}
	found := d.chosen(recall.RankTexts(query, all, began), read, limit, began)
	found.Candidates = min(len(all), recall.MaxCandidates)
	found.TookMS = float64(time.Since(began).Microseconds()) / 1000
	return marshalled(found)
}

// chosen is what is given of the memories that were chosen, as the server gives it.
func (d *directory) chosen(best []recall.Choice, read map[string]note, limit int, now time.Time) recalled {
	way := recall.ByKeyword
	found := recalled{State: "settled", SelectedBy: &way, Memories: []chosen{}, BudgetLeft: recall.SessionBudget}
	var blocks []string
	for _, c := range best[:min(len(best), limit)] {
		text, bytes := recall.Cut(read[c.Path].raw)
		age := memories.AgeOf(c.ModifiedAt, now)
		found.Memories = append(found.Memories, chosen{
			Name: c.Name, Type: orNull(c.Type), Description: c.Description, Path: c.Path, AgeDays: age.KnownDays(), Stale: age.Stale,
			Why: c.Why, Bytes: bytes, Text: text,
		})
		found.BudgetLeft -= bytes
		blocks = append(blocks, recall.Block(recall.Head(age, filepath.Join(d.agent.Dir, filepath.FromSlash(c.Path))), text))
	}
	found.Reminder = recall.Reminder(blocks)
	return found
}
