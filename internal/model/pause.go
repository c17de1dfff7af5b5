package model

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// maxTimeouts is how many time-outs in a row pause a model. Each of them has kept a caller waiting for nothing.
	maxTimeouts = 3
	// pauseTime is for how long a model is paused.
	pauseTime = 5 * time.Minute
)

// Pausing returns m, paused for five minutes after three time-outs in a row. While it is paused, Ask fails at once.
func Pausing(m Model) Model { return &pausing{model: m} }

type pausing struct {
	model Model

	mu       sync.Mutex
	timeouts int // in a row
	until    time.Time
}

// Ask fails with an *Error while the model is paused, and as the model does.
func (p *pausing) Ask(ctx context.Context, question Question) (Answer, error) {
	if left := p.left(); left > 0 {
		return Answer{}, &Error{why: "it is paused, because it did not answer in time", again: true, after: left}
	}
	answer, err := p.model.Ask(ctx, question)
	p.note(err)
	return answer, err
}

// left returns for how much longer the model is paused.
func (p *pausing) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.until)
}

// note counts a time-out. A caller that left says nothing about the model.
func (p *pausing) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled):
	case !errors.Is(err, context.DeadlineExceeded):
		p.timeouts = 0
	default:
		if p.timeouts++; p.timeouts >= maxTimeouts {
			p.timeouts, p.until = 0, time.Now().Add(pauseTime)
		}
	}
}
