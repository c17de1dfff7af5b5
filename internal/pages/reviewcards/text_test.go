package reviewcards_test

import (
	"slices"
	"strings"
	"testing"

	"memoir/internal/pages/reviewcards"
)

func TestDiffering_Words(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		texts []string
		want  [][]string // the marked parts of each text; nil for no marks
	}{
		"dates": {
			[]string{"No deploys from 14 December to 4 January. A hotfix needs Priya’s approval.", "No deploys from 18 December to 8 January. A hotfix needs two approvals."},
			[][]string{{"14", "4", "Priya’s approval"}, {"18", "8", "two approvals"}},
		},
		"an added sentence": {[]string{"The service listens on 8080.", "The service listens on 8080. It restarts at night."}, [][]string{nil, {"It restarts at night."}}},
		"a long addition": {
			[]string{"No deploys from 14 December.", "No deploys from 18 December. " + strings.Repeat("Ask the owner of the service first. ", 9)},
			[][]string{{"14"}, {"18"}},
		},
		"a long addition alone": {[]string{"Use tabs.", "Use tabs. " + strings.Repeat("Ask the owner of the service first. ", 9)}, nil},
		"three":                 {[]string{"The limit is 80 euros a day here.", "The limit is 120 euros a day here.", "The limit is 80 euros a week here."}, [][]string{{"80", "day"}, {"120"}, {"week"}}},
		"signs alone":           {[]string{"Use tabs, always and everywhere.", "Use tabs always and everywhere."}, [][]string{nil, nil}},
		"other words":           {[]string{"Mira drinks tea.", "Deploys begin on Monday at nine."}, nil},
		"equal":                 {[]string{"Use tabs.", "Use tabs."}, nil},
		"one text":              {[]string{"Use tabs."}, nil},
		"too long":              {[]string{strings.Repeat("word ", 4000), "word"}, nil},
		"right to left":         {[]string{"הפגישה ביום שני בשעה תשע", "הפגישה ביום שלישי בשעה תשע"}, [][]string{{"שני"}, {"שלישי"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spans := reviewcards.Differing(c.texts)
			if (spans == nil) != (c.want == nil) {
				t.Fatalf("the marks are %v, want %q", spans, c.want)
			}
			for i, all := range spans {
				var got []string
				for _, s := range all {
					got = append(got, c.texts[i][s.Start:s.End])
				}
				if !slices.Equal(got, c.want[i]) {
					t.Errorf("text %d has the marks %q, want %q", i+1, got, c.want[i])
				}
			}
		})
	}
}
