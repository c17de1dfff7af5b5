package watch

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"syscall"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
)

// The modes that Watcher.Mode returns.
const (
	EventMode = "watch" // events report every change
	PollMode  = "poll"  // some or all directories are polled
)

const (
	// minPollInterval is the shortest pause between two rounds of polling. Arbitrary.
	minPollInterval = time.Second
	// pollPause is the pause after a round, as a multiple of the round's duration. It limits polling
	// to a tenth of a processor. Arbitrary.
	pollPause = 9
)

// PollOptions configures Poll.
type PollOptions struct {
	// Places are the settings of discovery.
	Places agents.Settings
	// Transcripts is the cache of discovery.
	Transcripts *agents.Transcripts
	// Agents returns the agents that this server scans, with a directory of their own.
	Agents func() []agents.Agent
	// NoEvents returns the directories on file systems without events, by slug.
	NoEvents func() map[string]string
}

// Poll replaces events where the system reports none, until ctx ends. It repeatedly compares file
// metadata, and queues a full scan of each new or changed agent. If the set of agents is new or
// changed, it queues a discovery. It polls what has no events or a refused watch, and all without
// a notifier. Before each comparison, it retries refused watches. It waits at least a second
// between comparisons, and 9 times as long as the last one took.
func (w *Watcher) Poll(ctx context.Context, options PollOptions) {
	p := poller{
		PollOptions: options, watcher: w, seed: maphash.MakeSeed(), sums: map[string]uint64{},
	}
	wait := minPollInterval
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		started := time.Now()
		p.poll(started)
		took := time.Since(started)
		wait = max(minPollInterval, pollPause*took)
		w.pollInterval.Store(int64(wait))
	}
}

// poller keeps the checksums of the last round.
type poller struct {
	PollOptions
	watcher *Watcher
	seed    maphash.Seed
	sums    map[string]uint64 // by slug; an agent without one is queued in the next round
}

// poll runs one round: it retries refused watches, and queues a full scan of each polled agent
// whose checksum is new or has changed. If the set of agents is polled and has changed, it also
// queues a discovery. A checksum that is not settled counts as new in the next round.
func (p *poller) poll(now time.Time) {
	p.watcher.rearm()
	all, unwatched := p.watcher.unwatched()
	noEvents := p.NoEvents()
	isPolled := func(slug string) bool { return all || unwatched[slug] || noEvents[slug] != "" }
	sums := map[string]uint64{}
	compare := func(slug string, sum uint64, isSettled bool) {
		if before, isKnown := p.sums[slug]; !isKnown || before != sum {
			p.watcher.queue.Add(slug, ".")
		}
		if isSettled {
			sums[slug] = sum
		}
	}
	if isPolled("") {
		compare("", p.discoverySum(), true)
	}
	for _, a := range p.Agents() {
		if isPolled(a.Slug) {
			sum, isSettled := p.agentSum(a, now)
			compare(a.Slug, sum, isSettled)
		}
	}
	p.sums = sums
}

// discoverySum returns a checksum of the agents on disk, the directories searched for them, and the
// unreadable directories.
func (p *poller) discoverySum() uint64 {
	var sum maphash.Hash
	sum.SetSeed(p.seed)
	add := func(dir string) { maphash.WriteComparable(&sum, dir) }
	survey := agents.DiscoverAll(p.Places, p.Transcripts, add)
	for _, f := range survey.Found {
		maphash.WriteComparable(&sum, f)
	}
	for _, dir := range survey.Unreadable {
		add(dir)
	}
	return sum.Sum64()
}

// agentSum returns a checksum of the metadata of an agent's files, without reading them. isSettled
// is false if a later change could leave the same time stamps, because a file has just changed. All
// directories that cannot be opened have the same sum.
func (p *poller) agentSum(a agents.Agent, now time.Time) (result uint64, isSettled bool) {
	var sum maphash.Hash
	sum.SetSeed(p.seed)
	root, err := files.OpenRoot(a.Dir)
	if err != nil {
		return sum.Sum64(), true
	}
	defer root.Close() //nolint:errcheck // nothing is written through it
	isSettled = true
	limit := now.Add(-agents.TimestampSlack)
	listing := agents.Walk(root, a, []string{"."}, func(string) {})
	entries := append(listing.Files, agents.WalkLogs(root, a, []string{"."}, func(string) {}).Files...)
	for _, other := range listing.Others {
		entries = append(entries, other.Entry)
	}
	for _, entry := range entries {
		maphash.WriteComparable(&sum, entry.Signature())
		isSettled = isSettled && entry.ChangeTime < limit.UnixNano()
	}
	for _, path := range append(listing.Indexes, a.ClaudeMDPath(root)) {
		info, err := files.Stat(root, path)
		if path == "" || err != nil {
			continue
		}
		_, inode, _ := agents.Identity(info)
		maphash.WriteComparable(&sum, stamp{path, info.Size(), info.ModTime().UnixNano(), inode})
		isSettled = isSettled && info.ModTime().Before(limit)
	}
	for _, path := range listing.Failed {
		maphash.WriteComparable(&sum, path)
	}
	maphash.WriteComparable(&sum, listing.HasPrimary)
	return sum.Sum64(), isSettled
}

// stamp is the metadata that shows a change of a file.
type stamp struct {
	path          string
	size, modTime int64
	inode         uint64
}

// unwatched returns the slugs of the agents for which the system has refused at least one watch; ""
// is the set of agents. all reports whether there is no notifier, so that nothing is watched.
func (w *Watcher) unwatched() (all bool, slugs map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slugs = map[string]bool{}
	for dir := range w.refused {
		for _, r := range w.watches.dirs[dir].reasons {
			slugs[r.slug] = true
		}
	}
	return w.notifier == nil, slugs
}

// Mode returns EventMode and no note if events report every change. It returns PollMode if anything
// is polled, with a note for users that states the reason and the interval. noEvents are the
// directories on file systems without events, by slug.
func (w *Watcher) Mode(noEvents map[string]string) (mode, note string) {
	reason := w.pollReason(noEvents)
	if reason == "" {
		return EventMode, ""
	}
	interval := max(time.Duration(w.pollInterval.Load()), minPollInterval)
	return PollMode, fmt.Sprintf("%s; Memoir checks every %v instead", reason, interval.Round(time.Second))
}

// pollReason returns the most important reason for polling, as a text for users. It returns "" if
// nothing is polled.
func (w *Watcher) pollReason(noEvents map[string]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.open == nil:
		return "set by --watch=poll"
	case w.openError != nil:
		return fmt.Sprintf("no further file watcher is allowed (%v); raise fs.inotify.max_user_instances or the limit of open files",
			errnoOf(w.openError))
	case len(w.refused) > 0:
		all := len(w.watches.dirs)
		return fmt.Sprintf("only %d of %d directories can be watched (%v); raise fs.inotify.max_user_watches or the limit of open files",
			all-len(w.refused), all, errnoOf(w.refusal))
	case len(noEvents) > 0:
		return fmt.Sprintf("the file system of %s sends no events", slices.Min(slices.Collect(maps.Values(noEvents))))
	}
	return ""
}

// errnoOf returns the syscall.Errno that err wraps, or err itself if it wraps none.
func errnoOf(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
