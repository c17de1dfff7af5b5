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

// logSettings make the server log events, but no statements and values, which contain memories.
// Errors of queries are sent to the client only: in log_min_messages, log is above error.
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

// maxTail is how many of the last lines are reported when a server ends. It is arbitrary.
const maxTail = 12

// serverLog forwards the server's log lines to Memoir's log.
type serverLog struct {
	log  *slog.Logger
	done chan struct{}

	mu    sync.Mutex
	last  []string
	quiet bool
}

// open returns the writing end of a pipe for the server's output. It logs the lines from it in the
// background until all writers have closed it, and then closes l.done. The caller must close its
// end after the server's start.
func (l *serverLog) open() (*os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(l.done)
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
	l.last = l.last[max(0, len(l.last)-maxTail):]
	l.log.Log(context.Background(), l.level(text), "postgres", "line", text)
}

// level returns the log level of a line: Error for PANIC, Warn for FATAL and WARNING, else Debug.
// After quieten it is always Debug. The caller must have locked l.mu.
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

// quieten makes level return Debug for all further lines, because a server that is shut down logs
// warnings.
func (l *serverLog) quieten() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiet = true
}

// awaitEnd waits until the last line is logged, but at most for limit, because a stuck process may
// keep the pipe open. It does not report which of them ended it.
func (l *serverLog) awaitEnd(limit time.Duration) {
	select {
	case <-l.done:
	case <-time.After(limit):
	}
}

func (l *serverLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last, "; ")
}
