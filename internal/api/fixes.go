package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	engine "memoir/internal/sync"
	"memoir/internal/wire"
)

// FixList lists a memory's files that have problems, with the possible fixes.
type FixList struct {
	Files []FlawedFile `json:"files" nullable:"false"`
}

// FlawedFile is one file on disk that has problems, with its possible fixes.
type FlawedFile struct {
	Path     string               `json:"path" doc:"Relative to the agent's dir."`
	Session  *string              `json:"session"`
	Hash     *string              `json:"hash" doc:"SHA-256 of the file, in hexadecimal; null: it was not read."`
	Problems []wire.MemoryProblem `json:"problems" nullable:"false"`
	Fixes    []Fix                `json:"fixes" nullable:"false" doc:"Empty if the file must be fixed by hand; see the problem's message."`
}

// fitForJSON replaces NUL with U+FFFD. Many JSON parsers cannot store NUL.
var fitForJSON = strings.NewReplacer("\x00", "\uFFFD")

// Fix is one possible fix of a file.
type Fix struct {
	ID          string `json:"id" doc:"Send it to apply the fix."`
	Problem     string `json:"problem" doc:"Code of the problem that it fixes."`
	Label       string `json:"label"`
	Explanation string `json:"explanation"`
	Guessed     bool   `json:"guessed" doc:"The likely choice of several, by the words of the file."`

	NewPath *string `json:"new_path" doc:"New path of the file, relative to the agent's dir; null if it stays."`
	Diff    string  `json:"diff" doc:"Unified diff; only counts for more than 100,000 lines. NUL and bytes that are not UTF-8 are shown as U+FFFD."`
}

func (a *api) registerFixes() {
	const fixes = "/agents/{slug}/memories/{id}/fixes"
	register(a, get(fixes, "list-fixes", "List the fixes for the problems of a memory's files"), a.listFixes)
	register(a, post(fixes, "apply-fix", "Fix one file of a memory", http.StatusConflict, http.StatusPreconditionFailed), ifMatch(a, a.applyFix))
	register(a, post(fixes+"/undo", "undo-fix", "Undo a fix", http.StatusConflict, http.StatusPreconditionFailed), ifMatch(a, a.undoFix))
}

func (a *api) listFixes(ctx context.Context, in *MemoryPath) (*answer[FixList], error) {
	flawed, err := a.engine.ProposeFixes(ctx, in.Slug, in.ID)
	list := FixList{Files: make([]FlawedFile, len(flawed))}
	for i, f := range flawed {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list.Files[i] = flawedFileOf(f)
	}
	return ok(list), err
}

func flawedFileOf(f engine.Flawed) FlawedFile {
	shown := FlawedFile{
		Path: f.Path, Session: wire.Text(f.Session), Hash: wire.Text(f.Hash), Problems: wire.ProblemsOf(f.Problems), Fixes: make([]Fix, len(f.Fixes)),
	}
	for i, fix := range f.Fixes {
		shown.Fixes[i] = Fix{
			ID: fix.ID, Problem: fix.Code, Label: fix.Label, Explanation: fix.Explanation, Guessed: fix.Guessed, NewPath: wire.Text(fix.NewPath),
			Diff: fitForJSON.Replace(strings.ToValidUTF8(fixDiff(f.Path, cmp.Or(fix.NewPath, f.Path), string(f.Raw), string(fix.After)), "\uFFFD")),
		}
	}
	return shown
}

type applyFixInput struct {
	MemoryWrite
	Body struct {
		Fix  string `json:"fix" doc:"Id of a current fix of the file."`
		Path string `json:"path" doc:"The file, relative to the agent's dir."`
	} `nameHint:"ApplyFix"`
}

func (a *api) applyFix(ctx context.Context, in *applyFixInput, match string) (*memoryAnswer, error) {
	return written(a.engine.Fix(ctx, in.Slug, in.ID, match, in.Body.Path, in.Body.Fix))
}

type undoFixInput struct {
	MemoryWrite
	Body struct {
		Path string `json:"path" doc:"The file, relative to the agent's dir."`
		Hash string `json:"hash" doc:"The hash of the file before the fix, from the list of fixes."`
	} `nameHint:"UndoFix"`
}

func (a *api) undoFix(ctx context.Context, in *undoFixInput, match string) (*memoryAnswer, error) {
	return written(a.engine.UndoFix(ctx, in.Slug, in.ID, match, in.Body.Path, in.Body.Hash))
}
