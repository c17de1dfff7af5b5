package links_test

import (
	"testing"

	"memoir/internal/findings"
	"memoir/internal/findings/links"
)

func TestMatch_DeadLinks(t *testing.T) {
	t.Parallel()
	targets := links.Targets{
		HasFile:   func(path string) bool { return path == "memory/deploy.md" || path == "memory/team/rota.md" },
		IsDeleted: func(name string) bool { return name == "old_login" },
	}
	for body, want := range map[string]string{
		"See [deploys](deploy.md) first.":                         "",
		"See [deploys](./deploy.md#how) first.":                   "",
		"See [the rota](team/rota.md).":                           "",
		"See [the plan](plan.md) and [deploys](deploy.md).":       "[the plan](plan.md)",
		"See [the plan](<old plan.md>)":                           "[the plan](<old plan.md>)",
		"See [the plan](old%20plan.md \"Old\").":                  "[the plan](old%20plan.md \"Old\")",
		"See [the plan][p].\n\n[p]: plan.md\n":                    "[p]: plan.md",
		"`[the plan](plan.md)` is how a link is written.":         "",
		"```\n[the plan](plan.md)\n```\n":                         "",
		"See [docs](https://example.com/plan.md), [up](../x.md).": "",
		"See [the plan](../memory/plan.md), [x](../other/x.md).":  "[the plan](../memory/plan.md)",
		"See <a href=\"plan.md\">the plan</a>.":                   "<a href=\"plan.md\">",
		"See [the plan](release_plan) and f[i](x).":               "[the plan](release_plan)",
		"See [the picture](plan.png) and [top](#top).":            "",
		"After [[old_login]] was replaced by [[new_login]].":      "[[old_login]]",
		"Ask [[wanted_memory]].":                                  "",
	} {
		m, ok := links.Match(findings.Text{Body: body}, "memory/a.md", targets)
		got := ""
		for _, s := range m.Spans {
			got += body[s.Start:s.End]
		}
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", body, got, ok, want)
		}
	}
	m, _ := links.Match(findings.Text{Body: "[a](x.md) [b](y.md)"}, "memory/a.md", targets)
	if m.Kind != findings.Link || m.Reason != "2 links without a target" {
		t.Errorf("match %+v", m)
	}
}
