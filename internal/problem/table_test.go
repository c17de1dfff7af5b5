package problem_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/problem"
)

// failures are errors of every kind in the table, with their codes and statuses.
var failures = []struct {
	err    error
	code   problem.Code
	status int
	retry  string
	level  slog.Level
}{
	{memories.ErrNotFound, problem.NotFound, 404, "", slog.LevelDebug},
	{memories.ErrChanged, problem.Changed, 412, "", slog.LevelDebug},
	{&memories.NameTakenError{Name: "Tabs", ID: "7"}, problem.NameTaken, 409, "", slog.LevelDebug},
	{&memories.ConflictError{Reason: "The file is open."}, problem.Conflict, 409, "", slog.LevelDebug},
	{&memories.InvalidError{Field: "name", Reason: "is empty"}, problem.Invalid, 422, "", slog.LevelDebug},
	{memories.ErrNoFile, "no_file", 404, "", slog.LevelDebug},
	{memories.ErrIsDirectory, "is_directory", 409, "", slog.LevelDebug},
	{memories.ErrFileExists, "file_exists", 409, "", slog.LevelDebug},
	{memories.ErrInvalidPath, "no_place", 409, "", slog.LevelDebug},
	{fmt.Errorf("%w: %w", memories.ErrInterrupted, memories.ErrUnavailable), problem.Interrupted, 503, "2", slog.LevelWarn},
	{memories.ErrNotHolder, "elsewhere", 503, "2", slog.LevelWarn},
	{memories.ErrUnavailable, problem.Unavailable, 503, "2", slog.LevelWarn},
	{context.DeadlineExceeded, "timeout", 503, "2", slog.LevelWarn},
	{memories.ErrStopping, problem.Stopping, 503, "2", slog.LevelInfo},
	{memories.ErrOutOfFiles, problem.OutOfFiles, 503, "2", slog.LevelWarn},
	{context.Canceled, "canceled", 503, "", slog.LevelDebug},
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, test := range failures {
		t.Run(string(test.code), func(t *testing.T) {
			t.Parallel()
			wrapped := fmt.Errorf("save the memory: %w", test.err)
			p := problem.Of(wrapped)
			if p.Code != test.code || p.Status != test.status || p.GetHeaders().Get("Retry-After") != test.retry || p.Level != test.level {
				t.Errorf("Of() = %s, %d, retry %q, level %v", p.Code, p.Status, p.GetHeaders().Get("Retry-After"), p.Level)
			}
			if p.Err() != wrapped || !strings.HasSuffix(p.Detail, ".") || strings.Contains(p.Detail, "save the memory") {
				t.Errorf("Err() = %v, detail %q", p.Err(), p.Detail)
			}
			if problem.Of(fmt.Errorf("again: %w", p)) != p {
				t.Error("Of() of a problem is another one")
			}
		})
	}
}

func TestOf_Fields(t *testing.T) {
	t.Parallel()
	p := problem.Of(&memories.InvalidError{Field: "name", Reason: "is empty"})
	if p.Detail != "Nothing was changed: name is empty." || p.Field != "name" || len(p.Errors) != 1 || p.Errors[0].Message != "is empty" {
		t.Errorf("Of() = %+v", p)
	}
	if p := problem.Of(&memories.ConflictError{Reason: "The file is open."}); p.Detail != "The file is open." {
		t.Errorf("Of() = %+v", p)
	}
	if got := problem.Of(memories.ErrChanged).Advise("Look."); got != "The memory has changed since you read it. Nothing was changed. Look." {
		t.Errorf("Advise() = %q", got)
	}
}

func TestOf_Unknown(t *testing.T) {
	t.Parallel()
	p := problem.Of(errors.New("secret")).Request("r1")
	if p.Code != problem.Internal || p.Status != 500 || p.Level != slog.LevelError || strings.Contains(p.Detail, "secret") || !strings.Contains(p.Detail, "r1") {
		t.Errorf("Of() = %+v", p)
	}
}

func TestEncode_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, test := range failures {
		t.Run(string(test.code), func(t *testing.T) {
			t.Parallel()
			wrapped := fmt.Errorf("save the memory: %w", test.err)
			f := problem.Encode(wrapped)
			if f.Err() != wrapped {
				t.Errorf("Err() = %v, want the original", f.Err())
			}
			raw, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			var arrived *problem.Failure
			if err := json.Unmarshal(raw, &arrived); err != nil {
				t.Fatal(err)
			}
			got := arrived.Err()
			if want := test.err; !errors.Is(got, want) && !reflect.DeepEqual(got, want) && got.Error() != want.Error() {
				t.Errorf("Err() = %v, want %v", got, want)
			}
			if problem.Of(got).Code != test.code || errors.Is(got, memories.ErrUnavailable) != errors.Is(test.err, memories.ErrUnavailable) {
				t.Errorf("Err() = %v, of another kind", got)
			}
		})
	}
	if problem.Encode(nil) != nil || (*problem.Failure)(nil).Err() != nil {
		t.Error("nil does not stay nil")
	}
	raw, _ := json.Marshal(problem.Encode(errors.New("disk full")))
	var arrived problem.Failure
	if err := json.Unmarshal(raw, &arrived); err != nil || !strings.HasSuffix(arrived.Err().Error(), "disk full") {
		t.Errorf("of an unknown error %v arrives, %v", arrived.Err(), err)
	}
}
