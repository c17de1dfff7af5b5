package listview

import (
	"net/url"
	"reflect"
	"testing"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates/address"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]records.MemoryList{
		"":                              {},
		"view=unchecked&sort=cost":      {View: records.UncheckedView, Order: records.CostOrder},
		"type=user&session=s&done=x":    {Part: 2, Session: "s"},
		"state=needs_attention":         {Part: records.AttentionPart},
		"state=missing&sort=type":       {State: memories.Missing},
		"q=+type:project++two+words":    {Part: 3, Query: "two words"},
		"q=is:never-recalled+agent:ada": {View: records.NeverRecalledView},
		"q=is:broken&view=new":          {View: records.NewView, State: memories.NeedsAttention},
		"q=is:odd+type:odd+agent:bob":   {Query: "is:odd type:odd agent:bob"},
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := Parse("ada", values); err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", query, got, err, want)
		}
	}
	for _, query := range []string{"view=stale", "view=new&view=team", "sort=age", "type=x", "state=deleted", "state=missing&type=user", "stale=true", "name=x"} {
		values, _ := url.ParseQuery(query)
		if _, _, err := Parse("ada", values); err == nil {
			t.Errorf("Parse(%q) has no error", query)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	type rows = map[records.MemoryPart][2]int
	for name, test := range map[string]struct {
		view   address.View
		list   records.MemoryList
		header string
		want   records.MemoryWindow
	}{
		"groups":       {want: records.MemoryWindow{Rows: rows{}, Default: 25, Anchor: "open", Before: -12, After: 12}},
		"one group":    {list: records.MemoryList{Part: 2}, want: records.MemoryWindow{Rows: rows{}, Default: 100, Anchor: "open", Before: -49, After: 50}},
		"page after":   {view: address.View{After: "a"}, list: records.MemoryList{Order: records.NameOrder}, want: records.MemoryWindow{Rows: rows{}, Default: 100, Anchor: "a", Before: 1, After: 100, IsPage: true}},
		"page before":  {view: address.View{Before: "b"}, list: records.MemoryList{Part: 1}, want: records.MemoryWindow{Rows: rows{}, Default: 100, Anchor: "b", Before: -100, After: -1, IsPage: true}},
		"shown before": {header: "user=1-3, attention=7-130, all=0-4, x=1-2", want: records.MemoryWindow{Rows: rows{2: {1, 25}, 5: {7, 130}}, Default: 25, Anchor: "open", Before: -12, After: 12}},
	} {
		if got := Window(test.view, test.list, "open", test.header); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 9, 12, 0, 0, 0, time.UTC)
	for since, want := range map[time.Duration]string{
		-time.Hour: "now", 59 * time.Second: "now", 5 * time.Minute: "5 min", 23*time.Hour + 59*time.Minute: "23 h", 24 * time.Hour: "1 d", 2400 * time.Hour: "100 d",
	} {
		if got := Ago(now.Add(-since), now); got != want {
			t.Errorf("%s ago is %q, want %q", since, got, want)
		}
	}
	if got := Ago(time.Time{}, now); got != "–" {
		t.Errorf("an unknown time is %q", got)
	}
}

func TestRow_WorstChip(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 9, 12, 0, 0, 0, time.UTC)
	m := records.ListedMemory{Memory: memories.Memory{State: memories.Active, Type: memories.Project, Readable: true, ModifiedAt: now}}
	// Each step adds something worse.
	for _, step := range []struct {
		want string
		add  func()
	}{
		{"New", func() {}},
		{"Team", func() { m.Team = true }},
		{"Unchecked", func() { m.ModifiedAt = now.AddDate(0, 0, -31) }},
		{"Expired", func() { m.Findings = append(m.Findings, findings.Expired) }},
		{"Missing", func() { m.State = memories.Missing }},
		{"Contradiction", func() { m.Findings = append(m.Findings, findings.Contradiction) }},
		{"Conflict", func() { m.Conflict = memories.SessionConflict }},
		{"Injection", func() { m.Problems = append(m.Problems, memories.Problem{Code: memories.CodeInjection}) }},
		{"Secret", func() { m.Problems = append(m.Problems, memories.Problem{Code: memories.CodeSecret}) }},
	} {
		step.add()
		if got := Row(m, now); got.Chip.Text != step.want {
			t.Errorf("chip = %q, want %q", got.Chip.Text, step.want)
		}
	}
	if got := Row(m, now).Tokens; got != 0 {
		t.Errorf("a memory in quarantine costs %d tokens", got)
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	at := time.UnixMicro(1_795_679_100_580_591)
	if n, changedAt := ParseMark(Mark(474, at)); n != 474 || !changedAt.Equal(at) {
		t.Errorf("ParseMark() = %d, %s", n, changedAt)
	}
	if n, changedAt := ParseMark("x"); n != 0 || !changedAt.IsZero() {
		t.Errorf("ParseMark(x) = %d, %s", n, changedAt)
	}
}
