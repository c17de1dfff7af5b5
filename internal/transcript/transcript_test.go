package transcript_test

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/transcript"
)

// message returns a line of a conversation.
func message(id, role, text string) string {
	return line(map[string]any{
		"type": role, "uuid": id, "sessionId": "s1", "timestamp": "2026-03-02T10:00:00.5Z", "cwd": "/work",
		"message": map[string]any{"role": role, "content": text},
	})
}

func blocks(id, role string, parts ...map[string]any) string {
	return line(map[string]any{"type": role, "uuid": id, "sessionId": "s1", "message": map[string]any{"role": role, "content": parts}})
}

func line(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw) + "\n"
}

func texts(s transcript.Stretch) string {
	var all []string
	for _, m := range s.Messages {
		all = append(all, m.Role+":"+m.Text)
	}
	return strings.Join(all, "|")
}

func read(t *testing.T, o transcript.Reading, text string) transcript.Stretch {
	t.Helper()
	s, err := o.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRead_Messages(t *testing.T) {
	t.Parallel()
	whole := "\ufeff" + message("1", "user", "Use tabs") +
		line(map[string]any{"type": "summary", "summary": "no"}) + "no JSON at all\n" + "\xff\xfe\x00\n" + "\n" + `{"type":"user","message":7}` + "\n" + `[1]` + "\n" +
		line(map[string]any{"type": "system", "content": "no"}) + line(map[string]any{"type": "wizard", "uuid": "w", "message": map[string]any{"role": "wizard", "content": "no"}}) +
		line(map[string]any{"type": "user", "uuid": "m", "isMeta": true, "message": map[string]any{"content": "no"}}) +
		line(map[string]any{"type": "assistant", "uuid": "c", "isSidechain": true, "message": map[string]any{"content": "no"}}) +
		blocks("2", "assistant", map[string]any{"type": "thinking", "thinking": "no"}, map[string]any{"type": "text", "text": "Yes."},
			map[string]any{"type": "tool_use", "id": "t", "name": "Bash", "input": map[string]any{"command": "ls"}}) +
		blocks("3", "user", map[string]any{"type": "tool_result", "tool_use_id": "t", "content": "no"}) +
		message("4", "user", "And <system-reminder>no\nno</system-reminder>spaces in Python.\x00") +
		message("5", "user", "caf\xe9")
	half := `{"type":"user","uuid":"6","message":{"content":"not yet`
	s := read(t, transcript.Reading{}, whole+half)
	if got, want := texts(s), "user:Use tabs|assistant:Yes.|user:And spaces in Python.|user:caf\uFFFD"; got != want {
		t.Errorf("messages %q, want %q", got, want)
	}
	if s.End != int64(len(whole)) || s.Last != "5" || s.Session != "s1" || s.Unread != 4 {
		t.Errorf("end %d of %d, last %q, session %q, unread %d", s.End, len(whole), s.Last, s.Session, s.Unread)
	}
	if at := s.Messages[0].At; !at.Equal(time.Date(2026, 3, 2, 10, 0, 0, 5e8, time.UTC)) {
		t.Errorf("the first was said at %v", at)
	}
	// The incomplete line is read next time.
	if rest := read(t, transcript.Reading{}, half+"\"}}\n"); texts(rest) != "user:not yet" {
		t.Errorf("the rest: %q", texts(rest))
	}
}

func TestRead_SeenMessages(t *testing.T) {
	t.Parallel()
	write := map[string]any{"type": "tool_use", "id": "t", "name": "Write", "input": map[string]any{"file_path": "/m/memory/a.md"}}
	forked := message("1", "user", "old") + blocks("2", "assistant", write) + message("3", "user", "old too") + message("4", "user", "new")
	o := transcript.Reading{Seen: func(id string) bool { return id == "3" }, IsMemory: func(string) bool { return true }}
	if s := read(t, o, forked); texts(s) != "user:new" || len(s.Wrote) != 0 || s.End != int64(len(forked)) {
		t.Errorf("%q, wrote %v, end %d", texts(s), s.Wrote, s.End)
	}
}

func TestRead_MemoryWrites(t *testing.T) {
	t.Parallel()
	use := func(id, tool string, input map[string]any) map[string]any {
		return map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}
	}
	text := blocks("1", "assistant", use("a", "Write", map[string]any{"file_path": "/m/memory/a.md"}), use("b", "Edit", map[string]any{"file_path": "/m/memory/b.md"}),
		use("c", "Write", map[string]any{"file_path": "/src/main.go"}), use("d", "memory", map[string]any{"command": "view", "path": "/memories"}),
		use("e", "memory", map[string]any{"command": "create"}), use("f", "mcp__memoir__save_memory", map[string]any{"name": "x"}), use("g", "mcp__memoir__recall", nil)) +
		blocks("2", "user", map[string]any{"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": "no"})
	o := transcript.Reading{IsMemory: func(path string) bool { return strings.HasPrefix(path, "/m/memory/") }}
	if s := read(t, o, text); !slices.Equal(s.Wrote, []string{"/m/memory/a.md", "the memory tool", "Memoir's save_memory"}) {
		t.Errorf("wrote %q", s.Wrote)
	}
}

// endless is a reader that generates lines up to a number of bytes.
type endless struct {
	next func(n int) string
	n    int
	left int64
	rest string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.left <= 0 {
			return 0, io.EOF
		}
		e.rest = e.next(e.n)
		e.n++
	}
	n := copy(p, e.rest)
	e.rest, e.left = e.rest[n:], e.left-int64(n)
	return n, nil
}

func TestRead_BoundedMemory(t *testing.T) {
	// The test must run alone, because it measures the memory of the process.
	piece := strings.Repeat("x", 64<<10)
	long := &endless{left: 200 << 20, next: func(n int) string {
		if n >= 10 && n < 1610 { // one line of 100 MB
			return piece
		}
		if n == 1610 {
			return "\n"
		}
		return message(fmt.Sprint(n), "user", fmt.Sprintf("%d %s", n, piece[:20<<10]))
	}}
	runtime.GC()
	var before, during runtime.MemStats
	runtime.ReadMemStats(&before)
	largest := uint64(0)
	watched := readerFunc(func(p []byte) (int, error) {
		if long.n%500 == 0 {
			runtime.ReadMemStats(&during)
			largest = max(largest, during.HeapAlloc)
		}
		return long.Read(p)
	})
	s, err := transcript.Reading{}.Read(watched)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, m := range s.Messages {
		kept += len(m.Text)
	}
	last := s.Messages[len(s.Messages)-1]
	if s.Unread != 1 || s.LeftOut == 0 || kept > 5*transcript.PieceText || kept < 4*transcript.PieceText || !strings.HasPrefix(last.Text, s.Last+" ") {
		t.Errorf("unread %d, left out %d, kept %d bytes, the last is %.20q of %s", s.Unread, s.LeftOut, kept, last.Text, s.Last)
	}
	if grown := int64(largest) - int64(before.HeapAlloc); grown > 48<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func FuzzNothingInATranscriptIsAnError(f *testing.F) {
	f.Add([]byte(message("1", "user", "x") + "{"))
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"tool_use","input":7}]}}` + "\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := transcript.Reading{IsMemory: func(string) bool { return true }}.Read(strings.NewReader(string(raw)))
		if err != nil || s.End > int64(len(raw)) {
			t.Fatalf("end %d of %d: %v", s.End, len(raw), err)
		}
	})
}
