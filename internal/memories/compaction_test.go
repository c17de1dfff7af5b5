package memories_test

import (
	"testing"

	"memoir/internal/memories"
)

func TestASessionMemoryCarriesACompactionWithinItsBorders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tokens, messages int
		want             memories.Carries
	}{
		{9_999, 5, memories.DoesNotCarryIt},
		{10_000, 5, memories.CarriesIt},
		{10_000, 4, memories.DoesNotCarryIt},
		{40_000, 5, memories.CarriesIt},
		{40_001, 5, memories.DoesNotCarryIt},
		{40_000, 500, memories.CarriesIt},
		{10_000, memories.UncountedMessages, memories.MayCarryIt},
		{9_999, memories.UncountedMessages, memories.DoesNotCarryIt},
		{40_001, memories.UncountedMessages, memories.DoesNotCarryIt},
	} {
		if got, why := memories.CarriesCompaction(c.tokens, c.messages); got != c.want || why == "" {
			t.Errorf("%d tokens and %d messages: %s, want %s (%s)", c.tokens, c.messages, got, c.want, why)
		}
	}
}
