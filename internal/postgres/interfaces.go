package postgres

import "memoir/internal/records"

var (
	_ records.Agents           = (*Store)(nil)
	_ records.Memories         = (*Store)(nil)
	_ records.Facts            = (*Store)(nil)
	_ records.Disagreements    = (*Store)(nil)
	_ records.AllMemories      = (*Store)(nil)
	_ records.Activity         = (*Store)(nil)
	_ records.Logs             = (*Store)(nil)
	_ records.Recalls          = (*Store)(nil)
	_ records.RecallCandidates = (*Store)(nil)
	_ records.Plans            = (*Store)(nil)
	_ records.Conversations    = (*Store)(nil)
	_ records.Proposals        = (*Store)(nil)
	_ records.Verifications    = (*Store)(nil)
	_ records.Jobs             = (*Store)(nil)
)
