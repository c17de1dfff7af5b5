package agents_test

import (
	"fmt"
	"slices"
	"testing"

	"memoir/internal/agents"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names []string
		want  []agents.Label
	}{
		"a plain name":        {[]string{"release-captain"}, []agents.Label{{"release-captain", ""}}},
		"a path in home":      {[]string{"/home/mira/code/web"}, []agents.Label{{"web", "~/code"}}},
		"a path elsewhere":    {[]string{"/srv/ledger"}, []agents.Label{{"ledger", "/srv"}}},
		"below the root":      {[]string{"/srv"}, []agents.Label{{"srv", ""}}},
		"home and the root":   {[]string{"/home/mira", "/"}, []agents.Label{{"~", ""}, {"/", ""}}},
		"a similar home":      {[]string{"/home/miranda/web"}, []agents.Label{{"web", "/home/miranda"}}},
		"a custom agent":      {[]string{"reviewer in /home/mira/code/web"}, []agents.Label{{"reviewer", "~/code/web"}}},
		"a local one":         {[]string{"reviewer in /srv/web (local)"}, []agents.Label{{"reviewer", "/srv/web (local)"}}},
		"all projects":        {[]string{"All projects, in /srv/memory"}, []agents.Label{{"All projects", "/srv/memory"}}},
		"a sentence":          {[]string{"what is in here"}, []agents.Label{{"what is in here", ""}}},
		"a folded path":       {[]string{"-home-mira-code-web", "-srv-web"}, []agents.Label{{"code-web", "~"}, {"-srv-web", ""}}},
		"same names":          {[]string{"/a/x/web", "/b/y/web", "/c/api"}, []agents.Label{{"x/web", "/a"}, {"y/web", "/b"}, {"api", "/c"}}},
		"the same two parts":  {[]string{"/a/x/web", "/b/x/web"}, []agents.Label{{"a/x/web", ""}, {"b/x/web", ""}}},
		"a path and a name":   {[]string{"/a/web", "web"}, []agents.Label{{"a/web", ""}, {"web", ""}}},
		"equal display names": {[]string{"/a/web", "/a/web"}, []agents.Label{{"a/web", ""}, {"a/web", ""}}},
		"none":                {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := agents.Labels(c.names, "/home/mira"); !slices.Equal(got, c.want) {
				t.Errorf("Labels() = %q, want %q", got, c.want)
			}
		})
	}
	if got := agents.Labels([]string{"/home/mira/web"}, ""); got[0] != (agents.Label{Name: "web", Parent: "/home/mira"}) {
		t.Errorf("without a home: %q", got)
	}
}

func TestLabels_ManyDiffer(t *testing.T) {
	t.Parallel()
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("/srv/%d/app/web", i)
	}
	seen := map[string]bool{}
	for _, l := range agents.Labels(names, "") {
		seen[l.Name] = true
	}
	if len(seen) != len(names) {
		t.Errorf("%d names of %d agents", len(seen), len(names))
	}
}
