package indexfile

import (
	"errors"
	"os"
	"path"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/sync/agenttx"
)

// links resolves the links of one index.
type links struct {
	agent   agents.Agent
	root    *os.Root        // the agent's directory
	index   string          // path of the index, relative to root
	missing map[string]bool // files that count as existing, relative to the index's directory
}

// resolve is the memorymd.LinkResolver of the index. It returns the path of a link's target,
// relative to the index's directory, and whether it exists. A target outside the agent's directory
// counts as existing, and is returned as it is. A target in l.missing, or that cannot be examined,
// counts as existing too. So a rebuild keeps its entry.
func (l links) resolve(target string) (file string, exists bool) {
	relPath, inside := l.agent.Linked(l.index, target)
	if !inside {
		return target, true
	}
	file = l.relative(relPath)
	if l.missing[file] {
		return file, true
	}
	_, err := files.Lstat(l.root, relPath)
	return file, !agenttx.IsNotFound(err)
}

// relative converts a path relative to the agent's directory into a path relative to the index's
// directory, as in a link.
func (l links) relative(relPath string) string { return l.agent.LinkTo(l.index, relPath) }

// inIndex returns the file with its path relative to the index's directory.
func (l links) inIndex(f memorymd.IndexedFile) memorymd.IndexedFile {
	f.Path = l.relative(f.Path)
	return f
}

// List adds entries for the given memory files to the primary index, and to the team's index for
// files of the team, unless they have one. It creates a missing primary index, but no missing index
// of the team. Paths in listed are relative to the agent's directory. It returns the paths of the
// indexes that it has changed. It continues after an error.
func List(tx *agenttx.Tx, listed []memorymd.IndexedFile) (changed []string, err error) {
	if tx.Root == nil || len(listed) == 0 {
		return nil, nil
	}
	primary, team := tx.Agent.PrimaryDir(), tx.Agent.TeamDir()
	changed, err = listIn(tx, primary, true, listed)
	if team == primary {
		return changed, err
	}
	ofTeam := slices.DeleteFunc(slices.Clone(listed), func(f memorymd.IndexedFile) bool { return !tx.Agent.InTeam(f.Path) })
	if len(ofTeam) == 0 {
		return changed, err
	}
	alsoChanged, teamErr := listIn(tx, team, false, ofTeam)
	return append(changed, alsoChanged...), errors.Join(err, teamErr)
}

// listIn adds the missing entries for the given files to the index in dir, or to a topic of that
// index. If dir has no index, it creates one, or does nothing if create is false. It returns the
// paths of the files that it has changed. It continues after an error.
func listIn(tx *agenttx.Tx, dir string, create bool, listed []memorymd.IndexedFile) (changed []string, err error) {
	found, err := listIndexes(tx.Root, dir)
	if err != nil || len(found) == 0 && !create {
		return nil, err
	}
	l := links{agent: tx.Agent, root: tx.Root, index: path.Join(dir, indexFile)}
	isNew := len(found) == 0
	var raw []byte
	if !isNew {
		l.index = found[0]
		if raw, err = agenttx.ReadAll(tx.Root, l.index, maxIndex); err != nil {
			return nil, err
		}
	}
	topics, err := readTopics(tx.Root, l, raw)
	if err != nil {
		return nil, err
	}
	placement := memorymd.PlacementOf(raw, topics)
	byIndex := map[string][]memorymd.IndexedFile{} // files to list
	for _, f := range listed {
		switch index := placement.IndexFor(l.inIndex(f)); index {
		case "":
		case memorymd.Name:
			byIndex[l.index] = append(byIndex[l.index], f)
		default:
			index = path.Join(dir, index)
			byIndex[index] = append(byIndex[index], f)
		}
	}
	for index, entries := range byIndex {
		isChanged, addErr := addEntries(tx, links{agent: tx.Agent, root: tx.Root, index: index}, isNew, entries)
		if err = errors.Join(err, addErr); isChanged {
			changed = append(changed, index)
		}
	}
	return changed, err
}

// addEntries adds the missing entries for the given files to one index, and reports whether it has
// changed the index. isNew means that the index has to be created.
func addEntries(tx *agenttx.Tx, l links, isNew bool, listed []memorymd.IndexedFile) (isChanged bool, err error) {
	entries := make([]memorymd.IndexedFile, len(listed))
	for i, f := range listed {
		entries[i] = l.inIndex(f)
	}
	if isNew {
		err = tx.Overwrite(l.index, memorymd.List(nil, entries, l.resolve), files.Options{New: true})
		if !errors.Is(err, files.ErrExists) {
			return err == nil, err
		}
	}
	err = EditIndex(tx, l.index, func(raw []byte) []byte {
		out := memorymd.List(raw, entries, l.resolve)
		isChanged = string(out) != string(raw)
		return out
	})
	return isChanged && err == nil, err
}

// maxTopics is how many topics of one index are read. Arbitrary: a repair makes at most one for
// each type.
const maxTopics = 20

// readTopics returns the topics to which an index links. raw is the content of the index. It leaves
// out topics that do not exist or lead out of the agent's directory.
func readTopics(root *os.Root, l links, raw []byte) (topics []memorymd.Topic, err error) {
	linked := memorymd.Topics(raw)
	for _, topic := range linked[:min(len(linked), maxTopics)] {
		content, err := agenttx.ReadAll(root, path.Join(path.Dir(l.index), topic), maxIndex)
		switch {
		case isNoIndex(err):
		case err != nil:
			return nil, err
		default:
			topics = append(topics, memorymd.Topic{Path: topic, Raw: content})
		}
	}
	return topics, nil
}

// Relist adapts the entries of a memory file to a change of the memory or of the file's path, as
// Relisted does, in all indexes that may list the file. It returns the paths of the indexes that it
// has changed. It continues after an error.
func Relist(tx *agenttx.Tx, before, after memorymd.IndexedFile) (changed []string, err error) {
	for _, index := range IndexesFor(tx.Root, tx.Agent, []string{before.Path}) {
		var isChanged bool
		editErr := EditIndex(tx, index, func(raw []byte) []byte {
			out := Relisted(tx, index, raw, before, after)
			isChanged = string(out) != string(raw)
			return out
		})
		if isChanged {
			changed = append(changed, index)
		}
		err = errors.Join(err, editErr)
	}
	return changed, err
}

// Relisted returns raw, the content of the index, with the entries for before adapted to after, as
// memorymd.Relist does. Paths in before and after are relative to the agent's directory. An index of
// the team gets no entry for a file outside of the team: the entry for before is removed.
func Relisted(tx *agenttx.Tx, index string, raw []byte, before, after memorymd.IndexedFile) []byte {
	if tx.Agent.InTeam(index) && !tx.Agent.InTeam(after.Path) {
		out, _ := memorymd.Remove(raw, linkMatcher(tx.Root, tx.Agent, index, []memorymd.IndexedFile{before}, map[string]bool{}))
		return out
	}
	l := links{agent: tx.Agent, root: tx.Root, index: index}
	return memorymd.Relist(raw, l.inIndex(before), l.inIndex(after), l.resolve)
}

// NewDeadEntries returns the sorted paths to which links in after lead, but no link in before, and
// where no file exists. It leaves out wiki links, because they may name a memory. before and after
// are contents of the index.
func NewDeadEntries(tx *agenttx.Tx, index string, before, after []byte) (paths []string) {
	known := tx.Agent.ListedFiles(index, memorymd.Read(before))
	for _, link := range memorymd.ListedLinks(memorymd.Read(after)) {
		relPath, inside := tx.Agent.Linked(index, link.Target)
		if _, isKnown := known[relPath]; inside && !isKnown && !link.IsWiki && tx.IsFree(relPath) {
			paths = append(paths, relPath)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Entries returns the files to which the links of an index lead, by their paths relative to the
// agent's directory. raw is the content of the index, and index its path. The values are true for
// links that the agent loads: isLoaded is true, and the link is within the limits. It leaves out
// links that lead out of the agent's directory, and paths that no file can have in the database.
// isLoaded reports whether the index is the one that the agent loads. Entries fails if the directory
// of the index cannot be read.
func Entries(tx *agenttx.Tx, index string, raw []byte) (entries map[string]bool, isLoaded bool, err error) {
	if path.Dir(index) == tx.Agent.PrimaryDir() {
		found, err := listIndexes(tx.Root, tx.Agent.PrimaryDir())
		if err != nil {
			return nil, false, err
		}
		isLoaded = len(found) > 0 && found[0] == index
	}
	entries = map[string]bool{}
	for relPath, withinLimits := range tx.Agent.ListedFiles(index, memorymd.Read(raw)) {
		if memories.CanBeText(relPath) {
			entries[relPath] = isLoaded && (withinLimits || tx.Agent.Rules().IndexIsWhole)
		}
	}
	return entries, isLoaded, nil
}
