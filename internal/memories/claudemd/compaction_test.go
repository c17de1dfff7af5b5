package claudemd_test

import (
	"testing"

	"memoir/internal/memories/claudemd"
)

func TestASessionMemoryCarriesACompactionWithinItsBorders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tokens, messages int
		want             claudemd.Carries
	}{
		{9_999, 5, claudemd.DoesNotCarryIt},
		{10_000, 5, claudemd.CarriesIt},
		{10_000, 4, claudemd.DoesNotCarryIt},
		{40_000, 5, claudemd.CarriesIt},
		{40_001, 5, claudemd.DoesNotCarryIt},
		{40_000, 500, claudemd.CarriesIt},
		{10_000, claudemd.UncountedMessages, claudemd.MayCarryIt},
		{9_999, claudemd.UncountedMessages, claudemd.DoesNotCarryIt},
		{40_001, claudemd.UncountedMessages, claudemd.DoesNotCarryIt},
	} {
		if got, why := claudemd.ReadCompaction(c.tokens, c.messages); got != c.want || why == "" {
			t.Errorf("%d tokens and %d messages: %s, want %s (%s)", c.tokens, c.messages, got, c.want, why)
		}
	}
}
