package waittest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"memoir/internal/waittest"
)

// failure records the message of Fatalf instead of ending the test.
type failure struct {
	testing.TB
	message string
}

func (f *failure) Helper() {}

func (f *failure) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	panic(f)
}

func TestFor_WaitsForTheCondition(t *testing.T) {
	t.Parallel()
	n := 0
	waittest.For(t, "the third check", func() bool { n++; return n == 3 })
	if n != 3 {
		t.Errorf("the condition was checked %d times, want 3", n)
	}
}

func TestNoError_FailsWithTheLastError(t *testing.T) {
	t.Setenv("MEMOIR_TEST_PATIENCE", "20ms")
	f := &failure{TB: t}
	defer func() {
		if recover() != f || !strings.Contains(f.message, "waited 20ms for the file: not there") {
			t.Errorf("the message is %q", f.message)
		}
	}()
	waittest.NoError(f, "the file", func() error { return errors.New("not there") })
}
