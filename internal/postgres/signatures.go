package postgres

import (
	"context"
	"slices"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// SumSignatures returns checksums of the known files at or below the paths; no path contains
// another. "." is all.
func (w *Writer) SumSignatures(ctx context.Context, paths []string) (records.SignatureSums, error) {
	var sums records.SignatureSums
	if slices.Contains(paths, ".") {
		rows, err := w.q.SumSignatures(ctx, w.agentID)
		for _, row := range rows {
			addSums(&sums, row)
		}
		return sums, wrap("sum up the files", err)
	}
	rows, err := w.q.SumSignaturesUnder(ctx, queries.SumSignaturesUnderParams{Paths: paths, AgentID: w.agentID})
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
func (w *Writer) UnsignedFiles(ctx context.Context) ([]records.File, error) {
	rows, err := w.q.FilesWithoutSignature(ctx, w.agentID)
	return filesOf(rows), wrap("read files", err)
}

// SignaturesInParts returns the signatures in the parts, of files at or below the paths. "." is
// all.
func (w *Writer) SignaturesInParts(ctx context.Context, parts []uint8, paths []string) ([]int64, error) {
	shifted := make([]int64, len(parts)) // as Postgres shifts: with the sign
	for i, part := range parts {
		shifted[i] = int64(int8(part))
	}
	signatures, err := w.q.SignaturesInParts(ctx, queries.SignaturesInPartsParams{AgentID: w.agentID, Parts: shifted, Paths: paths})
	return signatures, wrap("read signatures", err)
}

// FilesWithSignatures returns the files with the signatures.
func (w *Writer) FilesWithSignatures(ctx context.Context, signatures []int64) ([]records.File, error) {
	rows, err := w.q.FilesWithSignatures(ctx, queries.FilesWithSignaturesParams{AgentID: w.agentID, Signatures: signatures})
	return filesOf(rows), wrap("read files", err)
}

// FilesAt returns the known files at the paths, present or not.
func (w *Writer) FilesAt(ctx context.Context, paths []string) ([]records.File, error) {
	rows, err := w.q.FilesAt(ctx, queries.FilesAtParams{AgentID: w.agentID, Paths: paths})
	return filesOf(rows), wrap("read files", err)
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
	return wrap("sign files", w.q.SaveSignatures(ctx, params))
}
