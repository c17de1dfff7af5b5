package postgres

import (
	"context"
	"slices"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// SumSignatures returns checksums of the known files at or below the paths; no path contains
// another. "." is all.
func (a *AgentRows) SumSignatures(ctx context.Context, paths []string) (records.SignatureSums, error) {
	var sums records.SignatureSums
	if slices.Contains(paths, ".") {
		rows, err := a.q.SumSignatures(ctx, a.agentID)
		for _, row := range rows {
			addSums(&sums, row)
		}
		return sums, wrap("sum up the files", err)
	}
	rows, err := a.q.SumSignaturesUnder(ctx, queries.SumSignaturesUnderParams{Paths: paths, AgentID: a.agentID})
	for _, row := range rows {
		addSums(&sums, queries.SumSignaturesRow(row))
	}
	return sums, wrap("sum up the files", err)
}

func addSums(s *records.SignatureSums, row queries.SumSignaturesRow) {
	switch {
	case !row.Present:
		s.Absent += int(row.Files)
	case row.Signed == 0:
		s.Unsigned += int(row.Files)
	default:
		s.Parts[uint8(row.Part)] = records.SignatureSum{Files: int(row.Files), Signatures: row.Signatures}
	}
}

// UnsignedFiles returns the present files without a signature.
func (a *AgentRows) UnsignedFiles(ctx context.Context) ([]records.File, error) {
	rows, err := a.q.FilesWithoutSignature(ctx, a.agentID)
	return filesOf(rows), wrap("read files", err)
}

// SignaturesInParts returns the signatures in the parts, of files at or below the paths. "." is
// all.
func (a *AgentRows) SignaturesInParts(ctx context.Context, parts []uint8, paths []string) ([]int64, error) {
	shifted := make([]int64, len(parts)) // as Postgres shifts: with the sign
	for i, part := range parts {
		shifted[i] = int64(int8(part))
	}
	signatures, err := a.q.SignaturesInParts(ctx, queries.SignaturesInPartsParams{AgentID: a.agentID, Parts: shifted, Paths: paths})
	return signatures, wrap("read signatures", err)
}

// FilesWithSignatures returns the files with the signatures.
func (a *AgentRows) FilesWithSignatures(ctx context.Context, signatures []int64) ([]records.File, error) {
	rows, err := a.q.FilesWithSignatures(ctx, queries.FilesWithSignaturesParams{AgentID: a.agentID, Signatures: signatures})
	return filesOf(rows), wrap("read files", err)
}

// FilesAt returns the known files at the paths, present or not.
func (a *AgentRows) FilesAt(ctx context.Context, paths []string) ([]records.File, error) {
	return filesOf(a.q.FilesAt(ctx, queries.FilesAtParams{AgentID: a.agentID, Paths: paths}))
}

// SaveSignatures saves the signatures of files that were read again and had not changed. It skips
// files whose rows are absent, blocked or marked for removal, and does nothing if files is empty.
func (w *Writer) SaveSignatures(ctx context.Context, files []records.FileSignature) error {
	if len(files) == 0 {
		return nil
	}
	params := queries.SaveSignaturesParams{AgentID: w.agentID}
	for _, f := range files {
		params.Paths = append(params.Paths, f.Path)
		params.Signatures = append(params.Signatures, f.Signature)
	}
	return dberr.Wrap("sign files", w.q.SaveSignatures(ctx, params))
}
