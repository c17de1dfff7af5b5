package api

import (
	"context"
	"unicode/utf8"

	"memoir/internal/memories"
)

// ClaudeMDCosts is what a CLAUDE.md consists of, and what each part of it takes.
type ClaudeMDCosts struct {
	Chars       int          `json:"chars" doc:"Unicode characters of the whole file, as it is compiled."`
	Tokens      int          `json:"tokens" doc:"Approximately: four characters a token."`
	Limit       int          `json:"limit" doc:"Unicode characters from which on memories become one line each; 0: none."`
	Handwritten int          `json:"handwritten" doc:"Unicode characters outside of Memoir's block, which it keeps byte for byte."`
	Standing    int          `json:"standing" doc:"Unicode characters of the block that belong to no memory."`
	Memories    []MemoryCost `json:"memories" nullable:"false" doc:"In the order of the file."`
	Published   bool         `json:"published" doc:"False: this agent has no CLAUDE.md of Memoir's; this is what would be compiled."`
	Problem     *string      `json:"problem" doc:"Why the file cannot be written; null: all is well."`
}

// MemoryCost is what one memory takes.
type MemoryCost struct {
	ID     string `json:"id" format:"uuid"`
	Name   string `json:"name"`
	Type   string `json:"type" enum:"feedback,user,project,reference"`
	Chars  int    `json:"chars" doc:"Unicode characters."`
	Tokens int    `json:"tokens" doc:"Approximately: four characters a token."`
	Listed bool   `json:"listed" doc:"It is one line instead of a section, because the limit was reached."`
}

func (a *api) registerClaudeMDCosts() {
	register(a, get("/agents/{slug}/claude-md/costs", "get-claude-md-costs", "What each part of CLAUDE.md takes"), a.getClaudeMDCosts)
}

func (a *api) getClaudeMDCosts(ctx context.Context, in *AgentPath) (*answer[ClaudeMDCosts], error) {
	preview, err := a.engine.Preview(ctx, in.Slug, "")
	if err != nil {
		return nil, err
	}
	costs := ClaudeMDCosts{
		Chars: preview.Chars, Tokens: memories.ApproximateTokens(preview.Chars), Limit: max(preview.Limit, 0),
		Handwritten: utf8.RuneCountInString(preview.Before) + utf8.RuneCountInString(preview.After),
		Memories:    []MemoryCost{}, Published: preview.Published, Problem: text(preview.Problem),
	}
	for _, part := range preview.Parts {
		chars := utf8.RuneCountInString(part.Text)
		if part.Memory == "" {
			costs.Standing += chars
			continue
		}
		costs.Memories = append(costs.Memories, MemoryCost{
			ID: part.Memory, Name: part.Name, Type: string(part.Type), Chars: chars,
			Tokens: memories.ApproximateTokens(chars), Listed: part.Listed,
		})
	}
	return ok(costs), nil
}
