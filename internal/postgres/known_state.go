package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// genericPlans is the number of items up to which cached plans are used. Planning takes longer than
// these queries.
const genericPlans = 64

// KnownState returns the rows that a scan needs: the readable memories with the names or ids of the
// query, also deleted ones. It adds their files that are on disk or marked for removal, the
// unreadable files at its paths, and the tombstones of its names. All but the files are read in one
// transaction.
func (w *Writer) KnownState(ctx context.Context, of records.KnownQuery) (records.KnownState, error) {
	var past records.KnownState
	var byID []records.MemoryRow
	read := func(q *queries.Queries) error {
		var err error
		past.Heads, err = rowsOf(q.RowsByName(ctx, queries.RowsByNameParams{AgentID: w.agentID, Names: of.Names}))
		if err != nil {
			return err
		}
		byID, err = rowsOf(q.RowsByID(ctx, queries.RowsByIDParams{AgentID: w.agentID, Ids: of.Memories}))
		if err != nil {
			return err
		}
		past.Unreadable, err = rowsOf(q.UnreadableByPath(ctx, queries.UnreadableByPathParams{AgentID: w.agentID, Paths: of.Paths}))
		if err != nil {
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
	for _, row := range past.Heads {
		found[row.UUID] = true
	}
	for _, row := range byID {
		if row.Readable && !found[row.UUID] {
			found[row.UUID] = true
			past.Heads = append(past.Heads, row)
		}
	}
	if len(found) == 0 {
		return past, nil
	}
	var err error
	past.Files, err = w.Rows.FilesOf(ctx, slices.Collect(maps.Keys(found)))
	return past, err
}

// RawsOf returns, by path, saved bytes with the memory and the fingerprint of each file. They may
// come from another file of the same memory with an equal content. Files without saved bytes have
// no entry. It returns nil if files is empty. It reads no file on disk.
func (w *Writer) RawsOf(ctx context.Context, files []records.File) (map[string][]byte, error) {
	type content struct {
		memory      uuid.UUID
		fingerprint memories.Fingerprint
	}
	if len(files) == 0 {
		return nil, nil
	}
	var query queries.RawsByContentParams
	for _, f := range files {
		query.MemoryIds = append(query.MemoryIds, f.MemoryID)
		query.Fingerprints = append(query.Fingerprints, f.Fingerprint[:])
	}
	rows, err := w.q.RawsByContent(ctx, query)
	if err != nil {
		return nil, dberr.Wrap("read earlier contents", err)
	}
	raws := make(map[content][]byte, len(rows))
	for _, row := range rows {
		raws[content{row.MemoryID, memories.Fingerprint(row.Fingerprint)}] = row.Raw
	}
	found := make(map[string][]byte, len(files))
	for _, f := range files {
		if raw, ok := raws[content{f.MemoryID, f.Fingerprint}]; ok {
			found[f.Path] = raw
		}
	}
	return found, nil
}
