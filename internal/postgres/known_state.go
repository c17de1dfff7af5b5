package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// genericPlans is the number of items up to which cached plans are used. Planning takes longer than
// these queries.
const genericPlans = 64

// KnownState returns the state in the database that a scan touches.
func (w *Writer) KnownState(ctx context.Context, of records.KnownQuery) (records.KnownState, error) {
	var past records.KnownState
	var byID []records.MemoryRow
	read := func(q *queries.Queries) error {
		named, err := q.RowsByName(ctx, queries.RowsByNameParams{AgentID: w.agentID, Names: of.Names})
		if past.Heads, err = rowsOf(named, func(r queries.RowsByNameRow) queries.Memory { return r.Memory }, err); err != nil {
			return err
		}
		known, err := q.RowsByID(ctx, queries.RowsByIDParams{AgentID: w.agentID, Ids: of.Memories})
		if byID, err = rowsOf(known, func(r queries.RowsByIDRow) queries.Memory { return r.Memory }, err); err != nil {
			return err
		}
		unreadable, err := q.UnreadableByPath(ctx, queries.UnreadableByPathParams{AgentID: w.agentID, Paths: of.Paths})
		if past.Unreadable, err = rowsOf(unreadable, func(r queries.UnreadableByPathRow) queries.Memory { return r.Memory }, err); err != nil {
			return err
		}
		tombstones, err := q.Tombstones(ctx, queries.TombstonesParams{AgentID: w.agentID, Names: of.Names})
		past.Tombstones = tombstonesOf(tombstones)
		return err
	}
	in := w.inTx
	if max(len(of.Names), len(of.Paths), len(of.Memories)) <= genericPlans {
		in = w.inKeyedTx
	}
	if err := in(ctx, "read what is known", read); err != nil {
		return records.KnownState{}, err
	}
	found := make(map[uuid.UUID]bool, len(past.Heads))
	for i := range past.Heads {
		found[past.Heads[i].UUID] = true
	}
	for _, head := range byID {
		if head.Readable && !found[head.UUID] {
			past.Heads = append(past.Heads, head)
		}
	}
	if len(past.Heads) == 0 {
		return past, nil
	}
	ids := make([]uuid.UUID, len(past.Heads))
	for i := range past.Heads {
		ids[i] = past.Heads[i].UUID
	}
	var err error
	past.Files, err = w.Rows.FilesOf(ctx, ids)
	return past, err
}

// RawsOf returns, by path, bytes with the recorded content of each file. They may be those of
// another file of the same memory with the same content. Files without saved bytes are omitted.
func (w *Writer) RawsOf(ctx context.Context, files []records.File) (map[string][]byte, error) {
	if len(files) == 0 {
		return nil, nil
	}
	type content struct {
		memory      uuid.UUID
		fingerprint memories.Fingerprint
	}
	asked := queries.RawsByContentParams{}
	for i := range files {
		asked.MemoryIds = append(asked.MemoryIds, files[i].MemoryID)
		asked.Fingerprints = append(asked.Fingerprints, files[i].Fingerprint[:])
	}
	rows, err := w.q.RawsByContent(ctx, asked)
	if err != nil {
		return nil, dberr.Wrap("read earlier contents", err)
	}
	raws := make(map[content][]byte, len(rows))
	for _, row := range rows {
		raws[content{row.MemoryID, memories.Fingerprint(row.Fingerprint)}] = row.Raw
	}
	found := make(map[string][]byte, len(files))
	for i := range files {
		if raw, ok := raws[content{files[i].MemoryID, files[i].Fingerprint}]; ok {
			found[files[i].Path] = raw
		}
	}
	return found, nil
}
