package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/agents"
	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/pages/fileview"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/pages/shown"
	"memoir/internal/pages/xray"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// agentContext shows what enters every conversation of an agent: its size, the files as loaded, and
// what a prompt would be given. It writes no file. A request of htmx for a part of the page gets the
// prompt only. An unknown file is an errNotFound.
func (s *site) agentContext(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showContext(w, r, http.StatusOK, agent, nil)
}

// showContext is agentContext with a status. refused, if it is not nil, is a form that could not be
// saved.
func (s *site) showContext(w http.ResponseWriter, r *http.Request, status int, agent records.Agent, refused *templates.Find) error {
	kind, err := fileKindOf(r, agent)
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "HX-Request-Type")
	prompt := templates.Prompt{
		Agent: agentView(agent), File: kind, Now: time.Now().Local(), Find: refused,
		Query: listview.CleanText(r.FormValue(address.FieldQuery)), Session: listview.CleanText(r.FormValue(address.FieldSession)),
	}
	if r.Header.Get("HX-Request-Type") == "partial" {
		if err := s.readPrompt(r.Context(), r, agent, &prompt); err != nil {
			return err
		}
		return kit.Show(w, r, status, templates.PromptCard(prompt))
	}
	v := templates.Context{Agent: agentView(agent), Price: s.options.TokenPrice, Prompt: &prompt}
	v.File.Kind = kind
	var preview engine.Preview
	var index engine.Index
	reading, ctx := errgroup.WithContext(r.Context())
	reading.Go(func() error { return s.readPrompt(ctx, r, agent, &prompt) })
	reading.Go(func() (err error) {
		preview, err = s.engine.Preview(ctx, agent.Slug, "")
		return err
	})
	reading.Go(func() (err error) {
		v.Frame, err = s.frame(r, agent, address.FilePath(agent.Slug, kind))
		return err
	})
	if kind == address.MemoryMDFile {
		reading.Go(func() (err error) {
			index, err = s.engine.Index(ctx, agent.Slug)
			var conflict *memories.ConflictError
			if errors.As(err, &conflict) {
				v.File.Problem, err = conflict.Reason, nil
			}
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return err
	}
	if v.Xray, err = s.xrayOf(r.Context(), agent, preview); err != nil {
		return err
	}
	if kind == address.ClaudeMDFile {
		readClaudeMD(r, agent, preview, &v.File)
	} else if err = s.readIndex(r, agent, index, &v.File); err != nil {
		return err
	}
	if kind == address.ClaudeMDFile { // the problem is above the file
		v.Banners = slices.DeleteFunc(v.Banners, func(b ui.Banner) bool {
			return b.Link.Href == address.FilePath(agent.Slug, address.ClaudeMDFile)
		})
	}
	return kit.Show(w, r, status, templates.ContextPage(v))
}

// fileKindOf returns the file that the address names, by default the one that the agent loads. It
// returns memories.ErrNotFound for another one.
func fileKindOf(r *http.Request, agent records.Agent) (address.FileKind, error) {
	switch kind := address.FileKind(r.FormValue(address.FieldFile)); kind {
	case address.ClaudeMDFile, address.MemoryMDFile:
		return kind, nil
	case "":
		if agents.Layout(agent.Layout).Published() {
			return address.ClaudeMDFile, nil
		}
		return address.MemoryMDFile, nil
	default:
		return "", memories.ErrNotFound
	}
}

// xrayOf returns what enters every conversation of the agent, with the CLAUDE.md of the preview.
func (s *site) xrayOf(ctx context.Context, agent records.Agent, preview engine.Preview) (xray.Xray, error) {
	carried, err := s.store.Carried(ctx, []int64{agent.ID}, time.Now().AddDate(0, 0, -xray.RecallDays))
	return xray.Of(xray.Input{
		Agent: agent.Slug, Published: preview.Published, Before: preview.Before, After: preview.After, Parts: preview.Parts,
		OnDisk: text(preview.OnDisk), Limit: preview.Limit, Carried: carried[agent.ID],
	}), err
}

// readClaudeMD sets the lines of the CLAUDE.md in v. A damaged file is shown as it is on disk, from
// its first marker.
func readClaudeMD(r *http.Request, agent records.Agent, preview engine.Preview, v *templates.File) {
	from, _ := strconv.Atoi(r.FormValue(address.FieldFrom)) // else the first line
	v.Published, v.Problem, v.Damaged = preview.Published, cmp.Or(preview.Problem, agent.ClaudeMD.Problem), len(preview.OnDisk) > 0
	v.Path, v.WrittenAt = filepath.Join(agent.Dir, agent.ClaudeMD.Path), shown.Local(agent.ClaudeMD.PublishedAt)
	if v.Damaged {
		v.Page = fileview.Damaged(text(preview.OnDisk), from)
		return
	}
	v.Page = fileview.ClaudeMD(agent.Slug, text(preview.Before), preview.Parts, text(preview.After), from)
}

// maxWanted is the maximum number of wanted memories on the Context tab (arbitrary).
const maxWanted = 20

// readIndex sets the state and the lines of the MEMORY.md in v. Entries lead to their memories.
func (s *site) readIndex(r *http.Request, agent records.Agent, index engine.Index, v *templates.File) error {
	wanted, err := s.store.WantedMemories(r.Context(), agent.ID, maxWanted)
	if err != nil {
		return err
	}
	v.Index = templates.IndexState{
		Present: index.Present, Seen: index.Loaded.Seen(), LineCount: index.Loaded.LineCount, Warning: index.Loaded.Warning,
		Others: index.Others, NeedsRepair: !index.IsCurrent, Findings: index.Findings, Wanted: wanted,
	}
	from, _ := strconv.Atoi(r.FormValue(address.FieldFrom)) // else the first line
	facts := map[int]string{}
	if agent.Present && len(index.Raw) <= memories.MaxFileSize {
		for _, f := range memorymd.Facts(index.Raw) {
			facts[f.Line] = records.FactID(agent.Slug, index.Path, f.Text).String()
		}
	}
	v.Path = index.Path
	v.Page = fileview.MemoryMD(index.Loaded, index.Findings, facts, from)
	dir := path.Dir(index.Path)
	ids, err := s.store.MemoriesAtPaths(r.Context(), agent.ID, v.Page.Targets(dir))
	v.Page.Link(dir, agent.Slug, ids)
	return err
}

// contextPicture answers with the X-ray of an agent as an SVG file.
func (s *site) contextPicture(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	preview, err := s.engine.Preview(r.Context(), agent.Slug, "")
	if err != nil {
		return err
	}
	x, err := s.xrayOf(r.Context(), agent, preview)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write(xray.Picture(agent.DisplayName, x)) // the client may have disconnected
	return nil
}

// maxPastLines is the maximum number of lines of the diff between a past CLAUDE.md and today's
// (arbitrary).
const maxPastLines = 400

// contextAsOf shows the CLAUDE.md that the memories of a past moment would have given, its size, and
// its diff to today's. It leaves out memories that were purged since. Memoir keeps no history of
// MEMORY.md. It returns memories.ErrNotFound for an unknown agent.
func (s *site) contextAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, err := s.kit.Agent(r)
	if err != nil {
		return err
	}
	then, err := s.engine.PreviewAsOf(r.Context(), agent.Slug, at)
	if err != nil {
		return err
	}
	now, err := s.engine.Preview(r.Context(), agent.Slug, "")
	if err != nil {
		return err
	}
	for i := range then.Parts {
		then.Parts[i].Text = quarantine.MaskSecrets(then.Parts[i].Text)
	}
	then.OnDisk = nil
	view, _, err := s.agentOn(r.Context(), agent, at)
	if err != nil {
		return err
	}
	v := templates.Context{
		Agent: view, AsOf: &templates.AsOf{At: at, Here: address.ContextPath(agent.Slug)},
		File:  templates.File{Kind: address.ClaudeMDFile},
		Since: shown.Diff(text(then.Text), text(now.Text), maxPastLines),
		Xray: xray.Of(xray.Input{
			Agent: agent.Slug, Published: then.Published, Before: then.Before, After: then.After, Parts: then.Parts, Limit: then.Limit,
		}),
	}
	readClaudeMD(r, agent, then, &v.File)
	return kit.Show(w, r, http.StatusOK, templates.ContextPage(v))
}

// indexRepair shows the changes that a repair would make in MEMORY.md. It writes no file. It
// returns memories.ErrNotFound for an unknown agent, and *memories.ConflictError if the file cannot
// be read.
func (s *site) indexRepair(w http.ResponseWriter, r *http.Request) error {
	return s.showIndexRepair(w, r, http.StatusOK)
}

// repairIndex writes the MEMORY.md that the preview showed and redirects to the file. If the result
// would differ now, it writes nothing and answers 412 with the new preview. It returns
// memories.ErrNotFound for an unknown agent, and *memories.ConflictError if the file cannot be read
// or written.
func (s *site) repairIndex(w http.ResponseWriter, r *http.Request) error {
	slug := kit.Slug(r)
	_, err := s.engine.RepairIndex(r.Context(), slug, r.PostFormValue(address.FieldETag))
	if errors.Is(err, memories.ErrChanged) {
		return s.showIndexRepair(w, r, http.StatusPreconditionFailed, ui.Banner{
			Tone: ui.Danger, Title: "This changed while you read it", Text: "Nothing was written. Check the new changes.",
		})
	}
	if err != nil {
		return err
	}
	return kit.Redirect(w, r, address.IndexPath(slug), doneRepaired, "")
}

// maxRepairLines is the maximum number of lines of the preview, of all files: all the lines that an
// agent loads, removed and added.
const maxRepairLines = 2 * memorymd.IndexLineCap

func (s *site) showIndexRepair(w http.ResponseWriter, r *http.Request, status int, banners ...ui.Banner) error {
	agent, err := s.kit.Agent(r)
	if err != nil {
		return err
	}
	change, err := s.engine.PreviewIndex(r.Context(), agent.Slug)
	if err != nil {
		return err
	}
	whole := shown.Diff(text(change.Before), text(change.After), maxRepairLines)
	left := max(maxRepairLines-whole.Added-whole.Removed, 0)
	var topics []templates.TopicChange
	for _, topic := range change.Topics {
		changed := shown.Diff(text(topic.Before), text(topic.After), left)
		left = max(left-changed.Added-changed.Removed, 0)
		topics = append(topics, templates.TopicChange{Path: topic.Path, Diff: changed})
	}
	return kit.Show(w, r, status, templates.IndexRepairPage(templates.IndexRepair{
		Frame: ui.Frame{Live: liveOf(agent), Banners: banners}, Agent: agentView(agent),
		Path: change.Path, New: change.Before == nil, ETag: change.ETag(),
		Diff: whole, Topics: topics,
	}))
}
