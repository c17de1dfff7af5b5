// Package transcript reads conversations in Claude Code's format: one JSON object per line,
// appended during the conversation. It streams with limited memory and keeps the newest messages.
// It takes a reader and opens no file. It ignores lines that it cannot parse. Packages extraction,
// agents and sync call it.
package transcript

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"
)

const (
	// maxLine is the maximum length of a parsed line, in bytes (arbitrary). Longer lines contain
	// images or tool output; they are skipped and counted.
	maxLine = 4 << 20
	// maxMessage is the maximum size of one message, in bytes (arbitrary). The middle of a longer
	// one is cut.
	maxMessage = 16 << 10
	// maxText is the maximum size of all kept text, in bytes: five questions to a model.
	maxText = 5 * PieceText
	// PieceText is the maximum size of text in one question to a model, in bytes. It is about
	// 15,000 tokens.
	PieceText = 60 << 10
)

// Message is a message of the user or the agent.
type Message struct {
	ID   string    `json:"id"`
	Role string    `json:"role"` // user or assistant
	Text string    `json:"text"`
	At   time.Time `json:"at"` // zero if unknown

	turn int // number of the user's messages up to this one
}

// AsksToRemember reports whether a person asks the agent in this message to remember something.
func (m Message) AsksToRemember() bool { return m.Role == "user" && remember.MatchString(m.Text) }

// remember matches the ways in which people ask to keep something.
var remember = regexp.MustCompile(`(?i)\b(?:remember|memori[sz]e|(?:don't|do not|never) forget|keep in mind|save (?:this|that|it) (?:to|in) (?:your )?memory|make a note|note (?:that|this|for))\b`)

// Stretch is a part of a conversation, from the last read position to the last complete line.
type Stretch struct {
	// Messages are in order; only the newest if there are too many. A turn, from a person's message to
	// the next one, is left out if the agent saved memories in it, unless AsksToRemember.
	Messages []Message
	Session  string // as in the lines; empty if absent
	// Wrote are the memory files or tools that the agent wrote to itself. It omits failed writes.
	Wrote []string
	// End is the end position, in bytes from the reader's start.
	End int64
	// Last is the id of the last message, also if that is not kept. It is empty without messages.
	Last string
	// LeftOut is the number of older messages that are not kept. Unread is the number of lines that
	// are too long or not JSON.
	LeftOut, Unread int
}

// Reading configures the reading of a transcript.
type Reading struct {
	// Seen reports whether a message was read before. Then all messages before it are dropped. If
	// Seen is nil, none was.
	Seen func(id string) bool
	// IsMemory reports whether a path is in a memory directory. If it is nil, no path is.
	IsMemory func(path string) bool
	// Scripts includes messages of conversations that a program has started, such as claude -p.
	Scripts bool
}

// Read reads the complete lines of a transcript to the end of r. It returns their newest messages
// and, in End, the position after them. It leaves out an incomplete last line, and all messages up
// to the last one for which Seen is true. Lines that are too long or no JSON are no error; Unread
// counts them. Read returns only errors of r, with a zero Stretch.
func (o Reading) Read(r io.Reader) (Stretch, error) {
	s := stretch{Reading: o, wrote: map[string]memoryWrite{}}
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, n, err := readLine(lines)
		if errors.Is(err, io.EOF) { // incomplete line
			return s.result(), nil
		}
		if err != nil {
			return Stretch{}, err
		}
		s.out.End += n
		if n > maxLine {
			s.out.Unread++
			continue
		}
		s.take(line)
	}
}

// Count returns the number of messages with text in a transcript, at most limit. It counts
// messages of the user and the main agent, not of subagents, and only in complete lines. After a
// read error it returns the number so far.
func Count(r io.Reader, limit int) (n int) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for n < limit {
		line, _, err := readLine(lines)
		if err != nil {
			return n
		}
		if e, ok := entryOf(line); ok {
			if _, _, isMessage := e.message(); isMessage {
				n++
			}
		}
	}
	return n
}

// readLine returns the next line and its length in bytes, both with the line end. If it is longer
// than maxLine, line is nil and n still its length. At the end it returns the incomplete last
// line, which may be empty, with io.EOF.
func readLine(from *bufio.Reader) (line []byte, n int64, err error) {
	for {
		part, err := from.ReadSlice('\n')
		n += int64(len(part))
		if n <= maxLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, n, err
		}
	}
}

// stretch is a Stretch in the making.
type stretch struct {
	Reading
	out  Stretch
	size int // of the kept texts, in bytes
	// wrote maps tool call ids to written targets, so that failed calls can be removed.
	wrote map[string]memoryWrite
	order []string
	turn  int // number of the user's messages so far
}

// memoryWrite is what the agent wrote to its memory, and in which turn.
type memoryWrite struct {
	target string
	turn   int
}

// add appends a message. It cuts the middle of a text over maxMessage. Then it removes the oldest
// messages until all texts fit into maxText, and counts them in LeftOut.
func (s *stretch) add(m Message) {
	m.turn = s.turn
	m.Text = ends(m.Text, maxMessage)
	s.out.Messages = append(s.out.Messages, m)
	s.size += len(m.Text)
	for s.size > maxText {
		s.size -= len(s.out.Messages[0].Text)
		s.out.Messages = s.out.Messages[1:]
		s.out.LeftOut++
	}
}

func (s *stretch) result() Stretch {
	saved := map[int]bool{} // turns in which the agent saved
	for _, use := range s.order {
		if write, ok := s.wrote[use]; ok {
			s.out.Wrote = append(s.out.Wrote, write.target)
			saved[write.turn] = true
		}
	}
	for _, m := range s.out.Messages {
		if m.AsksToRemember() {
			delete(saved, m.turn)
		}
	}
	s.out.Messages = slices.DeleteFunc(s.out.Messages, func(m Message) bool { return saved[m.turn] })
	return s.out
}

// leftOut replaces the middle of a long text.
const leftOut = "\n[… left out …]\n"

// ends returns text if it has at most limit bytes. Else it returns about its first and its last
// limit/2 bytes, with leftOut between them. It does not cut characters.
func ends(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	first, second := limit/2, len(text)-limit/2
	for first > 0 && !utf8.RuneStart(text[first]) {
		first--
	}
	for second < len(text) && !utf8.RuneStart(text[second]) {
		second++
	}
	return text[:first] + leftOut + text[second:]
}
