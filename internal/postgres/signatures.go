package postgres

import (
	"context"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// FileSignatures returns the signatures of the agent's files on disk, by path. Files without a
// signature have 0.
func (a *AgentRows) FileSignatures(ctx context.Context) (map[string]int64, error) {
	rows, err := a.q.FileSignatures(ctx, a.agentID)
	signatures := make(map[string]int64, len(rows))
	for _, row := range rows {
		signatures[row.Path] = row.Signature
	}
	return signatures, dberr.Wrap("read signatures", err)
}

// FilesAt returns the known files at the paths, present or not.
func (a *AgentRows) FilesAt(ctx context.Context, paths []string) ([]records.File, error) {
	rows, err := a.q.FilesAt(ctx, queries.FilesAtParams{AgentID: a.agentID, Paths: paths})
	return filesOf(rows), dberr.Wrap("read files", err)
}

// SaveSignatures saves the signatures of files that were read again and had not changed.
func (w *Writer) SaveSignatures(ctx context.Context, files []records.FileSignature) error {
	if len(files) == 0 {
		return nil
	}
	params := queries.SaveSignaturesParams{AgentID: w.agentID, Paths: make([]string, len(files)), Signatures: make([]int64, len(files))}
	for i, f := range files {
		params.Paths[i], params.Signatures[i] = f.Path, f.Signature
	}
	return dberr.Wrap("sign files", w.q.SaveSignatures(ctx, params))
}
