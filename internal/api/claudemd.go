package api

import (
	"context"
	"unicode/utf8"

	"memoir/internal/memories/claudemd"
	"memoir/internal/wire"
)

// ClaudeMDCosts is the size of a CLAUDE.md and of each of its parts.
type ClaudeMDCosts struct {
	Chars       int          `json:"chars" doc:"Unicode characters of the whole compiled file."`
	Tokens      int          `json:"tokens" doc:"Estimated: four characters per token."`
	Limit       int          `json:"limit" doc:"Unicode characters; memories beyond it become one line each. 0: no limit."`
	Handwritten int          `json:"handwritten" doc:"Unicode characters outside Memoir's block, which are kept byte for byte."`
	Standing    int          `json:"standing" doc:"Unicode characters of the block that belong to no memory."`
	Memories    []MemoryCost `json:"memories" nullable:"false" doc:"In the order of the file."`
	Published   bool         `json:"published" doc:"False if Memoir writes no CLAUDE.md for this agent; this is a preview."`
	Problem     *string      `json:"problem" doc:"Why the file cannot be written; null if it can."`
}

// MemoryCost is the size of one memory's text in CLAUDE.md.
type MemoryCost struct {
	ID     string `json:"id" format:"uuid"`
	Name   string `json:"name"`
	Type   string `json:"type" enum:"feedback,user,project,reference"`
	Chars  int    `json:"chars" doc:"Unicode characters."`
	Tokens int    `json:"tokens" doc:"Estimated: four characters per token."`
	Listed bool   `json:"listed" doc:"The memory has no section because of the limit. It is one line, or only counted if chars is 0."`
}

// ClaudeMDParts is a CLAUDE.md in parts. Before, Parts and After, joined in this order, are the
// whole text.
type ClaudeMDParts struct {
	Before  *string        `json:"before" doc:"Handwritten text above Memoir's block."`
	Parts   []ClaudeMDPart `json:"parts" nullable:"false" doc:"The parts of the block, with its markers."`
	After   *string        `json:"after" doc:"Handwritten text below the block."`
	OnDisk  *string        `json:"on_disk" doc:"The current file while it cannot be written; null otherwise, or if it cannot be read."`
	Problem *string        `json:"problem" doc:"Why the file cannot be written; null if it can."`
}

// ClaudeMDPart is the text of one memory in a CLAUDE.md, or the fixed text between two memories.
type ClaudeMDPart struct {
	Text     string  `json:"text" doc:"Markdown."`
	MemoryID *string `json:"memory_id" doc:"Null for fixed text and for the heading of a type."`
	Name     *string `json:"name" doc:"Name of the memory."`
	Type     *string `json:"type" doc:"Type of the memory."`
	Listed   bool    `json:"listed" doc:"The memory has no section because of the limit. It is one line, or only counted if it has no text."`
}

func (a *api) registerClaudeMD() {
	register(a, get("/agents/{slug}/claude-md/parts", "get-claude-md-parts", "Get CLAUDE.md in parts: handwritten text, and the text of each memory"), a.getClaudeMDParts)
	register(a, get("/agents/{slug}/claude-md/costs", "get-claude-md-costs", "Show the size of each part of CLAUDE.md"), a.getClaudeMDCosts)
}

func (a *api) getClaudeMDCosts(ctx context.Context, in *AgentPath) (*answer[ClaudeMDCosts], error) {
	preview, err := a.engine.Preview(ctx, in.Slug, "")
	if err != nil {
		return nil, err
	}
	costs := ClaudeMDCosts{
		Chars: preview.Chars, Tokens: claudemd.ApproximateTokens(preview.Chars), Limit: max(preview.Limit, 0),
		Handwritten: utf8.RuneCountInString(preview.Before) + utf8.RuneCountInString(preview.After),
		Memories:    []MemoryCost{}, Published: preview.Published, Problem: wire.Text(preview.Problem),
	}
	for _, part := range preview.Parts {
		chars := utf8.RuneCountInString(part.Text)
		if part.Memory == "" {
			costs.Standing += chars
			continue
		}
		costs.Memories = append(costs.Memories, MemoryCost{
			ID: part.Memory, Name: part.Name, Type: string(part.Type), Chars: chars,
			Tokens: claudemd.ApproximateTokens(chars), Listed: part.Listed,
		})
	}
	return ok(costs), nil
}

func (a *api) getClaudeMDParts(ctx context.Context, in *AgentPath) (*answer[ClaudeMDParts], error) {
	preview, err := a.engine.Preview(ctx, in.Slug, "")
	shown := ClaudeMDParts{
		Before: wire.Text(validText([]byte(preview.Before))), Parts: make([]ClaudeMDPart, len(preview.Parts)),
		After: wire.Text(validText([]byte(preview.After))), OnDisk: wire.Text(validText(preview.OnDisk)), Problem: wire.Text(preview.Problem),
	}
	for i, part := range preview.Parts {
		shown.Parts[i] = ClaudeMDPart{
			Text: part.Text, MemoryID: wire.Text(part.Memory), Name: wire.Text(part.Name), Type: wire.Text(part.Type), Listed: part.Listed,
		}
	}
	return ok(shown), err
}
