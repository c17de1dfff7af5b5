package templates_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

var noon = time.Date(2026, time.March, 9, 12, 0, 0, 0, time.UTC)

const slug = "support-bot"

func supportBot() templates.Agent {
	return templates.Agent{
		Slug: slug, Name: "support-bot", Layout: "hive", Dir: "/srv/agents/support-bot", Present: true,
		Counts: templates.Counts{
			ByType:         map[memories.Type]int{memories.Feedback: 3, memories.User: 2, memories.Project: 2, memories.Reference: 1},
			NeedsAttention: 2, Proposals: 3, Deleted: 2, Total: 10,
		},
		Sessions: 3,
	}
}

func fresh(text string) templates.Age { return templates.Age{Text: text} }

func stale(days int) templates.Age {
	return templates.Age{
		Text: fmt.Sprintf("%d days ago", days), Stale: true,
		Warning: fmt.Sprintf("This memory is %d days old. Memories are point-in-time observations, not live state — claims about "+
			"code behavior or file:line citations may be outdated. Verify against current code before asserting as fact.", days),
	}
}

func believableRows() []templates.MemoryRow {
	row := func(n int, t memories.Type, name, description string, age templates.Age, session string) templates.MemoryRow {
		return templates.MemoryRow{
			Memory: memories.Memory{
				Agent: slug, ID: fmt.Sprintf("0198c0de-0000-7000-8000-%012d", n), Name: name, Type: t,
				Description: description, State: memories.Active, Session: session, ClaudeMDChars: 1011,
			},
			ETag: fmt.Sprintf(`"%d"`, n), Age: age, At: noon, Ago: "12 d", Tokens: 253,
		}
	}
	rows := []templates.MemoryRow{
		row(1, memories.Feedback, "Answer in the customer's language", "Reply in the language of the ticket, also when the agent console is in English", fresh("today"), "U07AB12CD-C02SUPPORT-1741512345.123456"),
		row(2, memories.Feedback, "Never promise a refund date", "Say “within five working days” and nothing more precise", stale(12), ""),
		row(3, memories.Feedback, "short-replies", "", fresh("yesterday"), ""),
		row(4, memories.User, "Mira prefers tables", "Mira Okafor reads summaries as tables, one row per ticket, newest first", fresh("yesterday"), "U07AB12CD-C02SUPPORT-1741512345.123456"),
		row(5, memories.User, "Jonas is on call on Thursdays", "Escalate to Jonas first on Thursdays; he answers within minutes", stale(41), ""),
		row(6, memories.Project, "Billing migration freeze", "No changes to invoices between 1 and 15 March, because finance reconciles the old and the new ledger in parallel and every correction would have to be made twice by hand", stale(6), ""),
		row(7, memories.Project, "Outage of 3 March", "Root cause was an expired certificate; the status page has the timeline", stale(6), "U09ZZ88YY-C02SUPPORT-1740998877.000100"),
		row(8, memories.Reference, "Where the runbooks live", "runbooks.example.com/support, one page per product area", stale(90), ""),
		row(9, "", "vpn notes", "How to reach the staging network", fresh("today"), ""),
		row(10, "", "broken_export", "", stale(3), ""),
	}
	for i := range rows[8:] {
		rows[8+i].State = memories.NeedsAttention
	}
	rows[8].Problems = []memories.Problem{{Code: "no_type", Message: "The file names no type, so the memory is not compiled. Choose one of the four."}}
	rows[9].Problems = []memories.Problem{{Code: "invalid_utf8", Message: "The file is not valid UTF-8, so it could not be read. Its bytes are kept as they are."}}
	return rows
}

const believableBody = "Reply in the language of the ticket, also when the console is in English.\n\n" +
	"**Why:** Three customers in a row got English answers to German questions, see [[Outage of 3 March]].\n\n" +
	"**How to apply:**\n\n1. Detect the language of the *last* customer message.\n2. Answer in it, names and product terms unchanged.\n" +
	"3. Below 80 % certainty, ask: `Which language do you prefer?`\n\n" +
	"# Exceptions\n\n- [x] Legal texts stay in English\n- [ ] Arabic, until the right-to-left template is ready\n\n" +
	"> “I did not understand a word of your answer.” — ticket 48213\n\n" +
	"| Language | Template | Tickets |\n|:--|:-:|--:|\n| German | de-2 | 1,204 |\n| Japanese | ja-1 | 88 |\n\n" +
	"```go\nlang, certainty := detect(last(ticket.Messages)) // never the subject line, it is often a forwarded one\n```\n\n" +
	"More at <https://runbooks.example.com/support/languages> and in [the glossary](glossary.md).\n"

func render(t *testing.T, source string) markdown.HTML {
	t.Helper()
	html, err := markdown.Render(source, func(target string) (string, bool) {
		return address.MemoryPath(slug, "0198c0de-0000-7000-8000-000000000007"), strings.HasPrefix(target, "Outage")
	})
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// grouped returns rows by type, in the order of the types, then the memories that need attention.
// It omits empty groups.
func grouped(rows []templates.MemoryRow) []templates.Group {
	byType := map[memories.Type][]templates.MemoryRow{}
	for _, row := range rows {
		t := row.Type
		if row.State == memories.NeedsAttention || !slices.Contains(memories.Types(), t) {
			t = ""
		}
		byType[t] = append(byType[t], row)
	}
	var found []templates.Group
	for _, t := range append(memories.Types(), "") {
		if rows := byType[t]; len(rows) > 0 {
			found = append(found, templates.Group{Type: t, Rows: rows, First: 1, Total: len(rows)})
		}
	}
	return found
}

func memoriesPage() templates.Memories {
	return templates.Memories{
		Frame: ui.Frame{Live: address.AgentPath(slug, "events")},
		Agent: supportBot(), View: address.View{Agent: slug}, Groups: grouped(believableRows()), Found: 10,
		Views:     []templates.ViewCount{{Count: 10}, {Name: address.NewView, Count: 3}, {Name: address.UncheckedView, Count: 2}, {Name: address.TrashView, Count: 2}},
		Selection: templates.Selection{Agent: slug, Back: address.MemoriesPath(slug), Label: "All", Total: 474, All: "474 1"},
	}
}

// readingPage returns the Memory tab with a memory open.
func readingPage(open templates.Memory) templ.Component {
	v := memoriesPage()
	v.Open = &open
	return templates.MemoriesPage(v)
}

func memoryPage(t *testing.T, row templates.MemoryRow) templates.Memory {
	t.Helper()
	row.Readable = row.Name != "broken_export"
	row.AskedAs = []string{"which language do I write to customers in", "In welcher Sprache antworte ich?", strings.Repeat("wortohneende", 10)}
	row.Memory.Path, row.Hash, row.Size = "memory/feedback_language.md", strings.Repeat("9f86d081884c7d65", 4), 1204
	row.Files = []memories.MemoryFile{
		{Path: "memory/feedback_language.md", ModifiedAt: noon},
		{Path: "sessions/U07AB12CD-C02SUPPORT-1741512345.123456/memory/feedback_language.md", Session: "U07AB12CD-C02SUPPORT-1741512345.123456", ModifiedAt: noon.Add(-time.Hour)},
	}
	row.CreatedAt, row.UpdatedAt = noon.Add(-40*24*time.Hour), noon
	return templates.Memory{
		Agent: supportBot(), View: address.View{Agent: slug}, MemoryRow: row, Body: render(t, believableBody), CanWrite: true, Revisions: 14,
		Asked:      memories.AskedAs{By: memories.ByModel, IsStale: true},
		LinkedFrom: []ui.Link{{Label: "Billing migration freeze", Href: address.MemoryPath(slug, "6")}},
		Notes: []templates.MemoryNote{
			{Kind: "contradiction", Reason: "Different dates", Href: "/review/contradiction-1", Others: []ui.Link{{Label: "freeze_december", Href: address.MemoryPath(slug, "7")}}},
			{Kind: "expired", Reason: "Date passed: 30 Nov 2025", Href: "/review/expired-1"},
		},
	}
}

// asking returns a memory with the form for its phrases.
func asking(open templates.Memory) templates.Memory {
	open.Asks = true
	return open
}

// tabOf returns the page of a memory with one of its tabs.
func tabOf(open templates.Memory, tab address.PaneTab) templ.Component {
	open.Tab = tab
	return readingPage(open)
}

// formPage returns the Memory tab with a form in the pane.
func formPage(form templates.MemoryForm) templ.Component {
	v := memoriesPage()
	v.Form = &form
	return templates.MemoriesPage(v)
}

// masked returns a memory with a secret.
func masked(v templates.Memory) templates.Memory {
	v.Problems = []memories.Problem{memories.ProblemOf(memories.CodeSecret)}
	v.Notes = []templates.MemoryNote{{Kind: "secret", Reason: "Password in plain text", Href: "/review/secret-1"}}
	return v
}

func revealedPage(v templates.Memory) templates.Memory {
	v = masked(v)
	v.Revealed = true
	return v
}

// costs returns a memory with all that its tab about costs shows.
func costs(v templates.Memory) templates.Memory {
	v.Entry = templates.IndexEntry{Path: "memory/MEMORY.md", Line: 14, Text: "- [Languages](feedback_language.md) — answer in the customer’s", Loaded: true}
	v.Recalls = templates.RecallsOfMemory{Recalls: 9, Last: noon, Now: noon}
	v.Given = []templates.RecallWith{
		{At: noon, Query: "Which language do I answer ticket 4711 in?", Given: true},
		{At: noon.AddDate(0, 0, -3), Query: "ברוך הבא", Given: false},
		{At: noon.AddDate(0, 0, -9), Query: strings.Repeat("a very long prompt ", 40), Given: true},
	}
	return v
}

func trashPage() templates.Memories {
	v := memoriesPage()
	v.View.Name, v.Groups, v.Found = address.TrashView, grouped(believableRows()[:2]), 2
	v.Selection.InTrash = true
	for i := range v.Groups[0].Rows {
		row := &v.Groups[0].Rows[i]
		row.State, row.DeletedActor, row.DeletedAt, row.At, row.Ago = memories.Deleted, memories.ByScript, noon, noon, "3 d"
	}
	return v
}

func syncPage() templates.Sync {
	return templates.Sync{
		Frame: ui.Frame{Live: address.EventsPath}, FilesOnDisk: 1257, Mirrored: 1257, NeedsAttention: 2, WatchMode: "events",
		LastFullScan: noon, LastScan: templates.ScanResult{Files: 1257, Added: 3, Updated: 1, Took: 340 * time.Millisecond}, Lag: 212 * time.Millisecond,
		Agents: []templates.AgentSync{
			{Slug: slug, Name: "support-bot", Present: true, FilesOnDisk: 1200, Mirrored: 1200},
			{Slug: "other", Name: "another-one-with-a-long-name", Present: true, FilesOnDisk: 57, Mirrored: 57, NeedsAttention: 2, Missing: 12, Pending: 3, Problem: "The markers are damaged.", ScanProblem: "Its directory is still being scanned, after 45 seconds. The others do not wait for it."},
			{Slug: "gone", Name: "gone"},
		},
	}
}

func memoryForm(t *testing.T) templates.MemoryForm {
	t.Helper()
	return templates.MemoryForm{
		Agent: supportBot(), ID: "0198c0de-0000-7000-8000-000000000001", ETag: `"1"`, Name: "Answer in the customer's language",
		Type: memories.Feedback, Description: "Reply in the language of the ticket", Body: believableBody, Preview: render(t, believableBody),
	}
}

func refusedForm() templates.MemoryForm {
	return templates.MemoryForm{
		Agent: supportBot(), Name: "short-replies", Body: "Keep it short.",
		Frame: ui.Frame{Banners: []ui.Banner{templates.NotSaved("memory/short_replies.md cannot be written (permission denied). Nothing was changed.")}},
		Problems: map[string]string{
			address.FieldName: "This name is taken. Choose another name, or",
			address.FieldType: "The type must be one of feedback, user, project, reference.",
		},
		Taken: ui.Link{Label: "open “short-replies”", Href: "/agents/support-bot/memory/0198c0de-0000-7000-8000-000000000003"},
	}
}

func secretForm(t *testing.T) templates.MemoryForm {
	v := memoryForm(t)
	v.Preview, v.Secret = "", "Password in plain text."
	return v
}

// mendedMemory returns a memory whose file has fixes.
func mendedMemory(t *testing.T) templates.Memory {
	v := memoryPage(t, believableRows()[8])
	v.Fixes = &mendings()[0]
	return v
}

func changedForm(t *testing.T) templates.MemoryForm {
	t.Helper()
	v := memoryForm(t)
	v.Banners = []ui.Banner{templates.ChangedMeanwhile()}
	v.Theirs = &templates.Theirs{
		ID: v.ID, Name: v.Name, Type: v.Type, Description: "Reply in the language of the last message",
		Body: "Reply in the language of the *last* message, whatever the ticket began with.\n\n**Why:** people switch.",
	}
	return v
}

// everyPage returns each page in each state, by a name that fits files and addresses.
func everyPage(t *testing.T) map[string]templ.Component {
	t.Helper()
	rows := believableRows()

	noted := memoriesPage()
	notice := deletedNotice("Billing migration freeze", noted.View.List())
	noted.Notice = &notice

	troubled := memoriesPage()
	troubled.Agent.Present = false
	troubled.Agent.Counts.Missing = 2
	troubled.Groups[2].Rows[1].State = memories.Missing
	troubled.Banners = []ui.Banner{
		troubled.Agent.Gone(),
		templates.MissingMemories(slug, []string{"Outage of 3 March", "Jonas is on call on Thursdays"}, "etag"),
		templates.BlockedReturns(slug, 1),
		templates.ClaudeMDProblem(slug, "CLAUDE.md has two begin markers, so Memoir does not know which part is its own and wrote nothing. Leave one pair of markers in it."),
	}

	disputed := memoryPage(t, rows[4])
	disputed.Notes = []templates.MemoryNote{templates.ConflictNote(disagreement())}

	doubtful := memoryPage(t, rows[5])
	doubtful.Citations = believableCitations()

	searched := memoriesPage()
	searched.View.Query, searched.View.Type, searched.Groups, searched.Found = "invoice", memories.Project, grouped(rows[5:6]), 204
	searched.View.Name, searched.View.Session = address.UncheckedView, rows[6].Session
	searched.Groups[0].First, searched.Groups[0].Total = 1000, 1204

	unfound := memoriesPage()
	unfound.View.Query, unfound.Groups, unfound.Found = "zebra", nil, 0

	noTrash := memoriesPage()
	noTrash.View.Name, noTrash.Groups, noTrash.Found = address.TrashView, nil, 0

	unlearned := memoriesPage()
	unlearned.Agent.Counts, unlearned.Groups, unlearned.Found = templates.Counts{}, nil, 0

	deleted := memoryPage(t, rows[1])
	deleted.State, deleted.DeletedAt, deleted.Files = memories.Deleted, noon, nil

	forgotten, forgottenHistory := memoryPage(t, rows[0]), historyPage()
	forgotten.State, forgotten.History = memories.Deleted, &forgottenHistory
	for i := range forgottenHistory.Revisions {
		forgottenHistory.Revisions[i].Restorable = false
	}

	pending := syncPage()
	pending.Pending, pending.WatchMode, pending.WatchNote, pending.Overflows = 14, "polling", "the file system of /mnt/agents sends no events", 3

	conflict := templates.FailureOf(409)
	conflict.Details = []string{"memory/feedback_language.md has other bytes than you saw."}
	conflict.BackHref, conflict.BackLabel = address.MemoriesPath(slug), "Back to memories"
	broken := templates.FailureOf(500)
	broken.RequestID = "b7f1c0d2"

	return map[string]templ.Component{
		"home":             templates.HomePage(homePage()),
		"home-none":        templates.HomePage(noAgentsPage()),
		"search":           templates.SearchPage(searchPage()),
		"memories":         templates.MemoriesPage(memoriesPage()),
		"memories-deleted": templates.MemoriesPage(noted),
		"memories-trouble": templates.MemoriesPage(troubled),
		"memories-search":  templates.MemoriesPage(searched),
		"memories-unfound": templates.MemoriesPage(unfound),
		"memories-none":    templates.MemoriesPage(unlearned),
		"memory":           readingPage(memoryPage(t, rows[0])),
		"memory-asked":     readingPage(asking(memoryPage(t, rows[0]))),
		"memory-stale":     readingPage(memoryPage(t, rows[1])),
		"memory-doubtful":  readingPage(doubtful),
		"memory-typeless":  readingPage(memoryPage(t, rows[8])),
		"memory-broken":    readingPage(memoryPage(t, rows[9])),
		"memory-masked":    readingPage(masked(memoryPage(t, rows[0]))),
		"memory-revealed":  readingPage(revealedPage(memoryPage(t, rows[0]))),
		"memory-cost":      tabOf(costs(memoryPage(t, rows[0])), address.CostTab),
		"memory-unused":    tabOf(memoryPage(t, rows[0]), address.CostTab),
		"memory-file":      tabOf(memoryPage(t, rows[0]), address.FileTab),
		"memory-deleted":   readingPage(deleted),
		"memory-disputed":  readingPage(disputed),
		"deletion":         templates.DeletionPage(deletionPage()),
		"deletion-nothing": templates.DeletionPage(templates.Deletion{Agent: supportBot(), MemoryRow: rows[8]}),
		"history":          tabOf(withHistory(memoryPage(t, rows[0])), address.HistoryTab),
		"history-deleted":  tabOf(forgotten, address.HistoryTab),
		"context":          templates.ContextPage(contextPage()),
		"context-only":     templates.ContextPage(unpublishedContext()),
		"context-broken":   templates.ContextPage(damagedContext()),
		"context-index":    templates.ContextPage(indexContext()),
		"context-tried":    templates.ContextPage(triedContext()),
		"context-none":     templates.ContextPage(templates.Context{Agent: supportBot(), File: templates.File{Kind: address.MemoryMDFile}, Prompt: &templates.Prompt{Agent: supportBot()}}),
		"index-repair":     templates.IndexRepairPage(indexRepairPage()),
		"form-new":         formPage(templates.MemoryForm{Agent: supportBot()}),
		"form-edit":        formPage(memoryForm(t)),
		"form-refused":     formPage(refusedForm()),
		"form-secret":      formPage(secretForm(t)),
		"form-fact":        templates.MemoryFormPage(templates.MemoryForm{Agent: supportBot(), Fact: "0198c0de-0000-7000-8000-000000000099", Name: "Ports"}),
		"form-changed":     formPage(changedForm(t)),
		"settings":         templates.SettingsPage(settingsPage()),
		"settings-none":    templates.SettingsPage(templates.Settings{Agent: supportBot(), Work: templates.BackgroundWork{Days: 30}}),
		"timeline":         templates.TimelinePage(timelinePage()),
		"timeline-all":     templates.TimelinePage(timelineOfAll()),
		"timeline-none":    templates.TimelinePage(templates.Timeline{Events: &templates.TimelineEvents{}}),
		"timeline-choice":  templates.TimelinePage(templates.Timeline{At: address.TimelineAddress{Show: address.ShowLogs}, Agents: []templates.TimelineAgent{{Name: slug, Href: address.LogsPath(slug)}}}),
		"sessions":         templates.TimelinePage(timelineWith(address.ShowSessions, sessionList)),
		"sessions-none":    templates.TimelinePage(timelineWith(address.ShowSessions, func(v *templates.Timeline) { v.Sessions = &templates.TimelineSessions{} })),
		"session":          templates.TimelinePage(timelineWith(address.ShowSessions, oneSession)),
		"logs":             templates.TimelinePage(timelineWith(address.ShowLogs, logList)),
		"logs-none":        templates.TimelinePage(timelineWith(address.ShowLogs, func(v *templates.Timeline) { v.Logs = &templates.Logs{Agent: supportBot()} })),
		"logs-day":         templates.TimelinePage(timelineWith(address.ShowLogs, logsOfOneDay)),
		"memories-then":    templates.MemoriesAsOfPage(memoriesAsOf()),
		"memories-before":  templates.MemoriesAsOfPage(templates.MemoriesAsOf{Agent: supportBotThen(), AsOf: past(address.MemoriesPath(slug))}),
		"memory-then":      templates.MemoryThenPage(memoryThen()),
		"memory-before":    templates.MemoryThenPage(templates.MemoryThen{Agent: supportBotThen(), AsOf: past("/"), MemoryRow: rows[0]}),
		"context-then":     templates.ContextPage(contextAsOf()),
		"review":           templates.ReviewPage(reviewPage()),
		"review-agent":     templates.ReviewPage(reviewOfAgent()),
		"review-none":      templates.ReviewPage(templates.Review{}),
		"review-secret":    templates.ReviewPage(reviewOf(reviewCards()[0])),
		"review-merge":     templates.ReviewPage(reviewMerging()),
		"review-batch":     templates.ReviewPage(reviewBatch()),
		"review-snoozed":   templates.ReviewPage(reviewSnoozed()),
		"review-end":       templates.ReviewPage(reviewDone()),
		"memory-mend":      tabOf(mendedMemory(t), address.FileTab),
		"trash":            templates.MemoriesPage(trashPage()),
		"trash-none":       templates.MemoriesPage(noTrash),
		"sync":             templates.SyncPage(syncPage()),
		"sync-pending":     templates.SyncPage(pending),
		"sign-in":          templates.SignInPage(templates.SignIn{Next: "/"}),
		"sign-in-refused":  templates.SignInPage(templates.SignIn{Next: "/", Problem: "Wrong token. Look for --token where Memoir was started."}),
		"sign-in-provider": templates.SignInPage(templates.SignIn{Next: "/", Provider: "id.example.org", ProviderHref: "https://memoir.example.org/sign-in/oidc?next=%2F"}),
		"sign-in-unknown":  templates.SignInPage(templates.SignIn{Next: "/", Provider: "id.example.org", ProviderHref: "/sign-in/oidc?next=%2F", ProviderProblem: "Unknown user mira@example.org. Nothing was changed. An admin adds you with memoir token create NAME --login mira@example.org."}),
		"failure-409":      templates.FailurePage(conflict),
		"failure-500":      templates.FailurePage(broken),
	}
}
