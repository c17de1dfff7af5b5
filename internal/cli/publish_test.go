package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/wire"
)

func TestPublish_ToAndStop(t *testing.T) {
	t.Parallel()
	term := start(t, "server", memoirtest.Files{"ada/memory/tabs.md": note("Tabs", memories.Feedback, "Use tabs.")})
	list := term.memoir("publish", "--agent", "ada").wants(0, "TARGET   STATE  FILE", "")
	if !strings.Contains(list.stdout, "agents   off    "+term.at("agents/ada/AGENTS.md")) {
		t.Errorf("the list is\n%s", list.stdout)
	}
	term.memoir("publish", "to", "agents", "cursor", "--agent", "ada").wants(0, "agents   on ", "")
	term.memoir("publish", "to", "gemini", "--agent", "ada").wants(0, "gemini   on ", "")
	if got := term.read("agents/ada/AGENTS.md"); !strings.Contains(got, "Use tabs.") {
		t.Errorf("AGENTS.md is %q", got)
	}
	out := term.memoir("publish", "stop", "agents", "--agent", "ada", "--json")
	var all wire.TargetList
	if err := json.Unmarshal([]byte(out.stdout), &all); err != nil || all.Targets[0].On || !all.Targets[1].On || !all.Targets[3].On {
		t.Errorf("the targets are %+v, %v", all, err)
	}
	term.put("agents/ada/AGENTS.md", "<!-- memoir:end -->\n")
	term.memoir("publish", "to", "agents", "--agent", "ada").wants(1, "agents   problem", "memoir: AGENTS.md has damaged memoir:begin and memoir:end markers")

	term.memoir("publish", "to").wants(2, "", "publish to takes targets: agents, gemini, copilot, cursor (see memoir help publish)")
	term.memoir("publish", "to", "claude").wants(2, "", `unknown target "claude": use agents`)
	term.memoir("publish", "from", "agents").wants(2, "", `unknown command publish "from"`)
	term.memoir("publish", "list", "agents").wants(2, "", "publish list takes no further words")
	term.memoir("publish", "--url", "http://"+noServer).wants(1, "", "; publishing needs a running server")
	term.memoir("help", "publish").wants(0, "  copilot                   .github/copilot-instructions.md\n", "")
}
