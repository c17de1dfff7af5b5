package postgres

import (
	"context"
	"slices"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// SumSignatures returns checksums over the signatures of the agent's files on disk at or below the
// paths. It also counts files on disk without a signature, and files no longer on disk. A signature
// is a hash of a file's path and metadata. It reads rows only. No path may contain another. The
// path "." selects all files.
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

// signatureRows returns counts and checksums of the agent's files at or below the paths. Each row
// is for one part, which is the upper 8 bits of a signature, and for files on disk or absent ones.
// The path "." selects all files.
func (a *AgentRows) signatureRows(ctx context.Context, paths []string) ([]queries.SumSignaturesRow, error) {
	if slices.Contains(paths, ".") {
		return a.q.SumSignatures(ctx, a.agentID)
	}
	rows, err := a.q.SumSignaturesUnder(ctx, queries.SumSignaturesUnderParams{Paths: paths, AgentID: a.agentID})
	return dbconv.All(rows, func(row queries.SumSignaturesUnderRow) queries.SumSignaturesRow { return queries.SumSignaturesRow(row) }), err
}

// UnsignedFiles returns the rows of the agent's files on disk without a signature, in any order.
// The next scan must read these files.
func (a *AgentRows) UnsignedFiles(ctx context.Context) ([]records.File, error) {
	return filesOf(a.q.FilesWithoutSignature(ctx, a.agentID))
}

// SignaturesInParts returns the saved signatures of the agent's files at or below the paths, in any
// order. It omits signatures whose upper 8 bits are not in parts. The path "." selects all files.
func (a *AgentRows) SignaturesInParts(ctx context.Context, parts []uint8, paths []string) ([]int64, error) {
	// Postgres shifts a signature with its sign.
	shifted := dbconv.All(parts, func(part uint8) int64 { return int64(int8(part)) })
	signatures, err := a.q.SignaturesInParts(ctx, queries.SignaturesInPartsParams{AgentID: a.agentID, Parts: shifted, Paths: paths})
	return signatures, dberr.Wrap("read signatures", err)
}

// FilesWithSignatures returns the rows of the agent's files with one of the signatures, in any
// order. Unknown signatures have no row.
func (a *AgentRows) FilesWithSignatures(ctx context.Context, signatures []int64) ([]records.File, error) {
	return filesOf(a.q.FilesWithSignatures(ctx, queries.FilesWithSignaturesParams{AgentID: a.agentID, Signatures: signatures}))
}

// FilesAt returns the rows of the agent's files at exactly the paths, in any order, also of files
// that are no longer on disk. Unknown paths have no row.
func (a *AgentRows) FilesAt(ctx context.Context, paths []string) ([]records.File, error) {
	return filesOf(a.q.FilesAt(ctx, queries.FilesAtParams{AgentID: a.agentID, Paths: paths}))
}

// SaveSignatures saves the signatures of files that were read again and had not changed. It skips
// unknown files, and those whose rows are absent, blocked or marked for removal. It does nothing if
// files is empty.
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
