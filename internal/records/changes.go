package records

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
)

// ChangeSet contains the changes of one scan. They are applied in one transaction.
type ChangeSet struct {
	NewHeads     []MemoryRow
	NewRevisions []Revision  // of NewHeads
	Revisions    []Revision  // of memories that were there
	Heads        []MemoryRow // that changed
	DropHeads    []uuid.UUID
	NewFiles     []File
	Files        []File // that changed
	Block        []BlockedFile
	Unblock      []string // paths
	Words        []SearchText
	Activity     []JournalEntry // in order
	// Renames are of memories in Heads, which have their new keys there.
	Renames []Rename
}

// Empty reports whether there is nothing to apply. It ignores NewRevisions, Words, Activity and
// Renames, because they always come with other changes.
func (b *ChangeSet) Empty() bool {
	return len(b.NewHeads)+len(b.Revisions)+len(b.Heads)+len(b.DropHeads)+len(b.NewFiles)+len(b.Files)+len(b.Block)+len(b.Unblock) == 0
}

// Memories returns the ids of the memories whose rows are deleted, inserted or updated, in this
// order: DropHeads, NewHeads, Heads.
func (b *ChangeSet) Memories() []uuid.UUID {
	ids := slices.Clone(b.DropHeads)
	for _, heads := range [][]MemoryRow{b.NewHeads, b.Heads} {
		for i := range heads {
			ids = append(ids, heads[i].UUID)
		}
	}
	return ids
}

// Rename is a memory that gets another key. It keeps its id, and with that its history.
type Rename struct {
	ID       uuid.UUID
	From, To memories.Key
	// At is the time of the memory's entry ActivityRenamed in the journal.
	At time.Time
	// Content is the content under the new key. It is allowed, even if it was deleted under that
	// key.
	Content memories.Fingerprint
	// Deleted is the deleted memory with the new key, or uuid.Nil. Its history moves to the renamed
	// memory.
	Deleted uuid.UUID
	// ByFile means that the memory's files state the new name. No tombstones are added for the old
	// key.
	ByFile bool
	// Files are to be removed, because they carry the memory under its old key.
	Files []File
}

// Deletion is the deletion of a memory with its files and index lines.
type Deletion struct {
	Head       MemoryRow
	Files      []File                            // to remove
	IndexLines map[string][]memorymd.RemovedLine // removed lines, by index path
	Actor      memories.Actor
}

// KnownState contains the rows of all memories and files that a scan touches.
type KnownState struct {
	Heads      []MemoryRow // of every key that was seen, and of every file that was seen or is gone
	Unreadable []MemoryRow // the entries for unreadable files at the paths of the look
	Tombstones map[Tombstone]bool
	Files      []File // on disk, of Heads, wherever they are
}

// KnownQuery selects the rows that a scan touches: the names that its files state, their paths, and
// the memories that they carry by their rows.
type KnownQuery struct {
	Names, Paths []string
	Memories     []uuid.UUID
}

// Publication is the state of an agent's CLAUDE.md after compilation.
type Publication struct {
	ClaudeMD                 // PublishedAt is zero if nothing was written
	Costs    []claudemd.Cost // changed costs of memories, in the order of the summaries
}
