package sync

import (
	"context"
	"errors"
	"fmt"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

type repeatedKey struct{}

// repeated marks a call as one that was asked of a server which then ended.
func repeated(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatedKey{}, true)
}

// mayBeDone says that what is asked may have been done already, by a server that ended before it could say so. Most calls come
// to the same when they are made twice. A save writes the same content once more: what somebody else saved in that second is in
// the history then. Where the second call is refused because the first one was not, the functions below say that it is done; of
// any other refusal nobody knows what it means, and the asker is told that (errUncertain).
func mayBeDone(ctx context.Context) bool { return ctx.Value(repeatedKey{}) != nil }

// errUncertain says that what was asked cannot be done, maybe only because it has been done.
var errUncertain = fmt.Errorf("the server that carried it out has ended before it could say how that went; look at it again: %w", postgres.ErrUnavailable)

// certain returns an error as it is where it says what has happened, and else errUncertain.
func certain(ctx context.Context, err error) error {
	if mayBeDone(ctx) && refuses(err) {
		return errUncertain
	}
	return err
}

// refuses says whether an error means that nothing has happened, because of what there is.
func refuses(err error) bool {
	var conflict *memories.ConflictError
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrChanged) || errors.As(err, &conflict) ||
		errors.Is(err, ErrNoFile) || errors.Is(err, ErrFileExists)
}

// unlessDone returns what a user saw of a memory without the tag when the memory is what it was to become: then the tag is
// rightly of something else.
func (h *hold) unlessDone(ctx context.Context, seen Seen, done ...memories.State) (Seen, error) {
	if !mayBeDone(ctx) {
		return seen, nil
	}
	head, err := h.w.Head(ctx, seen.ID)
	for _, state := range done {
		if head.State == state {
			seen.Match = ""
		}
	}
	return seen, err
}

// isCreated says whether a memory is what was to be created.
func (h *hold) isCreated(ctx context.Context, head postgres.Head, draft Draft) (bool, error) {
	if !mayBeDone(ctx) {
		return false, nil
	}
	return h.hasContent(ctx, head, draft)
}

// hasContent reports whether a memory has the content of the draft.
func (h *hold) hasContent(ctx context.Context, head postgres.Head, draft Draft) (bool, error) {
	if head.Type != draft.Type {
		return false, nil
	}
	description, body, err := h.w.Text(ctx, head.UUID)
	created := memories.Content{Name: head.Name, Type: head.Type, Description: description, Body: body}
	return created.Canonical() == draft.content().Canonical(), err
}
