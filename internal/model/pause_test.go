package model_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/model"
)

// answering is a model whose result a test decides.
type answering func() error

func (a answering) Ask(context.Context, model.Question) (model.Answer, error) {
	return model.Answer{}, a()
}

func TestPausing_ThreeTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var next error
		asked := 0
		m := model.Pausing(answering(func() error { asked++; return next }))
		ask := func(outcome error) error {
			next = outcome
			_, err := m.Ask(t.Context(), question)
			return err
		}
		late := context.DeadlineExceeded
		for _, outcome := range []error{late, late, nil, late, late, context.Canceled} {
			_ = ask(outcome)
		}
		if asked != 6 {
			t.Fatalf("it was asked %d times, want 6: no three time-outs were in a row", asked)
		}
		_ = ask(late)
		var paused *model.Error
		if err := ask(nil); !errors.As(err, &paused) || asked != 7 {
			t.Fatalf("after three time-outs it was asked %d times: %v", asked, err)
		}
		if again, after := paused.Again(); !again || after != 5*time.Minute {
			t.Errorf("it can be asked again: %t, after %v", again, after)
		}
		time.Sleep(5*time.Minute + time.Second)
		if err := ask(nil); err != nil || asked != 8 {
			t.Errorf("after the pause it was asked %d times: %v", asked, err)
		}
	})
}
