package recall

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/recall/ranking"
	"memoir/internal/records"
)

func TestFuse_WordsAndMeaning(t *testing.T) {
	t.Parallel()
	id := func(n int) uuid.UUID { return uuid.UUID{15: byte(n)} }
	ranked := func(n int, rejected ranking.RejectReason) ranking.Ranked {
		return ranking.Ranked{Memory: memories.Memory{ID: id(n).String()}, Rejected: rejected}
	}
	words := ranking.Ranking{
		Answers: []ranking.Ranked{ranked(1, ""), ranked(2, "")},
		Rest:    []ranking.Ranked{ranked(3, ranking.TooLittle), ranked(4, ranking.Superseded)},
	}
	near := func(compared int, at ...float64) records.NearMemories {
		found := records.NearMemories{Mean: 0.2, Deviation: 0.1, Compared: compared}
		for i, similarity := range at {
			found.Memories = append(found.Memories, records.NearMemory{ID: id([]int{2, 4, 5, 3}[i]), Similarity: similarity})
		}
		return found
	}
	for name, c := range map[string]struct {
		near records.NearMemories
		want []string // ids, with w for weak
	}{
		"words alone":            {records.NearMemories{}, []string{"1", "2", "3w", "4w"}},
		"all near":               {near(100, 0.9, 0.9, 0.9, 0.9), []string{"2", "3", "1", "5", "4w"}},
		"none has a margin":      {near(100, 0.5, 0.4, 0.4, 0.4), []string{"2", "1", "3w", "4w"}},
		"of more a larger one":   {near(100_000, 0.7, 0.7, 0.7, 0.7), []string{"2", "1", "3w", "4w"}},
		"too few are compared":   {near(7, 0.9, 0.9, 0.9, 0.9), []string{"2", "1", "3w", "4w"}},
		"only the best is alike": {near(100, 0.6, 0.4, 0.3, 0.3), []string{"2", "1", "3w", "4w"}},
	} {
		var got []string
		for _, choice := range fuse(words, c.near) {
			text := strconv.Itoa(int(choice.ID[15]))
			if choice.Weak {
				text += "w"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
