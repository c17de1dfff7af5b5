package extraction

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/transcript"
)

// transcriptError returns a *memories.InvalidError for the field transcript_path.
func transcriptError(reason string) error {
	return &memories.InvalidError{Field: "transcript_path", Reason: reason}
}

// unseenError means that this server cannot see the transcript. Another server may.
type unseenError struct{ error }

func (e *unseenError) Unwrap() error { return e.error }

// refusal converts an *agents.TranscriptError to *memories.InvalidError for the field
// transcript_path. It wraps it in *unseenError if another server may see the file. It returns
// other errors and nil unchanged.
func refusal(err error) error {
	var refused *agents.TranscriptError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Unseen:
		return &unseenError{transcriptError(refused.Reason)}
	}
	return transcriptError(refused.Reason)
}

// givenText is a conversation that a script submitted, as stored until it is read.
type givenText struct {
	Messages   []transcript.Message `json:"messages,omitempty"`
	Transcript string               `json:"transcript,omitempty"`
}

// stretch is an unread part of a conversation, and the position after it.
type stretch struct {
	transcript.Stretch
	to    records.TranscriptPosition
	texts []uuid.UUID
	at    int64 // its offset in the file
}

// read returns the unread part of a conversation, from its transcript or from the texts submitted
// for it. It leaves out the last message of an earlier reading and all messages before it. It
// returns *memories.InvalidError for a path that is not allowed, wrapped in *unseenError if
// another server may see the file. withScripts includes messages of programs. It stores nothing.
func (x *Extractor) read(ctx context.Context, agent records.Agent, c records.Conversation, withScripts bool) (stretch, error) {
	lastRead, err := x.store.LastRead(ctx, agent.ID)
	if err != nil {
		return stretch{}, err
	}
	seen := make(map[string]bool, len(lastRead))
	for _, id := range lastRead {
		seen[id] = true
	}
	reading := transcript.Reading{Seen: func(id string) bool { return seen[id] }, IsMemory: inMemoryOf(agent), Scripts: withScripts}
	if c.Transcript == "" {
		return x.readGiven(ctx, c, reading, seen)
	}
	return x.readFile(c, reading)
}

// readFile reads the transcript of a conversation from the last position to its present end. If
// the bytes before that position have changed, it reads from the start, and reading skips known
// messages. The result's to is the position for the next reading, which is not stored.
func (x *Extractor) readFile(c records.Conversation, reading transcript.Reading) (stretch, error) {
	file, err := agents.OpenTranscript(x.options.ClaudeDir, c.Transcript)
	if err != nil {
		return stretch{}, refusal(err)
	}
	defer file.Close()
	from := c.Offset
	if tail, err := tailHash(file, from); err != nil || !bytes.Equal(tail, c.TailHash) {
		from = 0
	}
	// Bytes written after this point are left for the next run, so that reading ends.
	info, err := file.Stat()
	if err != nil {
		return stretch{}, err
	}
	s := stretch{at: from}
	if s.Stretch, err = reading.Read(io.NewSectionReader(file, from, max(0, info.Size()-from))); err != nil {
		return stretch{}, err
	}
	s.to = records.TranscriptPosition{LastID: c.LastID, Offset: from + s.End}
	if s.Last != "" {
		s.to.LastID = s.Last
	}
	s.to.TailHash, err = tailHash(file, s.to.Offset)
	return s, err
}

// tailBytes is the number of bytes before a position that identify it (arbitrary).
const tailBytes = 1 << 10

// tailHash returns a hash of the bytes before an offset in a file, at most tailBytes. For offset 0
// it returns an empty slice. It returns an error if the file is shorter than offset.
func tailHash(file io.ReaderAt, offset int64) ([]byte, error) {
	if offset == 0 {
		return []byte{}, nil
	}
	last := make([]byte, min(tailBytes, offset))
	if _, err := file.ReadAt(last, offset-int64(len(last))); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(last)
	return sum[:], nil
}

// readGiven reads the texts that scripts submitted for a conversation, and returns their ids with
// the unread messages. In each text it skips all messages up to the last one in seen. It then adds
// the id of the text's last message to seen. It stores and deletes nothing.
func (x *Extractor) readGiven(ctx context.Context, c records.Conversation, reading transcript.Reading, seen map[string]bool) (stretch, error) {
	texts, err := x.store.PendingTexts(ctx, c.AgentID, c.Session)
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
			s.to.LastID = part.Last
			seen[part.Last] = true
		}
	}
	return s, nil
}

// inMemoryOf returns a function that reports whether an absolute path is a Markdown file in one of
// the agent's memory directories. The path may start with the agent's directory as recorded or
// with links resolved.
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
