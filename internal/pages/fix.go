package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// maxFixLines is the maximum number of lines of a fix's diff (arbitrary).
const maxFixLines = 60

// fixPage shows the problems of one memory and the possible fixes. It changes nothing.
func (s *site) fixPage(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	path := templates.MemoryPath(agent.Slug, m.ID, "fix")
	notice, err := s.noticeOf(r, agent, path)
	if err != nil {
		return err
	}
	flawed, err := s.engine.ProposeFixes(r.Context(), agent.Slug, m.ID)
	if err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.FixesPage(templates.Fixes{
		Frame: templates.Frame{Live: liveOf(agent), Notice: notice}, Agent: agentView(agent),
		Memory: fixesOf(m, flawed, path, time.Now()),
	}))
}

// fix applies the fix that the form names to one file of a memory. It redirects to the page of the
// form, by default the review, with the file and its old hash for an undo. If the file now
// holds another memory, there is no undo, and instead of the old memory's fix page it uses the
// other's. After a conflict it shows the reason and the current memory.
func (s *site) fix(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	file := r.PostFormValue(templates.FieldPath)
	result, err := s.engine.Fix(r.Context(), slug, id, r.PostFormValue(templates.FieldETag), file, r.PostFormValue(templates.FieldFix))
	if err != nil {
		return s.refuse(w, r, err)
	}
	to := back(r, templates.AgentReviewPath(slug))
	notice := url.Values{fieldDone: {doneFixed}, fieldID: {result.Memory.ID}}
	if result.Memory.ID == id {
		notice.Set(templates.FieldPath, file)
		notice.Set(templates.FieldHash, r.PostFormValue(templates.FieldHash))
	} else if to == templates.MemoryPath(slug, id, "fix") {
		to = templates.MemoryPath(slug, result.Memory.ID, "fix") // the file now holds another memory
	}
	return redirectWith(w, r, to, notice)
}

// undoPath returns path with the fixed file and the hash of its old content as parameters, so that
// the page can offer an undo.
func undoPath(path, file, hash string) string {
	return templates.WithQuery(path, map[string]string{templates.FieldPath: file, templates.FieldHash: hash})
}

// undoFix writes back the content that a file had before a fix, and redirects to the page of the
// form, by default the review. The query names the file and the hash of that content. After
// a conflict it shows the reason and the current memory.
func (s *site) undoFix(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	query := r.URL.Query()
	_, err := s.engine.UndoFix(r.Context(), slug, id, r.PostFormValue(templates.FieldETag), query.Get(templates.FieldPath), query.Get(templates.FieldHash))
	if err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.AgentReviewPath(slug)), doneUnfixed, id)
}

// canUndo reports whether a fix of the file can be undone. The memory must still have the file,
// with bytes of another hash, and the history must have the bytes with hash.
func (s *site) canUndo(ctx context.Context, agent records.Agent, m memories.Memory, file, hash string) (bool, error) {
	if !slices.ContainsFunc(m.Files, func(f memories.MemoryFile) bool { return f.Path == file && f.Hash != hash }) {
		return false, nil
	}
	raw, err := s.store.RawOfHash(ctx, agent, m.ID, hash)
	return raw != nil, err
}

func fixesOf(m memories.Memory, flawed []engine.Flawed, back string, now time.Time) templates.BrokenMemory {
	v := templates.BrokenMemory{MemoryRow: rowOf(m, now), Back: back}
	for _, f := range flawed {
		v.Files = append(v.Files, templates.FlawedFile{
			Path: f.Path, Session: f.Session, Hash: f.Hash, Problems: f.Problems, Choices: choicesOf(f),
		})
	}
	return v
}

// choicesOf groups the fixes of a file, in their order. Fixes that set a type form one choice,
// which shows the diff of the guessed one, else of the first. Each other fix is a choice of its
// own.
func choicesOf(f engine.Flawed) []templates.FixChoice {
	var choices []templates.FixChoice
	types := -1
	for i, fix := range f.Fixes {
		view := templates.FixView{ID: fix.ID, Label: fix.Label, Explanation: fix.Explanation, Guessed: fix.Guessed}
		name, isType := strings.CutPrefix(fix.ID, "type:")
		if isType {
			view.Type = memories.Type(name)
		}
		if isType && types >= 0 {
			choice := &choices[types]
			choice.Fixes = append(choice.Fixes, view)
			if fix.Guessed {
				choice.Shown, choice.Change = fix.Label, fixDiff(f, fix)
			}
			continue
		}
		choice := templates.FixChoice{Fixes: []templates.FixView{view}, Change: fixDiff(f, fix)}
		choice.Otherwise = slices.ContainsFunc(f.Fixes[:i], func(other frontmatter.Fix) bool { return other.Code == fix.Code })
		if isType {
			types, choice.Shown = len(choices), fix.Label
		}
		choices = append(choices, choice)
	}
	return choices
}

func fixDiff(f engine.Flawed, fix frontmatter.Fix) diff.Diff {
	if fix.NewPath != "" {
		return maskedDiff(f.Path+"\n", fix.NewPath+"\n", maxFixLines)
	}
	return maskedDiff(reviewcards.Printable(f.Raw), reviewcards.Printable(fix.After), maxFixLines)
}
