package consolidation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"memoir/internal/memories"
)

func TestNearDuplicates_FewComparisons(t *testing.T) {
	// Comparing all pairs of 10,000 memories would take 50 million comparisons. The test counts the
	// actual ones.
	t.Parallel()
	words := strings.Fields("kettle harbour ticket ferry winter storm timetable refund island queue deck anchor release branch freeze support patch read only timeout copy")
	random := rand.New(rand.NewPCG(1, 2))
	notes := make([]note, 10_000)
	for i := range notes {
		text := make([]string, 60)
		for j := range text {
			text[j] = words[random.IntN(len(words))]
		}
		notes[i].Memory = memories.Memory{ID: fmt.Sprint(i), Name: fmt.Sprint("Fact ", i), Body: strings.Join(text, " ")}
	}
	notes[9_999].Body = notes[17].Body + " besides, the kettles are blue"
	d := newDraftPlan(notes, names{living: map[string]string{}})
	d.addExactDuplicates()
	d.addNearDuplicates()
	if len(d.steps) != 1 || d.steps[0].Title != "Keep “Fact 9999”, delete “Fact 17”" || len(d.findings) > 0 {
		t.Errorf("the steps are %+v, the findings %+v", d.steps, d.findings)
	}
	signatures := make([]signature, len(notes))
	for i := range notes {
		signatures[i] = signatureOf(shinglesOf(d.notes[i].Body))
	}
	if n := len(candidates(signatures)); n > 1000 {
		t.Errorf("%d pairs are compared", n)
	}
}
