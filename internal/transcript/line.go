package transcript

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// byteOrderMark is what some editors begin a file with.
var byteOrderMark = []byte("\ufeff")

// entry is a line, as far as it is of use.
type entry struct {
	Type        string `json:"type"`
	UUID        string `json:"uuid"`
	SessionID   string `json:"sessionId"`
	Timestamp   string `json:"timestamp"`
	IsMeta      bool   `json:"isMeta"`
	IsSidechain bool   `json:"isSidechain"`
	Message     struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// block is a part of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
}

// entryOf reads a line; an empty one is an empty entry. understood is false where it is no JSON.
func entryOf(line []byte) (e entry, understood bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
	return e, len(line) == 0 || json.Unmarshal(line, &e) == nil
}

// said returns what a line of the conversation says, and the blocks that it has, also where it says nothing. Subagents are asked by the
// agent, and what is meta was put there by the program: neither is anybody's word.
func (e entry) said() (text string, blocks []block, isMessage bool) {
	if e.Type != "user" && e.Type != "assistant" {
		return "", nil, false
	}
	text, blocks = contentOf(e.Message.Content)
	text = spoken(text)
	return text, blocks, text != "" && !e.IsMeta && !e.IsSidechain
}

// take reads one line.
func (s *stretch) take(line []byte) {
	e, understood := entryOf(line)
	if !understood {
		s.out.Unread++
		return
	}
	if s.out.Session == "" {
		s.out.Session = e.SessionID
	}
	if e.Type != "user" && e.Type != "assistant" {
		return
	}
	text, blocks, isMessage := e.said()
	for _, b := range blocks {
		s.note(b)
	}
	if e.UUID != "" {
		s.out.Last = e.UUID
		if s.Seen != nil && s.Seen(e.UUID) {
			s.forget()
			return
		}
	}
	if !isMessage {
		return
	}
	at, _ := time.Parse(time.RFC3339Nano, e.Timestamp)
	s.add(Message{ID: e.UUID, Role: e.Type, Text: text, At: at.UTC()})
}

// contentOf returns the text of a content, which is one or a list of blocks, and the blocks.
func contentOf(raw json.RawMessage) (text string, blocks []block) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil
	}
	var texts []string
	for _, part := range parts {
		var b block
		if json.Unmarshal(part, &b) != nil {
			continue
		}
		if b.Type == "text" && b.Text != "" {
			texts = append(texts, b.Text)
		}
		blocks = append(blocks, b)
	}
	return strings.Join(texts, "\n\n"), blocks
}

// told is what programs put into a conversation between tags: not the person's words, and memories among it.
var told = regexp.MustCompile(`(?s)<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-message|command-name|bash-stdout|bash-stderr|task-notification)>.*?</(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-message|command-name|bash-stdout|bash-stderr|task-notification)>`)

// spoken returns what somebody said of a text, without NUL, which no database holds.
func spoken(text string) string {
	if strings.Contains(text, "</") {
		text = told.ReplaceAllString(text, "")
	}
	return strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
}

// note remembers what the agent saved, and forgets what failed.
func (s *stretch) note(b block) {
	switch b.Type {
	case "tool_use":
		what := s.saved(b)
		if what == "" {
			return
		}
		if _, known := s.wrote[b.ID]; !known {
			s.order = append(s.order, b.ID)
		}
		s.wrote[b.ID] = what
	case "tool_result":
		if b.IsError {
			delete(s.wrote, b.ToolUseID)
		}
	}
}

// saved says what a tool's use saves to the memory; empty: nothing.
func (s *stretch) saved(b block) string {
	var in struct {
		FilePath string `json:"file_path"`
		Command  string `json:"command"`
	}
	_ = json.Unmarshal(b.Input, &in) // without any, it names nothing
	switch b.Name {
	case "Write", "Edit", "MultiEdit":
		if s.IsMemory != nil && s.IsMemory(in.FilePath) {
			return in.FilePath
		}
	case "memory": // the memory tool of the Messages API
		if in.Command != "view" && in.Command != "" {
			return "the memory tool"
		}
	case "mcp__memoir__save_memory":
		return "Memoir's save_memory"
	}
	return ""
}
