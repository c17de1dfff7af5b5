package address_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/web/templates/address"
)

func TestAddress_Escapes(t *testing.T) {
	t.Parallel()
	view := address.View{Agent: "a/b", Type: memories.Project, Query: "x&y"}
	for _, c := range []struct{ got, want string }{
		{address.AgentPath("a/b", "c d"), "/agents/a%2Fb/c%20d"},
		{address.WithQuery("/search?q=old&sort=name#top", map[string]string{"q": "a&b", "sort": ""}), "/search?q=a%26b#top"},
		{address.WithQuery("/%zz", map[string]string{"q": "a"}), "/%zz"},
		{address.APIMemoryPath("a/b", "c d"), "/api/v1/agents/a%2Fb/memories/c%20d"},
		{view.List(), "/agents/a%2Fb/memory?q=x%26y&type=project"},
		{view.PageAfter("7").List(), "/agents/a%2Fb/memory?after=7&q=x%26y&type=project"},
		{view.PageAfter("7").Memory("8"), "/agents/a%2Fb/memory/8?q=x%26y&type=project"},
		{view.OfGroup("").List(), "/agents/a%2Fb/memory?q=x%26y&state=needs_attention"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTimelineAddress_Filters(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	a := address.TimelineAddress{Agent: "ada", AsOf: day, Show: address.ShowEvents, Session: "s", Cursor: "c", Open: "o"}
	for _, c := range []struct{ got, want string }{
		{a.String(), "/agents/ada/timeline?as_of=2026-11-25&cursor=c&open=o&session=s"},
		{a.First(), "/agents/ada/timeline?as_of=2026-11-25&session=s"},
		{a.Without(address.FieldSession), "/agents/ada/timeline?as_of=2026-11-25"},
		{a.List(address.ShowLogs), "/agents/ada/timeline?as_of=2026-11-25&show=logs"},
		{a.Now(), "/agents/ada/timeline?cursor=c&open=o&session=s"},
		{address.TimelineAddress{}.String(), "/timeline"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
