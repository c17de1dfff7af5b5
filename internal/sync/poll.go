package sync

import (
	"context"
	"hash/maphash"
	"io/fs"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
)

const (
	// pollEvery is the time between two walks over what no event tells of.
	pollEvery = time.Second
	// pollShare is how many times as long as the walk itself the pause after it is at least, so that polling a hundred
	// thousand files takes a tenth of a processor and no more.
	pollShare = 9
)

// poller has those agents looked at that have changed since it last walked over them. A walk reads no file and asks the
// database nothing.
type poller struct {
	*Engine
	seed maphash.Seed
	seen map[string]uint64 // what the last walk over each agent saw, by slug; none: to be looked at
}

// pollAgainAndAgain stands in for events where there are none.
func (e *Engine) pollAgainAndAgain(ctx context.Context) {
	p := poller{Engine: e, seed: maphash.MakeSeed(), seen: map[string]uint64{}}
	wait := pollEvery
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		started := time.Now()
		p.poll(started)
		took := time.Since(started)
		wait = max(pollEvery, pollShare*took)
		e.meter.polled(wait)
	}
}

func (p *poller) poll(now time.Time) {
	p.watcher.rearm()
	unwatched := p.unwatched()
	walked := map[string]uint64{}
	note := func(slug string, saw uint64, settled bool) {
		if before, known := p.seen[slug]; !known || before != saw {
			p.queue.add(slug, ".")
		}
		if settled {
			walked[slug] = saw
		}
	}
	if unwatched.includes("") {
		note("", p.discover(), true)
	}
	for _, a := range p.terrain().agents {
		if a.JoinedTo == "" && unwatched.includes(a.Slug) && p.looksAfter(a.Slug) {
			saw, settled := p.walk(a, now)
			note(a.Slug, saw, settled)
		}
	}
	p.seen = walked
}

// discover sums up which agents there are, and in which directories they were looked for.
func (p *poller) discover() (saw uint64) {
	var sum maphash.Hash
	sum.SetSeed(p.seed)
	add := func(dir string) { maphash.WriteComparable(&sum, dir) }
	survey := agents.DiscoverAll(p.options.Places, &p.transcripts, add)
	for _, f := range survey.Found {
		maphash.WriteComparable(&sum, f)
	}
	for _, dir := range survey.Unreadable {
		add(dir)
	}
	return sum.Sum64()
}

// walk sums up what is on disk of an agent: two walks that see the same give the same number. It is not settled while a
// further change could hide behind the same time stamps.
func (p *poller) walk(a agents.Agent, now time.Time) (saw uint64, settled bool) {
	var sum maphash.Hash
	sum.SetSeed(p.seed)
	settled = true
	add := func(path string, info fs.FileInfo, err error) {
		if err != nil {
			maphash.WriteComparable(&sum, path)
			return
		}
		_, inode, _ := agents.Identity(info)
		maphash.WriteComparable(&sum, stamp{path, info.Size(), info.ModTime().UnixNano(), inode})
		settled = settled && info.ModTime().Before(now.Add(-fresh))
	}
	root, err := files.OpenRoot(a.Dir)
	if err != nil {
		add(a.Dir, nil, err)
		return sum.Sum64(), true
	}
	defer root.Close() //nolint:errcheck // nothing is written through it
	listing := agents.Walk(root, a, []string{"."}, func(string) {})
	for _, f := range listing.Files {
		maphash.WriteComparable(&sum, f.Signature())
		settled = settled && f.ChangeTime < now.Add(-fresh).UnixNano()
	}
	for _, o := range listing.Others {
		maphash.WriteComparable(&sum, o.Signature())
		settled = settled && o.ChangeTime < now.Add(-fresh).UnixNano()
	}
	for _, path := range append(listing.Indexes, a.ClaudeMDPath(root)) {
		if path != "" {
			info, err := files.Stat(root, path)
			add(path, info, err)
		}
	}
	for _, path := range listing.Failed {
		maphash.WriteComparable(&sum, path)
	}
	maphash.WriteComparable(&sum, listing.DurableThere)
	for _, f := range agents.WalkLogs(root, a, []string{"."}, func(string) {}).Files {
		maphash.WriteComparable(&sum, f.Signature())
		settled = settled && f.ChangeTime < now.Add(-fresh).UnixNano()
	}
	return sum.Sum64(), settled
}

// stamp is what tells that a file has changed.
type stamp struct {
	path          string
	size, modTime int64
	inode         uint64
}
