package claudemd_test

import (
	"testing"

	"memoir/internal/memories/claudemd"
)

func TestFitCompaction_Limits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tokens, messages int
		want             claudemd.CompactionFit
	}{
		{9_999, 5, claudemd.CompactionDoesNotFit},
		{10_000, 5, claudemd.CompactionFits},
		{10_000, 4, claudemd.CompactionDoesNotFit},
		{40_000, 5, claudemd.CompactionFits},
		{40_001, 5, claudemd.CompactionDoesNotFit},
		{40_000, 500, claudemd.CompactionFits},
		{10_000, claudemd.UncountedMessages, claudemd.CompactionUnknown},
		{9_999, claudemd.UncountedMessages, claudemd.CompactionDoesNotFit},
		{40_001, claudemd.UncountedMessages, claudemd.CompactionDoesNotFit},
	} {
		if got, why := claudemd.FitCompaction(c.tokens, c.messages); got != c.want || why == "" {
			t.Errorf("%d tokens and %d messages: %s, want %s (%s)", c.tokens, c.messages, got, c.want, why)
		}
	}
}
