package sync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/lockfile"
	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// Two agents are joined on disk, so that the agents themselves share what they remember: everything in the directory of the one is brought
// into that of the other, it is set aside, and a link takes its place. Then whoever writes to either writes to one place, and Memoir looks
// at that as at one agent. Nothing is removed, on either side.
//
// What is to be done is in Postgres before the first file is touched, each step can be taken again, and a scan takes those that are left.

// Joining says what joining an agent to another does, or has done.
type Joining struct {
	Into  string       // the slug of the other agent
	Files []JoinedFile // by path
	Index []JoinedIndex
	Left  []LeftFile // what is not brought over, by path
	Aside string     // the absolute path at which the agent's directory is kept
}

// JoinedFile is a file that is brought over.
type JoinedFile struct {
	Path string // in the agent's directory
	To   string // in the other's: another one where that was taken
	Name string // of the memory that it carries; empty: none that can be read
	Team bool
	// Outcome says what comes of it.
	Outcome JoinOutcome
}

// JoinOutcome is what comes of a file that is brought over.
type JoinOutcome string

// The outcomes.
const (
	ComesIn   JoinOutcome = "new"     // the other agent has nothing else of that name
	IsThere   JoinOutcome = "same"    // the very bytes are there
	IsNewer   JoinOutcome = "newer"   // the other agent's memory of that name says something else, and this content holds
	IsOlder   JoinOutcome = "older"   // that one's content holds, and this one becomes part of its history
	IsBlocked JoinOutcome = "blocked" // one of the two has deleted this content: it is kept out, and listed
)

// JoinedIndex is a MEMORY.md that gets lines.
type JoinedIndex struct {
	Path  string // in the other agent's directory
	New   bool   // that one has none there: it gets the agent's
	Lines []string
}

// LeftFile is something that is not brought over, and stays in the directory that is set aside.
type LeftFile struct {
	Path, Why string
}

// joiningTo is another agent to be joined to.
type joiningTo struct{ Into string }

// PreviewJoin says what Join would do, and changes nothing. It fails as that does.
func (e *Engine) PreviewJoin(ctx context.Context, slug, into string) (Joining, error) {
	return callPreviewJoin.carryOut(ctx, e, slug, joiningTo{into})
}

// Join brings everything in an agent's directory into that of another, and puts a link to that in its place. When it returns, both are one
// agent, on disk and here. It fails with memories.ErrNotFound, *memories.InvalidError about into, and *memories.ConflictError, which says
// what was kept.
func (e *Engine) Join(ctx context.Context, slug, into string) (Joining, error) {
	return callJoin.carryOut(ctx, e, slug, joiningTo{into})
}

// Part gives an agent that is joined to another a directory of its own again, with a copy of everything that the two share. It fails with
// memories.ErrNotFound, and *memories.ConflictError, which says what was kept.
func (e *Engine) Part(ctx context.Context, slug string) (postgres.Agent, error) {
	if _, err := callPart.carryOut(ctx, e, slug, nothing{}); err != nil {
		return postgres.Agent{}, err
	}
	return e.store.Agent(ctx, slug)
}

func (e *Engine) previewJoinHere(ctx context.Context, slug string, in joiningTo) (Joining, error) {
	var joining Joining
	err := e.withBoth(ctx, slug, in.Into, func(h, into *hold) error {
		var err error
		if joining, err = h.foreseeJoin(ctx, into); err == nil {
			joining.Aside, err = h.asideOf(beforeJoining)
		}
		return err
	})
	return joining, err
}

func (e *Engine) joinHere(ctx context.Context, slug string, in joiningTo) (Joining, error) {
	var joining Joining
	err := e.withBoth(ctx, slug, in.Into, func(h, into *hold) error {
		begun, err := h.w.BegunJoin(ctx)
		if err != nil {
			return err
		}
		if begun != nil {
			if begun.Doing == postgres.Joining && begun.IntoID == into.id {
				joining = Joining{Into: in.Into, Aside: filepath.Join(filepath.Dir(h.onDisk.Dir), begun.Beside)}
				return h.join(ctx, into, *begun)
			}
			return &memories.ConflictError{Reason: "Something was begun with the directory of " + slug + " before, and is not done. Nothing was changed. The next scan goes on with it: try again after that."}
		}
		if h.onDisk.JoinedTo == in.Into && mayBeDone(ctx) {
			joining = Joining{Into: in.Into}
			return nil
		}
		if joining, err = h.foreseeJoin(ctx, into); err != nil {
			return err
		}
		if joining.Aside, err = h.asideOf(beforeJoining); err != nil {
			return err
		}
		j := postgres.Join{AgentID: h.id, IntoID: into.id, IntoSlug: in.Into, Doing: postgres.Joining, Beside: filepath.Base(joining.Aside), Actor: actorOf(ctx)}
		if err := h.w.BeginJoin(ctx, j); err != nil {
			return err
		}
		return h.join(ctx, into, j)
	})
	if err != nil {
		return Joining{}, err
	}
	return joining, e.seeJoined(ctx, slug, in.Into)
}

// seeJoined lets everybody know that two agents have another place than before.
func (e *Engine) seeJoined(ctx context.Context, slugs ...string) error {
	_, err := e.discover(ctx)
	for _, slug := range slugs {
		e.hub.publish(Event{Agent: slug, Kind: KindScanned})
	}
	return err
}

// withBoth runs do while nobody else works on either of two agents. It fails as withAgent does, for the first of them; what is wrong with the
// other is a conflict, or *memories.InvalidError about into.
func (e *Engine) withBoth(ctx context.Context, slug, other string, do func(h, other *hold) error) error {
	if slug == other {
		return &memories.InvalidError{Field: "into", Reason: "is the agent itself"}
	}
	known := strings.IndexByte(other, 0) < 0 && utf8.ValidString(other) // else Postgres would not take it
	if known {
		_, err := e.agent(ctx, other)
		if known = !errors.Is(err, memories.ErrNotFound); known && err != nil {
			return err
		}
	}
	if !known {
		return &memories.InvalidError{Field: "into", Reason: "is no agent that Memoir knows"}
	}
	if err := e.takeOver(ctx, slug, other); err != nil {
		return err
	}
	e.joining.Lock()
	defer e.joining.Unlock()
	withOther := func(do func(*hold) error) error {
		begun := false
		err := e.withAgent(ctx, other, func(o *hold) error {
			begun = true
			return do(o)
		})
		if !begun && errors.Is(err, errElsewhere) {
			return heldByAnother(other)
		}
		return err
	}
	if slug < other { // everybody who takes two takes them in one order
		return e.withAgent(ctx, slug, func(h *hold) error {
			return withOther(func(o *hold) error { return do(h, o) })
		})
	}
	return withOther(func(o *hold) error {
		return e.withAgent(ctx, slug, func(h *hold) error { return do(h, o) })
	})
}

func heldByAnother(slug string) error {
	return &memories.ConflictError{Reason: "Another server looks after " + slug + " at the moment, and one server has to have both. Nothing was changed. Try again in some seconds."}
}

// joinedError says that an agent's directory is another one's.
type joinedError struct{ slug, to string }

func (e *joinedError) Error() string {
	return fmt.Sprintf("%s is joined to %s: its directory is a link to that one's.", e.slug, e.to)
}

// mayJoin says with a conflict why an agent cannot be joined to another.
func (h *hold) mayJoin(into *hold) error {
	refused := func(why string) error { return &memories.ConflictError{Reason: why + " Nothing was changed."} }
	var joined *joinedError
	if errors.As(into.closed, &joined) {
		if joined.to == h.onDisk.Slug {
			return refused(joined.Error() + " The two are one already.")
		}
		return refused(joined.Error() + " Join " + h.onDisk.Slug + " to " + joined.to + " instead.")
	}
	if why := agents.CanBeJoined(h.onDisk); why != "" {
		return refused(why)
	}
	if into.onDisk.Layout == agents.Hive || into.onDisk.Layout == agents.Shared {
		return refused(agents.CanBeJoined(into.onDisk))
	}
	for _, one := range []*hold{h, into} {
		if one.root == nil {
			return one.errNoDirectory()
		}
	}
	if agents.IsLink(h.onDisk.Dir) {
		return refused(h.onDisk.Dir + " is a link to a directory that is no other agent's. Remove the link and put the directory in its place first.")
	}
	from, to := agents.RealDir(h.onDisk.Dir), agents.RealDir(into.onDisk.Dir)
	if agents.Beneath(from, to) || agents.Beneath(to, from) {
		return refused("The directory of one of the two is in that of the other.")
	}
	for home, owner := range h.terrain().owners {
		if agents.Beneath(home.Dir, from) && owner != h.onDisk.Slug {
			return refused("The directory of " + owner + " is in that of " + h.onDisk.Slug + ", and would be set aside with it.")
		}
	}
	for _, one := range []*hold{h, into} {
		state, err := lockfile.Read(one.root, ".", time.Now())
		if err != nil {
			return refused(lockProblem(one.onDisk.Slug, err))
		}
		if state.Held {
			return refused(fmt.Sprintf("The memories of %s are being consolidated just now (process %d). Try again when that is done.", one.onDisk.Slug, state.PID))
		}
	}
	return nil
}

// What has the name of a directory beside it, hidden so that nobody takes it for an agent or for one of Memoir's own temporary files.
const (
	beforeJoining = "before-joining"
	whileParting  = "parting"
)

// asideOf returns an absolute path beside the agent's directory at which there is nothing.
func (h *hold) asideOf(what string) (string, error) {
	dir, name := filepath.Split(h.onDisk.Dir)
	for n := 1; ; n++ {
		aside := filepath.Join(dir, memories.NumberedFileName("."+strings.TrimPrefix(name, ".")+"-"+what, n))
		if _, err := os.Lstat(aside); os.IsNotExist(err) {
			return aside, nil
		} else if err != nil {
			return "", &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be looked at (%v). Nothing was changed.", aside, plain(err))}
		}
	}
}

// foreseeJoin says what joining the agent to the other one would do.
func (h *hold) foreseeJoin(ctx context.Context, into *hold) (Joining, error) {
	if err := h.mayJoin(into); err != nil {
		return Joining{}, err
	}
	for _, one := range []*hold{h, into} { // everything that both have is on record, whatever comes then
		if _, err := one.look(ctx, []string{"."}, cause{}); err != nil {
			return Joining{}, err
		}
	}
	b := bringing{to: into}
	if err := b.bring(h.root); err != nil {
		return Joining{}, err
	}
	err := b.judge(ctx, h)
	return Joining{Into: into.onDisk.Slug, Files: b.files, Index: b.index, Left: b.left}, err
}
