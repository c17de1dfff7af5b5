package pages

import (
	"errors"
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
	"memoir/web/templates"
)

// index shows an agent's MEMORY.md: the part that the agent loads, and the problems found in it. If
// the file cannot be read, it shows the reason. A missing file is not an error.
func (s *site) index(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	frame, err := s.frame(r, agent, templates.IndexPath(agent.Slug))
	if err != nil {
		return err
	}
	v := templates.Index{Frame: frame, Agent: agentView(agent)}
	index, err := s.engine.Index(r.Context(), agent.Slug)
	var conflict *memories.ConflictError
	switch {
	case errors.As(err, &conflict):
		v.Path, v.Problem = "MEMORY.md", conflict.Reason
	case err != nil:
		return err
	default:
		v.Path, v.Present, v.Others, v.UpToDate = index.Path, index.Present, index.Others, index.IsCurrent
		v.Loaded, v.Findings = index.Loaded, index.Findings
		if agent.Present && len(index.Raw) <= memories.MaxFileSize {
			v.Facts = factsByLine(agent.Slug, index)
		}
	}
	if v.Wanted, err = s.store.WantedMemories(r.Context(), agent.ID, maxWanted); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.IndexPage(v))
}

// maxWanted is the maximum number of wanted memories on the Index tab (arbitrary).
const maxWanted = 20

// indexRepair shows the changes that a repair would make in MEMORY.md. It writes no file. It
// returns memories.ErrNotFound for an unknown agent, and *memories.ConflictError if the file cannot
// be read.
func (s *site) indexRepair(w http.ResponseWriter, r *http.Request) error {
	return s.showIndexRepair(w, r, http.StatusOK)
}

// repairIndex writes the MEMORY.md that the preview showed and redirects to the Index tab. If the
// result would differ now, it writes nothing and answers 412 with the new preview. It returns
// memories.ErrNotFound for an unknown agent, and *memories.ConflictError if the file cannot be read
// or written.
func (s *site) repairIndex(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	_, err := s.engine.RepairIndex(r.Context(), slug, r.PostFormValue(templates.FieldETag))
	if errors.Is(err, memories.ErrChanged) {
		return s.showIndexRepair(w, r, http.StatusPreconditionFailed, templates.Banner{
			Tone: templates.Danger, Title: "It changed since you looked",
			Text: "MEMORY.md or the memory files have changed. Nothing was written. These are the changes that would be made now.",
		})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, templates.IndexPath(slug), doneRepaired, "")
}

// maxRepairLines is the maximum number of lines of the preview: all the lines that an agent loads,
// removed and added.
const maxRepairLines = 2 * memorymd.IndexLineCap

func (s *site) showIndexRepair(w http.ResponseWriter, r *http.Request, status int, banners ...templates.Banner) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	change, err := s.engine.PreviewIndex(r.Context(), agent.Slug)
	if err != nil {
		return err
	}
	var topics []templates.TopicChange
	for _, topic := range change.Topics {
		topics = append(topics, templates.TopicChange{Path: topic.Path, Diff: maskedDiff(text(topic.Before), text(topic.After), maxRepairLines)})
	}
	return show(w, r, status, templates.IndexRepairPage(templates.IndexRepair{
		Frame: templates.Frame{Live: liveOf(agent), Banners: banners}, Agent: agentView(agent),
		Path: change.Path, New: change.Before == nil, ETag: change.ETag(),
		Diff: maskedDiff(text(change.Before), text(change.After), maxRepairLines), Topics: topics,
	}))
}
