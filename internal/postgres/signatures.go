package postgres

import (
	"context"

	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// SumSignatures returns checksums of the known files at or below the paths; no path contains
// another. "." is all.
func (a *AgentRows) SumSignatures(ctx context.Context, paths []string) (records.SignatureSums, error) {
	var sums records.SignatureSums
	rows, err := a.signatureRows(ctx, paths)
	for _, row := range rows {
		switch {
		case !row.Present:
			sums.Absent += int(row.Files)
		case row.Signed == 0:
			sums.Unsigned += int(row.Files)
		default:
			sums.Parts[uint8(row.Part)] = records.SignatureSum{Files: int(row.Files), Signatures: row.Signatures}
		}
	}
	return sums, dberr.Wrap("sum up the files", err)
}

func (a *AgentRows) signatureRows(ctx context.Context, paths []string) ([]queries.SumSignaturesRow, error) {
	if slices.Contains(paths, ".") {
		return a.q.SumSignatures(ctx, a.agentID)
	}
	rows, err := a.q.SumSignaturesUnder(ctx, queries.SumSignaturesUnderParams{Paths: paths, AgentID: a.agentID})
	return mapAll(rows, func(row queries.SumSignaturesUnderRow) queries.SumSignaturesRow { return queries.SumSignaturesRow(row) }), err
}

// UnsignedFiles returns the present files without a signature.
func (a *AgentRows) UnsignedFiles(ctx context.Context) ([]records.File, error) {
	return filesOf(a.q.FilesWithoutSignature(ctx, a.agentID))
}

// SignaturesInParts returns the signatures in the parts, of files at or below the paths. "." is
// all.
func (a *AgentRows) SignaturesInParts(ctx context.Context, parts []uint8, paths []string) ([]int64, error) {
	shifted := mapAll(parts, func(part uint8) int64 { return int64(int8(part)) }) // as Postgres shifts: with the sign
	signatures, err := a.q.SignaturesInParts(ctx, queries.SignaturesInPartsParams{AgentID: a.agentID, Parts: shifted, Paths: paths})
	return signatures, dberr.Wrap("read signatures", err)
}

// FilesWithSignatures returns the files with the signatures.
func (a *AgentRows) FilesWithSignatures(ctx context.Context, signatures []int64) ([]records.File, error) {
	return filesOf(a.q.FilesWithSignatures(ctx, queries.FilesWithSignaturesParams{AgentID: a.agentID, Signatures: signatures}))
}

// FilesAt returns the known files at the paths, present or not.
func (a *AgentRows) FilesAt(ctx context.Context, paths []string) ([]records.File, error) {
	return filesOf(a.q.FilesAt(ctx, queries.FilesAtParams{AgentID: a.agentID, Paths: paths}))
}

// SaveSignatures saves the signatures of files that were read again and had not changed.
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
