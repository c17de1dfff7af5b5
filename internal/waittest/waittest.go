// Package waittest waits in tests for conditions. It is the only place where a test sets a time
// limit for something that it does not measure. A condition may be slow on a busy machine; a test
// that waits for a fixed time instead fails there.
package waittest

import (
	"errors"
	"os"
	"time"
)

const (
	// defaultPatience is arbitrary: far longer than any condition takes on a busy machine.
	defaultPatience = time.Minute
	// interval is the time between two checks of a condition.
	interval = 5 * time.Millisecond
)

// Patience returns how long tests wait for a condition. It is the duration in the environment
// variable MEMOIR_TEST_PATIENCE, or one minute if that is not set or not a positive duration.
func Patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("MEMOIR_TEST_PATIENCE")); err == nil && d > 0 {
		return d
	}
	return defaultPatience
}

// T is the part of testing.TB that waiting needs. A test of package rapid has it too.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

var errNot = errors.New("the condition is false")

// For calls holds every few milliseconds until it returns true. It ends the test if that does not
// happen within Patience. what names the condition in the failure's message.
func For(t T, what string, holds func() bool) {
	t.Helper()
	NoError(t, what, func() error {
		if holds() {
			return nil
		}
		return errNot
	})
}

// NoError calls check every few milliseconds until it returns nil. It ends the test with the last
// error if that does not happen within Patience. what names the condition in the failure's message.
func NoError(t T, what string, check func() error) {
	t.Helper()
	deadline := time.Now().Add(Patience())
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s: %v", Patience(), what, err)
		}
		time.Sleep(interval)
	}
}
