package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"time"
)

// byteOrderMark is the mark that some editors write at the start of a file.
var byteOrderMark = []byte("\ufeff")

// entry is the used part of a line.
type entry struct {
	Type        string `json:"type"`
	UUID        string `json:"uuid"`
	SessionID   string `json:"sessionId"`
	Timestamp   string `json:"timestamp"`
	IsMeta      bool   `json:"isMeta"`
	IsSidechain bool   `json:"isSidechain"`
	Entrypoint  string `json:"entrypoint"`
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

// entryOf parses a line. ok is false if the line is not a JSON object of the expected shape. A
// blank line gives a zero entry and true.
func entryOf(line []byte) (e entry, ok bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
	return e, len(line) == 0 || json.Unmarshal(line, &e) == nil
}

// message returns the text of a line, without the parts that programs insert, and its blocks. Both
// are empty if the line is of another type than user or assistant. isMessage is false if the text
// is empty, of a subagent, or marked as inserted by a program; text and blocks may be set then.
func (e entry) message() (text string, blocks []block, isMessage bool) {
	if e.Type != "user" && e.Type != "assistant" {
		return "", nil, false
	}
	text, blocks = contentOf(e.Message.Content)
	text = cleanText(text)
	return text, blocks, text != "" && !e.IsMeta && !e.IsSidechain
}

// isScript reports whether a program has started the conversation, as with claude -p or the SDK.
func (e entry) isScript() bool { return strings.HasPrefix(e.Entrypoint, "sdk-") }

// take adds one line to the result: its message, its memory writes, and its id as Last. If Seen is
// true for the id, it calls reset then, so that only the id is left. It counts a line that it
// cannot parse in Unread.
func (s *stretch) take(line []byte) {
	e, ok := entryOf(line)
	if !ok {
		s.out.Unread++
		return
	}
	if s.out.Session == "" {
		s.out.Session = e.SessionID
	}
	if e.Type != "user" && e.Type != "assistant" {
		return
	}
	text, blocks, isMessage := e.message()
	for _, b := range blocks {
		s.note(b)
	}
	if e.UUID != "" {
		s.out.Last = e.UUID
		if s.Seen != nil && s.Seen(e.UUID) {
			s.out.Messages, s.out.LeftOut, s.size = nil, 0, 0
			s.order = nil
			clear(s.wrote)
			return
		}
	}
	if !isMessage || e.isScript() && !s.Scripts {
		return
	}
	if e.Type == "user" {
		s.turn++
	}
	at, _ := time.Parse(time.RFC3339Nano, e.Timestamp)
	s.add(Message{ID: e.UUID, Role: e.Type, Text: text, At: at.UTC()})
}

// contentOf returns the text of a message's content and its blocks. The content is a string, or a
// list of blocks, whose texts are joined by empty lines. Blocks of another shape are skipped, and
// other content gives "" and nil.
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

// inserted matches text that programs insert between tags. It is not the user's and may contain
// memories.
var inserted = regexp.MustCompile(`(?s)<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-message|command-name|bash-stdout|bash-stderr|task-notification)>.*?</(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-message|command-name|bash-stdout|bash-stderr|task-notification)>`)

// cleanText returns text without inserted parts, NUL characters, and white space at its ends.
func cleanText(text string) string {
	text = inserted.ReplaceAllString(text, "")
	return strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
}

// note records the memory write of a block that calls a tool. If the block reports that such a
// call failed, it removes that record. It ignores other blocks.
func (s *stretch) note(b block) {
	switch b.Type {
	case "tool_use":
		target := s.saved(b)
		if target == "" {
			return
		}
		if _, known := s.wrote[b.ID]; !known {
			s.order = append(s.order, b.ID)
		}
		s.wrote[b.ID] = memoryWrite{target, s.turn}
	case "tool_result":
		if b.IsError {
			delete(s.wrote, b.ToolUseID)
		}
	}
}

// saved returns the file or the name of the tool to which a tool call writes memories, or "" if it
// writes no memories.
func (s *stretch) saved(b block) string {
	var in struct {
		FilePath string `json:"file_path"`
		Command  string `json:"command"`
	}
	_ = json.Unmarshal(b.Input, &in) // without input it writes nothing
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

// WorkingDirectory returns the first working directory in a transcript for which accept returns
// true. It returns "" if there is no such directory, and after a read error. It skips lines that
// are longer than maxLine or no JSON.
func WorkingDirectory(r io.Reader, accept func(dir string) bool) string {
	lines := bufio.NewReader(r)
	last := ""
	for {
		line, _, err := readLine(lines)
		if dir := directoryIn(line); dir != "" && dir != last {
			if accept(dir) {
				return dir
			}
			last = dir
		}
		if err != nil {
			return ""
		}
	}
}

// directoryIn returns the working directory that a line states. It returns "" if the line states
// no directory or is no JSON.
func directoryIn(line []byte) string {
	var in struct {
		CWD string `json:"cwd"`
	}
	if json.Unmarshal(bytes.TrimPrefix(line, byteOrderMark), &in) != nil {
		return ""
	}
	return in.CWD
}
