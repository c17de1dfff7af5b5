package templates_test

import (
	"time"

	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// aboutPage returns the Settings tab of an agent with jobs in every state.
func settingsPage() templates.Settings {
	job := func(id int64, state, key string) templates.BackgroundJob {
		return templates.BackgroundJob{ID: id, Kind: "extract", State: state, Key: key, Attempts: 1, RunAt: noon, Model: "claude-sonnet-5"}
	}
	waiting, running, done, failed, cancelled := job(5, "waiting", "0198c0de"), job(4, "running", ""), job(3, "done", "0198c0df"), job(2, "failed", ""), job(1, "cancelled", "")
	waiting.Problem, waiting.Attempts, waiting.InputTokens = "it answered with status 529", 3, 812
	done.Message, done.InputTokens, done.OutputTokens, done.FinishedAt = "2 memories proposed.", 12_480, 311, noon
	failed.Problem, failed.Attempts, failed.FinishedAt = "it answered with status 529", 8, noon.Add(-time.Hour)
	cancelled.Problem, cancelled.FinishedAt = "it answered with status 401", noon.Add(-2*time.Hour)
	return templates.Settings{
		Frame: ui.Frame{Live: address.AgentPath(slug, "events")}, Agent: supportBot(),
		Place: templates.MemoryPlace{
			Scope: "project", Project: "/srv/shop", SeenBy: "Everyone who clones the repository, once committed.", ByClaude: true, Dir: "/srv/elsewhere",
			DirLinks: []templates.DecisionLink{
				{Name: "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"},
				{Name: "autoMemoryDirectory", From: "/srv/shop/.claude/settings.json", Says: "~/.ssh", Problem: "Not used: this file is committed with the project."},
				{Name: "autoMemoryDirectory", From: "/home/ada/.claude/settings.json", Says: "/srv/elsewhere", Holds: true},
				{Says: "/home/ada/.claude/projects/-srv-shop/memory"},
			},
			OnLinks: []templates.DecisionLink{{Name: "CLAUDE_CODE_DISABLE_AUTO_MEMORY", Says: "1", Holds: true}, {Says: "on"}},
		},
		Targets: []templates.Target{
			{Name: "agents", File: "AGENTS.md", Readers: "Codex, Cursor, opencode, Amp, Copilot, Goose, Cline, Devin, Qwen Code", On: true, InProject: true, Bytes: 12_480, WrittenAt: noon},
			{Name: "gemini", File: "GEMINI.md", Readers: "Gemini CLI", On: true, SameAs: "AGENTS.md"},
			{Name: "copilot", File: ".github/copilot-instructions.md", Readers: "GitHub Copilot", On: true, Problem: ".github/copilot-instructions.md has damaged memoir:begin and memoir:end markers. Nothing was written."},
			{Name: "cursor", File: ".cursor/rules/memoir.mdc", Readers: "Cursor"},
		},
		Meaning: templates.Meaning{
			Endpoint: "127.0.0.1:11434", Model: "nomic-embed-text", Dimensions: 768, Memories: 1204, Embedded: 1180, Withheld: 1, TokensToday: 412_000, DailyTokens: 20_000_000,
			Problem: "it answered with status 503", ProblemAt: noon, AnsweredAt: noon.Add(-time.Minute), PausedUntil: noon.Add(5 * time.Minute),
		},
		Work: templates.BackgroundWork{
			Model: "claude-sonnet-5-5, by the claude command line",
			Jobs:  []templates.BackgroundJob{waiting, running, done, failed, cancelled}, Days: 30, InputTokens: 13_292, OutputTokens: 311,
			ByDay: []templates.TokensOfDay{{Day: noon.AddDate(0, 0, -1), Input: 812}, {Day: noon, Input: 12_480, Output: 311}},
		},
	}
}
