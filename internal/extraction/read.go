package extraction

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/transcript"
)

// unreadable is how a transcript is refused that may not be read, or is none.
func unreadable(reason string) error {
	return &memories.InvalidError{Field: "transcript_path", Reason: reason}
}

// unseenError means that this server does not see a transcript. Another server may see it.
type unseenError struct{ error }

func (e *unseenError) Unwrap() error { return e.error }

// permitted returns the real path of a transcript that may be read, as agents.TranscriptPath does.
func (x *Extractor) permitted(path string) (string, error) {
	path, err := agents.TranscriptPath(x.options.ClaudeDir, path)
	return path, refusal(err)
}

// open opens a transcript that may be read, as agents.OpenTranscript does.
func (x *Extractor) open(path string) (*os.File, error) {
	file, err := agents.OpenTranscript(x.options.ClaudeDir, path)
	return file, refusal(err)
}

// refusal turns an *agents.TranscriptError into the error for the field that names the transcript.
func refusal(err error) error {
	var refused *agents.TranscriptError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Unseen:
		return &unseenError{unreadable(refused.Reason)}
	}
	return unreadable(refused.Reason)
}

// givenText is a conversation as a script has given it, and as it is kept until it is read.
type givenText struct {
	Messages   []transcript.Message `json:"messages,omitempty"`
	Transcript string               `json:"transcript,omitempty"`
}

// stretch is what there is to read, and the place after it.
type stretch struct {
	transcript.Stretch
	to    records.TranscriptPosition
	texts []uuid.UUID
	at    int64 // where in the file it begins
}

// read returns what of a conversation was not read yet.
func (x *Extractor) read(ctx context.Context, agent records.Agent, c records.Conversation) (stretch, error) {
	lastRead, err := x.store.LastRead(ctx, agent.ID)
	if err != nil {
		return stretch{}, err
	}
	seen := make(map[string]bool, len(lastRead))
	for _, id := range lastRead {
		seen[id] = true
	}
	reading := transcript.Reading{Seen: func(id string) bool { return seen[id] }, IsMemory: inMemoryOf(agent)}
	if c.Transcript == "" {
		return x.readGiven(ctx, c, reading, seen)
	}
	return x.readFile(c, reading)
}

// readFile reads on in a transcript. Where it is not the file that it was, it is read from its beginning, up to which messages are
// known tells what is new.
func (x *Extractor) readFile(c records.Conversation, reading transcript.Reading) (stretch, error) {
	file, err := x.open(c.Transcript)
	if err != nil {
		return stretch{}, err
	}
	defer file.Close()
	from := c.ReadTo
	if mark, err := markBefore(file, from); err != nil || !bytes.Equal(mark, c.Mark) {
		from = 0
	}
	// What is written while it is read is left for the next time, so that reading comes to an end.
	info, err := file.Stat()
	if err != nil {
		return stretch{}, err
	}
	s := stretch{at: from}
	if s.Stretch, err = reading.Read(io.NewSectionReader(file, from, max(0, info.Size()-from))); err != nil {
		return stretch{}, err
	}
	s.to = records.TranscriptPosition{Last: c.Last, ReadTo: from + s.End}
	if s.Last != "" {
		s.to.Last = s.Last
	}
	s.to.Mark, err = markBefore(file, s.to.ReadTo)
	return s, err
}

// marked is how many bytes tell whether what was read is still there.
const marked = 1 << 10

// markBefore returns a hash of the bytes before a place; empty at the beginning.
func markBefore(file io.ReaderAt, place int64) ([]byte, error) {
	if place == 0 {
		return []byte{}, nil
	}
	last := make([]byte, min(marked, place))
	if _, err := file.ReadAt(last, place-int64(len(last))); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(last)
	return sum[:], nil
}

// readGiven reads what scripts have given of a conversation.
func (x *Extractor) readGiven(ctx context.Context, c records.Conversation, reading transcript.Reading, seen map[string]bool) (stretch, error) {
	texts, err := x.store.GivenTexts(ctx, c.AgentID, c.Session)
	if err != nil {
		return stretch{}, err
	}
	s := stretch{to: c.TranscriptPosition}
	for _, text := range texts {
		s.texts = append(s.texts, text.ID)
		var in givenText
		if err := json.Unmarshal(text.Messages, &in); err != nil {
			return stretch{}, err
		}
		part, err := reading.Read(strings.NewReader(in.Transcript + "\n"))
		if err != nil {
			return stretch{}, err
		}
		for _, m := range in.Messages {
			part.Last = m.ID
			if seen[m.ID] {
				part.Messages = nil
			} else {
				part.Messages = append(part.Messages, m)
			}
		}
		s.Messages = append(s.Messages, part.Messages...)
		s.Wrote = append(s.Wrote, part.Wrote...)
		s.LeftOut, s.Unread = s.LeftOut+part.LeftOut, s.Unread+part.Unread
		if s.Session == "" {
			s.Session = part.Session
		}
		if part.Last != "" {
			s.to.Last = part.Last
			seen[part.Last] = true
		}
	}
	return s, nil
}

// inMemoryOf says whether a file that an agent has written is a memory of its own.
func inMemoryOf(agent records.Agent) func(path string) bool {
	on := agents.Agent{Slug: agent.Slug, Layout: agents.Layout(agent.Layout), Dir: agent.Dir}
	dirs := []string{agent.Dir}
	if real, err := filepath.EvalSymlinks(agent.Dir); err == nil && real != agent.Dir {
		dirs = append(dirs, real)
	}
	return func(path string) bool {
		for _, dir := range dirs {
			relative, err := filepath.Rel(dir, path)
			if err != nil || !filepath.IsLocal(relative) || !strings.EqualFold(filepath.Ext(path), ".md") {
				continue
			}
			if session, durable := on.SessionOf(filepath.ToSlash(relative)); durable || session != "" {
				return true
			}
		}
		return false
	}
}
