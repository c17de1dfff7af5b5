package xray_test

import (
	"fmt"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/pages/xray"
	"memoir/internal/records"
)

func memory(i, chars int, t memories.Type) claudemd.Part {
	return claudemd.Part{Memory: fmt.Sprint("id-", i), Name: fmt.Sprint("memory ", i), Type: t, Chars: chars}
}

// input returns an agent with some of everything.
func input() xray.Input {
	return xray.Input{
		Agent: "ada", Published: true, Limit: 40_000, Before: strings.Repeat("h", 1001), After: "\n",
		Parts: []claudemd.Part{
			{Chars: 2002, Text: "fixed"}, memory(1, 403, memories.Feedback), memory(2, 1201, memories.Feedback), {Chars: 22},
			memory(3, 999, memories.Project), {Memory: "id-4", Name: "shared", Shared: "all", Type: memories.Reference, Chars: 120, Listed: true},
			{Memory: "id-5", Type: memories.Reference, Listed: true}, {Chars: 20},
		},
		Carried: records.Carried{IndexChars: 1943, RecalledBytes: 1095, Conversations: 3},
	}
}

func TestOf_RowsSumToTokens(t *testing.T) {
	t.Parallel()
	x := xray.Of(input())
	agent := records.Agent{ClaudeMD: records.ClaudeMD{Path: "CLAUDE.md", Chars: 1002 + 2002 + 403 + 1201 + 22 + 999 + 120 + 20}}
	if want := xray.Tokens(agent, input().Carried); x.Tokens != want {
		t.Errorf("Tokens = %d, want those of the other pages, %d", x.Tokens, want)
	}
	sum, kinds := 0, []string{}
	for _, r := range x.Rows {
		sum += r.Tokens
		kinds = append(kinds, fmt.Sprintf("%s %d", r.Kind, r.Memories))
	}
	if sum != x.Tokens {
		t.Errorf("rows sum to %d, want %d", sum, x.Tokens)
	}
	if got, want := strings.Join(kinds, ", "), "hand 0, system 0, feedback 2, project 1, one-line 1, index 0, recalled 0"; got != want {
		t.Errorf("rows = %s, want %s", got, want)
	}
	if x.Percent != 14 || x.Limit != 10_000 || x.Times != 0 {
		t.Errorf("Percent, Limit, Times = %d, %d, %d", x.Percent, x.Limit, x.Times)
	}
}

func TestOf_Order(t *testing.T) {
	t.Parallel()
	bar := xray.Of(input()).Bar
	var got []string
	for _, s := range bar.Segments {
		got = append(got, strings.TrimSpace(string(s.Kind)+" "+s.Name))
	}
	want := "hand, system, feedback memory 2, feedback memory 1, project memory 3, reference shared, index, recalled"
	if strings.Join(got, ", ") != want {
		t.Errorf("parts = %s, want %s", strings.Join(got, ", "), want)
	}
	if shared := bar.Segments[5]; shared.Owner != "all" || !shared.OneLine {
		t.Errorf("the shared memory is %+v", shared)
	}
	if bar.Limit < 909 || bar.Limit > 910 {
		t.Errorf("limit at %v, want 1,000 / 1.1", bar.Limit)
	}
}

func TestOf_NoHoles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ n, chars int }{{3, 4000}, {474, 300}, {474, 60}, {10_000, 9}, {10_000, 400}} {
		t.Run(fmt.Sprintf("%d of %d", tt.n, tt.chars), func(t *testing.T) {
			t.Parallel()
			in := input()
			for i := range tt.n {
				in.Parts = append(in.Parts, memory(10+i, 1+(i*7919)%(2*tt.chars), memories.Types()[i%4]))
			}
			x := xray.Of(in)
			at, links, counted := 0.0, 0, 0
			for i, s := range x.Bar.Segments {
				if hole := s.Span.From - at; hole < -0.001 || hole > 1 {
					t.Fatalf("part %d starts %v after the one before", i, hole)
				}
				if s.Span.To <= s.Span.From {
					t.Fatalf("part %d has no width: %+v", i, s)
				}
				if s.ID != "" {
					links++
					counted++
				}
				counted += s.More
				at = s.Span.To
			}
			if at > xray.Width+0.001 || at != x.Bar.End {
				t.Errorf("the bar ends at %v, its end is said to be %v", at, x.Bar.End)
			}
			if links > 90 {
				t.Errorf("%d memories have parts", links)
			}
			if counted != tt.n+4 {
				t.Errorf("%d memories are in the bar, want %d", counted, tt.n+4)
			}
		})
	}
}

func TestOf_GapsAndTints(t *testing.T) {
	t.Parallel()
	in := xray.Input{Published: true, Limit: 1000}
	for i, chars := range []int{100, 90, 5, 4, 3, 1, 1} {
		in.Parts = append(in.Parts, memory(i, chars, memories.User))
	}
	segments := xray.Of(in).Bar.Segments
	if len(segments) != 6 {
		t.Fatalf("%d parts, want 5 memories and one for the others", len(segments))
	}
	if hole := segments[1].Span.From - segments[0].Span.To; hole < 0.5 || hole > 0.7 {
		t.Errorf("the gap between wide parts is %v", hole)
	}
	for i := 2; i < 6; i++ {
		if segments[i].Span.From != segments[i-1].Span.To {
			t.Errorf("thin part %d does not touch the one before", i)
		}
		if segments[i].Alternate == segments[i-1].Alternate {
			t.Errorf("thin part %d has the tint of the one before", i)
		}
	}
	if last := segments[5]; last.More != 2 || last.ID != "" {
		t.Errorf("the last part is %+v, want 2 merged memories", last)
	}
}

func TestOf_OverLimit(t *testing.T) {
	t.Parallel()
	in := input()
	in.Before = strings.Repeat("x", 24*40_000)
	x := xray.Of(in)
	if x.Times != 24 {
		t.Errorf("Times = %d, want 24", x.Times)
	}
	if x.Bar.Limit < 41 || x.Bar.Limit > 42 || x.Bar.End < 999.9 {
		t.Errorf("limit at %v of %v", x.Bar.Limit, x.Bar.End)
	}
	for chars, want := range map[int]int{0: 0, 40_000: 0, 80_000: 0, 80_001: 2, 120_000: 3} {
		if got := xray.Times(chars, 40_000); got != want {
			t.Errorf("Times(%d) = %d, want %d", chars, got, want)
		}
	}
}

func TestOf_ClaudeLayout(t *testing.T) {
	t.Parallel()
	in := input()
	in.Published = false
	x := xray.Of(in)
	if want := claudemd.ApproximateTokens(1943) + claudemd.ApproximateTokens(1095); x.Tokens != want {
		t.Errorf("Tokens = %d, want those of MEMORY.md and recalled, %d", x.Tokens, want)
	}
	if got := xray.Tokens(records.Agent{ClaudeMD: records.ClaudeMD{Chars: 5}}, in.Carried); got != x.Tokens {
		t.Errorf("other pages show %d, want %d", got, x.Tokens)
	}
	kinds := []xray.Kind{}
	for _, s := range x.Bar.Segments {
		if kinds = append(kinds, s.Kind); s.WouldBe != (s.Kind != xray.Index && s.Kind != xray.Recalled) || s.ID != "" {
			t.Errorf("part %+v", s)
		}
	}
	if kinds[0] != xray.Index || kinds[1] != xray.Recalled || len(kinds) != 7 {
		t.Errorf("parts are %v", kinds)
	}
	if x.Bar.End != x.Bar.Recalled.To || x.Bar.Limit < 900 {
		t.Errorf("what enters ends at %v, the cap is at %v", x.Bar.End, x.Bar.Limit)
	}
}

func TestOf_DamagedFile(t *testing.T) {
	t.Parallel()
	in := input()
	in.OnDisk = strings.Repeat("é", 4000)
	x := xray.Of(in)
	if x.ClaudeMD != 1000 || len(x.Rows) != 3 || x.Rows[0].Kind != xray.Hand {
		t.Errorf("CLAUDE.md has %d tokens in %+v", x.ClaudeMD, x.Rows)
	}
}

func TestOf_Nothing(t *testing.T) {
	t.Parallel()
	x := xray.Of(xray.Input{})
	if x.Tokens != 0 || len(x.Rows) != 0 || len(x.Bar.Segments) != 0 || x.Percent != 0 {
		t.Errorf("an agent without anything has %+v", x)
	}
}

func TestSpan_Path(t *testing.T) {
	t.Parallel()
	s := xray.Span{From: 1.5, To: 20}
	if got := s.Path(); got != "M1.5 0H20V44H1.5z" {
		t.Errorf("Path() = %s", got)
	}
	if got := s.Bracket(); got != "M2 0V5.5H19.5V0" {
		t.Errorf("Bracket() = %s", got)
	}
}
