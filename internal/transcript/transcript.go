// Package transcript reads conversations as Claude Code writes them: one JSON object a line, appended while the conversation goes
// on. It streams, so that a transcript of any length takes bounded memory, and keeps the newest of what was said. It is pure: it is
// given a reader, and opens nothing. Of a line that it does not understand it takes nothing; nothing in a transcript is an error.
package transcript

import (
	"bufio"
	"errors"
	"io"
	"time"
	"unicode/utf8"
)

const (
	// maxLine is the longest line that is read, in bytes. Pictures and what tools gave back stand in the lines too, and none of
	// that is used; a longer line is passed over and counted.
	maxLine = 4 << 20
	// maxMessage is how much of one message is kept, in bytes: of a longer one, such as a pasted file, its two ends.
	maxMessage = 16 << 10
	// maxText is how much text is kept in all, in bytes: the newest. It is also what five questions to a model hold.
	maxText = 5 * PieceText
	// PieceText is how much text goes into one question to a model, in bytes: some 15,000 tokens.
	PieceText = 60 << 10
)

// Message is something that a person or the agent said.
type Message struct {
	ID   string    `json:"id"`
	Role string    `json:"role"` // user or assistant
	Text string    `json:"text"`
	At   time.Time `json:"at"` // zero: unknown
}

// Stretch is a part of a conversation, from where it was last read up to its last whole line.
type Stretch struct {
	Messages []Message // in their order; the newest, where there was more than is kept
	Session  string    // as the lines name it; empty: they do not
	// Wrote names what the agent itself has saved to its memory: paths of files, or the tool. Failed attempts are none.
	Wrote []string
	// End is up to where was read: bytes from where the reader began.
	End int64
	// Last is the id of the last message, also of one that is not kept; empty: there was none.
	Last string
	// LeftOut is how many older messages are not kept, and Unread how many lines were too long or no JSON.
	LeftOut, Unread int
}

// Reading says how a transcript is read.
type Reading struct {
	// Seen says that a message was read before, in this transcript or in another one that it goes on from: then everything up
	// to it was. Nil: nothing was.
	Seen func(id string) bool
	// IsMemory says that a path, as the agent wrote it, is in a memory directory. Nil: none is.
	IsMemory func(path string) bool
}

// Read reads whole lines up to the end; a last one without a line end is still being written, and left for the next time. It fails
// only when the reader does.
func (o Reading) Read(r io.Reader) (Stretch, error) {
	s := stretch{Reading: o, wrote: map[string]string{}}
	lines := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		raw, n, err := readLine(lines, line[:0])
		line = raw
		if errors.Is(err, io.EOF) { // half of a line
			return s.result(), nil
		}
		if err != nil {
			return Stretch{}, err
		}
		s.out.End += n
		if n > maxLine {
			s.out.Unread++
			line = nil // what a long line took is given back
			continue
		}
		s.take(line)
	}
}

// Count returns how many messages of a conversation have text, up to most: those that Read returns, of which nothing is kept. What
// fails to be read is the end.
func Count(r io.Reader, most int) (n int) {
	lines := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for n < most {
		raw, size, err := readLine(lines, line[:0])
		line = raw
		if err != nil {
			return n
		}
		if size > maxLine {
			line = nil
			continue
		}
		if e, understood := entryOf(line); understood {
			if _, _, isMessage := e.said(); isMessage {
				n++
			}
		}
	}
	return n
}

// readLine returns the next line and how many bytes it has with its end. Of one longer than maxLine the text is not kept.
func readLine(from *bufio.Reader, into []byte) (line []byte, n int64, err error) {
	for {
		part, err := from.ReadSlice('\n')
		n += int64(len(part))
		if n <= maxLine {
			into = append(into, part...)
		} else {
			into = into[:0]
		}
		switch {
		case err == nil:
			return into, n, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return into, n, err
		}
	}
}

// stretch is a Stretch that is being read.
type stretch struct {
	Reading
	out  Stretch
	size int // of the texts that are kept, in bytes
	// wrote is what the agent saved, by the id of the tool's use: what failed is taken out again.
	wrote map[string]string
	order []string
}

// forget drops what was read so far: it was read before.
func (s *stretch) forget() {
	s.out.Messages, s.out.LeftOut, s.size = nil, 0, 0
	clear(s.wrote)
	s.order = nil
}

// add keeps a message, and drops the oldest where there is too much.
func (s *stretch) add(m Message) {
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
	for _, use := range s.order {
		if what, ok := s.wrote[use]; ok {
			s.out.Wrote = append(s.out.Wrote, what)
		}
	}
	return s.out
}

// leftOut stands where the middle of a long text was.
const leftOut = "\n[… left out …]\n"

// ends returns the two ends of a text of more than so many bytes, in whole characters.
func ends(text string, most int) string {
	if len(text) <= most {
		return text
	}
	first, second := most/2, len(text)-most/2
	for first > 0 && !utf8.RuneStart(text[first]) {
		first--
	}
	for second < len(text) && !utf8.RuneStart(text[second]) {
		second++
	}
	return text[:first] + leftOut + text[second:]
}
