package reviewcards

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
	"memoir/web/templates/wording"
)

const (
	// usualPace is the time for a decision before enough were made (arbitrary).
	usualPace = 10 * time.Second
	// paced is the number of decisions whose median is the pace (arbitrary).
	paced = 50
	// maxPause is the longest time between two decisions of one sitting (arbitrary).
	maxPause = 5 * time.Minute
)

// Minutes returns the expected time for a number of items, in minutes: at least 1 for any item.
func Minutes(items int, pace time.Duration) int {
	if items == 0 {
		return 0
	}
	return max(1, int((time.Duration(items)*pace+30*time.Second)/time.Minute))
}

// Paced returns the selection of the decisions from which Pace is taken: those of the last week. Without
// an id, they are of all agents.
func Paced(agentID int64, now time.Time) records.ReviewDecisionList {
	return records.ReviewDecisionList{AgentID: agentID, Since: now.AddDate(0, 0, -7), Limit: paced + 1}
}

// Pace returns the median time for a decision. Decisions of one batch count once, and pauses do not
// count. With fewer than 3 times it returns usualPace.
func Pace(last []records.ReviewDecision) time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(last) && len(gaps) < paced; i++ {
		gap := last[i-1].At.Sub(last[i].At)
		batch := review.OutcomeOf(last[i]).Batch
		if gap > maxPause || batch != "" && batch == review.OutcomeOf(last[i-1]).Batch {
			continue
		}
		gaps = append(gaps, gap)
	}
	if len(gaps) < 3 {
		return usualPace
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// endWords are the counts of the end card, by kind and decision. The first that matches counts.
var endWords = []struct {
	one, many string
	kinds     []findings.Kind
	decisions []string
}{
	{"secret removed", "secrets removed", []findings.Kind{findings.Secret}, []string{review.RemoveValue, review.Delete}},
	{"duplicate merged", "duplicates merged", []findings.Kind{findings.Duplicate}, []string{review.Merge, "keep_1", "keep_2", "keep_3", "keep_4"}},
	{"contradiction settled", "contradictions settled", []findings.Kind{findings.Contradiction, findings.Conflict}, nil},
	{"expired deleted", "expired deleted", []findings.Kind{findings.Expired}, []string{review.Delete}},
	{"suggestion accepted", "suggestions accepted", []findings.Kind{findings.Suggestion, findings.Plan}, []string{review.Accept, review.Apply}},
	{"file fixed", "files fixed", nil, []string{review.Fix, review.WriteBack, review.UseFile}},
	{"confirmed", "confirmed", nil, []string{review.StillTrue, review.Keep, review.KeepBoth, review.Allow}},
	{"other deleted", "others deleted", nil, []string{review.Delete, review.Skip, review.Dismiss}},
}

// End returns the end card of the decisions of a day, the last first. sizes are the current sizes of
// the memories of their agents, and fileChars is the size of these agents' CLAUDE.md. It returns nil
// if no decision settles an item.
func End(decisions []records.ReviewDecision, sizes map[memories.Type]records.ReviewSize, fileChars int) *templates.ReviewEnd {
	agents, counts := map[string]bool{}, map[string]int{}
	changes := map[memories.Type]records.ReviewSize{}
	end := &templates.ReviewEnd{}
	for _, d := range decisions {
		if d.Decision == review.Snooze || d.Decision == review.Never || d.Decision == review.Hide {
			continue
		}
		end.Decisions++
		agents[d.Agent] = true
		for _, w := range endWords {
			if (w.kinds == nil || slices.Contains(w.kinds, findings.Kind(d.Kind))) && (w.decisions == nil || slices.Contains(w.decisions, d.Decision)) {
				counts[w.many]++
				break
			}
		}
		for t, c := range review.OutcomeOf(d).Changes {
			sum := changes[t]
			changes[t] = records.ReviewSize{Memories: sum.Memories + c.Memories, Chars: sum.Chars + c.Chars}
		}
	}
	if end.Decisions == 0 {
		return nil
	}
	end.Agents = len(agents)
	end.Minutes = sitting(decisions)
	for _, w := range endWords {
		n, label := counts[w.many], w.many
		if n == 1 {
			label = w.one
		}
		if n > 0 && len(end.Counts) < 4 {
			end.Counts = append(end.Counts, templates.ReviewFact{Label: label, Text: wording.Number(n)})
		}
	}
	other := fileChars
	for _, s := range sizes {
		other -= s.Chars
	}
	add := func(kind, label string, before, after int) {
		end.Before.Total += before
		end.After.Total += after
		end.Before.Parts = append(end.Before.Parts, templates.ReviewBarPart{Kind: kind, Label: label, Tokens: before})
		end.After.Parts = append(end.After.Parts, templates.ReviewBarPart{Kind: kind, Label: label, Tokens: after})
	}
	if other = max(0, tokens(other)); other > 0 {
		add("hand", "Other text", other, other)
	}
	for _, t := range append(memories.Types(), "") {
		end.MemoriesAfter += sizes[t].Memories
		end.MemoriesBefore += sizes[t].Memories - changes[t].Memories
		if after, before := tokens(sizes[t].Chars), tokens(max(0, sizes[t].Chars-changes[t].Chars)); t != "" && after+before > 0 {
			add(string(t), wording.TypeName(t), before, after)
		}
	}
	return end
}

// sitting returns the minutes in which the decisions were made, without pauses.
func sitting(decisions []records.ReviewDecision) int {
	whole := usualPace
	for i := 1; i < len(decisions); i++ {
		if gap := decisions[i-1].At.Sub(decisions[i].At); gap <= maxPause {
			whole += gap
		}
	}
	return max(1, int((whole+30*time.Second)/time.Minute))
}

// Markdown returns the end card as a text.
func Markdown(end templates.ReviewEnd) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Review: all clear.** %s in %d min, %s.\n\n", wording.Count(end.Decisions, "decision", "decisions"), end.Minutes, wording.Count(end.Agents, "agent", "agents"))
	fmt.Fprintf(&b, "- %s → %s memories\n", wording.Number(end.MemoriesBefore), wording.Number(end.MemoriesAfter))
	fmt.Fprintf(&b, "- %s → %s tokens in each conversation\n", wording.Number(end.Before.Total), wording.Number(end.After.Total))
	for _, c := range end.Counts {
		fmt.Fprintf(&b, "- %s %s\n", c.Text, c.Label)
	}
	return b.String()
}
