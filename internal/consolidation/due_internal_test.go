package consolidation

import (
	"testing"

	"memoir/internal/records"
)

func TestIsCertain_Kinds(t *testing.T) {
	t.Parallel()
	index := func(before, after string) []records.StepChange {
		return []records.StepChange{{Op: records.ChangeIndex, Before: &records.StepText{Body: before}, After: &records.StepText{Body: after}}}
	}
	for name, tt := range map[string]struct {
		step records.Step
		want bool
	}{
		"duplicates":         {records.Step{Source: sourceFound, Kind: kindMerge}, true},
		"superseded":         {records.Step{Source: sourceFound, Kind: kindDelete}, true},
		"links":              {records.Step{Source: sourceFound, Kind: kindUpdate}, false},
		"merged by a model":  {records.Step{Source: sourceModel, Kind: kindMerge}, false},
		"deleted by a model": {records.Step{Source: sourceModel, Kind: kindDelete}, false},
		"dead lines":         {records.Step{Source: sourceFound, Kind: kindReindex, Changes: index("# A\n\n- b\n- c\n- d\n", "# A\n\n- b\n- d\n")}, true},
		"a line is added":    {records.Step{Source: sourceFound, Kind: kindReindex, Changes: index("- b\n- c\n", "- b\n- d\n")}, false},
		"lines change place": {records.Step{Source: sourceFound, Kind: kindReindex, Changes: index("- b\n- c\n", "- c\n- b\n")}, false},
		"a line is changed":  {records.Step{Source: sourceFound, Kind: kindReindex, Changes: index("- b — long\n", "- b\n")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := isCertain(tt.step); got != tt.want {
				t.Errorf("isCertain() = %v, want %v", got, tt.want)
			}
		})
	}
}
