package local

import (
	"bufio"
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// logSettings make the server say what happens to it, and neither statements nor values: memories are in those. Errors
// of queries go to the client alone (log is the level above error in log_min_messages).
var logSettings = []string{
	"logging_collector=off",
	"log_destination=stderr",
	"log_line_prefix=",
	"log_min_messages=log",
	"log_min_error_statement=panic",
	"log_error_verbosity=terse",
	"log_statement=none",
	"log_checkpoints=off",
	"log_parameter_max_length=0",
	"log_parameter_max_length_on_error=0",
}

// kept is how many of its last lines explain why a server ended.
const kept = 12

// serverLog carries what the server writes to the log of Memoir, line by line.
type serverLog struct {
	log   *slog.Logger
	ended chan struct{}

	mu    sync.Mutex
	last  []string
	quiet bool
}

func newServerLog(log *slog.Logger) *serverLog {
	return &serverLog{log: log, ended: make(chan struct{})}
}

// open gives the file for the server to write to. The caller closes it once the server has it.
func (l *serverLog) open() (*os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(l.ended)
		defer reader.Close()
		lines := bufio.NewScanner(reader)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			l.line(lines.Text())
		}
	}()
	return writer, nil
}

func (l *serverLog) line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = append(l.last, text)
	l.last = l.last[max(0, len(l.last)-kept):]
	l.log.Log(context.Background(), l.level(text), "postgres: "+text)
}

// level ranks a line of the server: its everyday news are of interest to nobody but a developer.
func (l *serverLog) level(text string) slog.Level {
	switch {
	case l.quiet:
		return slog.LevelDebug
	case strings.HasPrefix(text, "PANIC:"):
		return slog.LevelError
	case strings.HasPrefix(text, "FATAL:"), strings.HasPrefix(text, "WARNING:"):
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}

// quieten ranks all that follows as everyday news, since a server that is told to end complains of it.
func (l *serverLog) quieten() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiet = true
}

// awaitEnd waits for the last line, but not longer than the limit: what still holds the pipe may be a stuck process.
func (l *serverLog) awaitEnd(limit time.Duration) {
	select {
	case <-l.ended:
	case <-time.After(limit):
	}
}

func (l *serverLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last, "; ")
}
