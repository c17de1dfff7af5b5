package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

// directory are the memories of an agent as they are in its files, read anew for each call. A server that looks after the same
// directory finds what is written here as it finds what the agent writes.
type directory struct {
	agent agents.Agent
	rank  ranking
}

const (
	// maxIndex is the largest MEMORY.md that is edited, in bytes.
	maxIndex = 4 << 20
	// attempts is how often a write is begun anew when somebody else writes meanwhile.
	attempts = 5
)

// note is one memory file.
type note struct {
	agents.Entry
	memories.File
	raw []byte
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
		n := note{Entry: entry}
		if entry.Problem == nil {
			raw, err := agents.ReadFile(root, entry.Path, memories.MaxFileSize)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				n.File = memories.UnreadableFile(stem, memories.ProblemOf(memories.CodeUnreadable))
			default:
				n.raw, n.File = raw, memories.Parse(raw, stem)
			}
		} else {
			n.File = memories.UnreadableFile(stem, *entry.Problem)
		}
		notes = append(notes, n)
	}
	return notes, listing, nil
}

// byName groups files by the memory that they carry, the newest first. What could not be read stands for itself.
func byName(notes []note) [][]note {
	var groups [][]note
	at := map[string]int{}
	for _, n := range slices.SortedStableFunc(slices.Values(notes), func(a, b note) int { return cmp.Compare(b.ModTime, a.ModTime) }) {
		i, known := at[n.Name]
		if n.Unreadable || !known {
			i = len(groups)
			groups = append(groups, nil)
		}
		if !n.Unreadable {
			at[n.Name] = i
		}
		groups[i] = append(groups[i], n)
	}
	return groups
}

// memoryOf describes the files of one memory, of which the first holds its content.
func (d *directory) memoryOf(carriers []note) memory {
	holder := carriers[0]
	modified := time.Unix(0, holder.ModTime).UTC()
	since := modified
	if !holder.Modified.IsZero() {
		since = holder.Modified
	}
	age := memories.AgeOf(since, time.Now())
	m := memory{
		Agent: d.agent.Slug, Name: holder.Name, Type: orNull(holder.Type), Description: orNull(holder.Description), Body: orNull(holder.Body),
		State: memories.Active, Problems: []problem{}, Path: holder.Path, Session: orNull(holder.Session), Files: []carrier{},
		Hash: hashOf(holder), Size: holder.Size, AgeDays: age.Days, Stale: age.Stale, UpdatedAt: &modified,
	}
	if holder.Unreadable || holder.Type == "" {
		m.State = memories.NeedsAttention
	}
	for _, p := range holder.Problems {
		m.Problems = append(m.Problems, problem(p))
	}
	for _, n := range carriers {
		m.Files = append(m.Files, carrier{Path: n.Path, Session: orNull(n.Session), Hash: hashOf(n), ModifiedAt: time.Unix(0, n.ModTime).UTC()})
	}
	return m
}

func hashOf(n note) *string {
	if n.raw == nil {
		return nil
	}
	hash := files.Hash(n.raw)
	return &hash
}

func (d *directory) open() (*os.Root, error) {
	root, err := os.OpenRoot(d.agent.Dir)
	if err != nil {
		return nil, fmt.Errorf("the agent's directory cannot be opened: %w", err)
	}
	return root, nil
}

func (d *directory) list(_ context.Context, t memories.Type) (answer[memoryList], error) {
	found, err := d.all(t)
	if err != nil {
		return answer[memoryList]{}, err
	}
	return marshalled(memoryList{Memories: found, Total: len(found)})
}

// all returns the memories of a type, newest first; of the empty type all.
func (d *directory) all(t memories.Type) ([]memory, error) {
	root, err := d.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	notes, _, err := d.look(root)
	if err != nil {
		return nil, err
	}
	found := []memory{}
	for _, carriers := range byName(notes) {
		if t == "" || carriers[0].Type == t {
			found = append(found, d.memoryOf(carriers))
		}
	}
	return found, nil
}

// carriersOf returns the files of the memory of a name; among those that could not be read, of the first that would have it.
func carriersOf(notes []note, name string) ([]note, bool) {
	groups := byName(notes)
	for _, wantsReadable := range []bool{true, false} {
		for _, carriers := range groups {
			if carriers[0].Name == name && carriers[0].Unreadable != wantsReadable {
				return carriers, true
			}
		}
	}
	return nil, false
}

func (d *directory) find(_ context.Context, name string) (answer[memory], error) {
	root, err := d.open()
	if err != nil {
		return answer[memory]{}, err
	}
	defer root.Close()
	notes, _, err := d.look(root)
	if err != nil {
		return answer[memory]{}, err
	}
	carriers, found := carriersOf(notes, name)
	if !found {
		return answer[memory]{}, &unknownError{name}
	}
	return marshalled(d.memoryOf(carriers))
}

// save writes the memory to the agent's own file of it, or to a new one, so that keys which Memoir does not know survive.
func (d *directory) save(ctx context.Context, wanted draft) (answer[memory], error) {
	root, err := d.open()
	if err != nil {
		return answer[memory]{}, err
	}
	defer root.Close()
	for range attempts {
		err = d.write(root, &wanted)
		if !errors.Is(err, files.ErrChanged) && !errors.Is(err, files.ErrExists) {
			break
		}
	}
	if err != nil {
		return answer[memory]{}, notWritten(err)
	}
	return d.find(ctx, wanted.name)
}

func (d *directory) write(root *os.Root, wanted *draft) error {
	notes, _, err := d.look(root)
	if err != nil {
		return err
	}
	name := memories.Content{Name: wanted.name}.Canonical().Name
	carriers, found := carriersOf(notes, name)
	content := memories.Content{Name: wanted.name, Type: wanted.kind}
	if found {
		if carriers[0].Unreadable {
			return fmt.Errorf("%s could not be read, so it is not written over. Nothing was changed", carriers[0].Path)
		}
		content.Description, content.Body = carriers[0].Description, carriers[0].Body
		if content.Type == "" {
			content.Type = carriers[0].Type
		}
	}
	if wanted.description != nil {
		content.Description = *wanted.description
	}
	if wanted.body != nil {
		content.Body = *wanted.body
	}
	if content.Type == "" {
		return errNeedsType
	}
	if err := content.Check(); err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	wanted.name = content.Canonical().Name
	return d.put(root, notes, carriers, content)
}

// put writes a content over the newest of the durable files that carry the memory, or else into a new file.
func (d *directory) put(root *os.Root, notes, carriers []note, content memories.Content) error {
	var base []byte
	if len(carriers) > 0 {
		base = carriers[0].raw
	}
	for _, n := range carriers {
		if n.Session != "" {
			continue
		}
		data, err := encoded(n.raw, content)
		if err != nil {
			return err
		}
		return files.Write(root, n.Path, data, files.Options{IfHash: files.Hash(n.raw), Was: n.raw})
	}
	data, err := encoded(base, content)
	if err != nil {
		return err
	}
	file := memories.FileName(content.Type, content.Name)
	for n := 1; ; n++ {
		place := path.Join(d.agent.DurableDir(), memories.NumberedFileName(file, n))
		err := files.Write(root, place, data, files.Options{New: true})
		if !errors.Is(err, files.ErrExists) {
			return err
		}
	}
}

// encoded returns the file of a content: base with the content in it.
func encoded(base []byte, content memories.Content) ([]byte, error) {
	data := memories.Encode(content)
	if base != nil {
		data = memories.Rewrite(base, content, time.Now())
	}
	if len(data) > memories.MaxFileSize {
		return nil, errors.New("nothing was written: with the rest of the file this is more than 1 MiB, which could not be read back")
	}
	return data, nil
}

// delete removes each file that carries the memory, and the lines of each MEMORY.md that lead to one.
func (d *directory) delete(_ context.Context, name string) (deletion, error) {
	root, err := d.open()
	if err != nil {
		return deletion{}, err
	}
	defer root.Close()
	notes, listing, err := d.look(root)
	if err != nil {
		return deletion{}, err
	}
	carriers, found := carriersOf(notes, name)
	switch {
	case !found:
		return deletion{}, &unknownError{name}
	case carriers[0].Unreadable:
		return deletion{}, fmt.Errorf("%s could not be read, so it could not be told whether it is the memory that is meant. Nothing was deleted. Remove it by hand", carriers[0].Path)
	}
	m := d.memoryOf(carriers)
	deleted := time.Now().UTC()
	m.State, m.DeletedAt, m.Files = memories.Deleted, &deleted, []carrier{}
	gone := deletion{}
	if gone.answer, err = marshalled(m); err != nil {
		return deletion{}, err
	}
	for _, n := range carriers {
		if err := files.RemoveIf(root, n.Path, files.Hash(n.raw)); err != nil {
			return deletion{}, notRemoved(n.Path, gone.files, err)
		}
		gone.files = append(gone.files, n.Path)
	}
	for _, index := range listing.Indexes {
		edited, err := removeLines(root, index, gone.files)
		if err != nil {
			return deletion{}, fmt.Errorf("the memory is deleted, but the lines about it are still in %s: %w", index, err)
		}
		if edited {
			gone.indexes = append(gone.indexes, index)
		}
	}
	for _, file := range gone.files {
		if err := files.SyncDirectory(root, path.Dir(file)); err != nil {
			return deletion{}, fmt.Errorf("the memory is deleted, but a power cut may bring it back: %w", err)
		}
	}
	return gone, nil
}

// removeLines takes what leads to files that are gone out of an index, beginning anew when somebody else writes it meanwhile.
func removeLines(root *os.Root, index string, gone []string) (edited bool, err error) {
	leads := func(target string) bool { return slices.Contains(gone, path.Join(path.Dir(index), target)) }
	for range attempts {
		var raw []byte
		raw, err = agents.ReadFile(root, index, maxIndex)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		out, lines := memories.RemoveFromIndex(raw, leads)
		if len(lines) == 0 {
			return false, nil
		}
		if len(raw) > maxIndex {
			return false, fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
		}
		err = files.Write(root, index, out, files.Options{IfHash: files.Hash(raw), Was: raw})
		if !errors.Is(err, files.ErrChanged) {
			return err == nil, err
		}
	}
	return false, err
}

func (d *directory) recall(_ context.Context, query string, limit int) (answer[recalled], error) {
	began := time.Now()
	all, err := d.all("")
	if err != nil {
		return answer[recalled]{}, err
	}
	way := "keyword"
	best := d.rank(query, all)
	return marshalled(recalled{
		State: "settled", SelectedBy: &way, Memories: best[:min(limit, len(best))], Candidates: len(all),
		TookMS: float64(time.Since(began).Microseconds()) / 1000,
	})
}

// notWritten says why a memory was not saved.
func notWritten(err error) error {
	switch {
	case errors.Is(err, files.ErrChanged), errors.Is(err, files.ErrExists):
		return errors.New("somebody else writes this memory at the same time. Nothing was written. Look at what it says now, and save again")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, files.ErrOwner), errors.Is(err, files.ErrLeaves):
		return fmt.Errorf("the file cannot be written. Nothing was changed: %w", err)
	}
	return err
}

// notRemoved says why a file was not removed, and which ones have been.
func notRemoved(file string, gone []string, err error) error {
	already := "Nothing was deleted"
	if len(gone) > 0 {
		already = strings.Join(gone, ", ") + " is deleted, the rest stays"
	}
	if errors.Is(err, files.ErrChanged) {
		return fmt.Errorf("%s was written in this very moment, and is kept. %s. Look at what it says now, and decide again", file, already)
	}
	return fmt.Errorf("%w. %s", err, already)
}
