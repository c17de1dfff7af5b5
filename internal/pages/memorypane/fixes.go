package memorypane

import (
	"slices"
	"strings"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/pages/shown"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// maxFixLines is the maximum number of lines of a fix's diff (arbitrary).
const maxFixLines = 60

// FixesOf returns the view of a memory's files with problems, with the fixes of each. back is the page
// to return to after a fix.
func FixesOf(row templates.MemoryRow, flawed []engine.Flawed, back string) templates.BrokenMemory {
	v := templates.BrokenMemory{MemoryRow: row, Back: back}
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
		return shown.Diff(f.Path+"\n", fix.NewPath+"\n", maxFixLines)
	}
	return shown.Diff(shown.Printable(f.Raw), shown.Printable(fix.After), maxFixLines)
}
