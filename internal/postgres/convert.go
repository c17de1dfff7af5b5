package postgres

import (
	"encoding/json"
	"fmt"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

func rowOf(row queries.Memory) (records.MemoryRow, error) {
	h := records.MemoryRow{
		Memory: memories.Memory{
			ID: row.ID.String(), AgentID: row.AgentID, Name: row.Name, Team: row.Team, Readable: row.Readable,
			Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description, State: memories.State(row.State),
			Path: row.Path, Session: dbconv.OrZero(row.Session), Hash: row.Hash, Size: row.Size,
			Fingerprint: memories.Fingerprint(row.Fingerprint),
			ModifiedAt:  row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(), ClaudeMDChars: int(row.ClaudeMdChars),
			ClaudeMDListed: row.ClaudeMdListed,
			CreatedAt:      row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), DeletedAt: dbconv.TimeOrZero(row.DeletedAt),
			DeletedActor: memories.Actor(dbconv.OrZero(row.DeletedActor)), DeletedBrowser: dbconv.OrZero(row.DeletedBrowser), DeletedPerson: dbconv.OrZero(row.DeletedPerson),
		},
		UUID: row.ID, RevisionID: row.RevisionID, DeletedBy: records.DeletedBy(dbconv.OrZero(row.DeletedBy)), Restoring: row.Restoring,
		Conflict: memories.Conflict(dbconv.OrZero(row.Conflict)),
	}
	if row.IndexLines != nil {
		if err := json.Unmarshal(row.IndexLines, &h.IndexLines); err != nil {
			return h, fmt.Errorf("read the index lines of memory %s: %w", row.ID, err)
		}
	}
	if err := json.Unmarshal(row.Problems, &h.Problems); err != nil {
		return h, fmt.Errorf("read the problems of memory %s: %w", row.ID, err)
	}
	return h, nil
}

// rowsOf converts the result of a query for whole memories, in the same order. It returns the
// query's error translated by dberr.Wrap. If the JSON of a row is malformed, it returns nil and an
// error.
func rowsOf[Row ~struct{ Memory queries.Memory }](rows []Row, err error) ([]records.MemoryRow, error) {
	if err != nil {
		return nil, dberr.Wrap("read memories", err)
	}
	return dbconv.TryAll(rows, func(row Row) (records.MemoryRow, error) {
		return rowOf(struct{ Memory queries.Memory }(row).Memory)
	})
}

func fileOf(row queries.File) records.File {
	return records.File{
		Path: row.Path, Session: dbconv.OrZero(row.Session), Status: records.FileStatus(row.Status), Present: row.Present,
		Fingerprint: memories.Fingerprint(row.Fingerprint), Hash: row.Hash, Size: row.Size,
		ModTime: row.MtimeNs, ModifiedAt: row.ModifiedAt.UTC(), ContentAt: row.ContentAt.UTC(),
		Problem: dbconv.OrZero(row.Problem), ExpectedHash: dbconv.OrZero(row.ExpectedHash),
		Flaws: memories.ParseFlaw(dbconv.OrZero(row.Flaws)), Unfinished: memories.ParseFlaw(dbconv.OrZero(row.Unfinished)),
		MemoryID: dbconv.OrZero(row.MemoryID), Signature: dbconv.OrZero(row.Signature),
	}
}

// filesOf converts the result of a query for whole files, in the same order. It returns the query's
// error translated by dberr.Wrap.
func filesOf(rows []queries.File, err error) ([]records.File, error) {
	return dbconv.Rows("read files", rows, err, fileOf)
}

func blockedOf(row queries.BlockedContent) records.BlockedFile {
	return records.BlockedFile{
		Blocked: memories.Blocked{
			ID: row.ID.String(), Name: row.Name, Team: row.Team, Type: memories.Type(dbconv.OrZero(row.Type)), Description: row.Description,
			Body: row.Body, Path: row.Path, Session: dbconv.OrZero(row.Session), Hash: row.Hash, SeenAt: row.SeenAt.UTC(),
		},
		Fingerprint: memories.Fingerprint(row.Fingerprint),
	}
}
