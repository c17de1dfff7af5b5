package sync_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

// rules say, in the plainest way, what each scan has to lead to: which memories live, and with
// which content. They know nothing of rows or paths of a memory. Where two contents became new at
// what may be the same moment, either may hold.
type rules struct {
	files  map[string]*knownFile
	names  map[string]*knownMemory // by key, as keyAt gives it
	buried contents                // what was deleted and may not come back by itself
	// renames are the contents that a rename has blocked under the old key, with the id of the renamed
	// memory.
	renames map[string]map[memories.Fingerprint]string
	latest  time.Time   // no moment that is known of is later
	away    bool        // there was no primary directory when it was last looked for
	was     os.FileInfo // the primary directory that there was when everything was last scanned
	// replaced means that the present scan has found another directory in its place.
	replaced bool
}

// knownFile is a file as the last scan of its place found it.
type knownFile struct {
	text    string
	bad     bool
	there   bool
	carries string // the key that it carries, or last did while it could be read
	blocked bool
	flaws   flaws // with which its content was taken
	broken  bool  // another flaw: its content is the last good one
	vague   bool  // it was unreadable before, so its last good content is unknown
	nobodys bool  // it is blocked, and had no memory when it was scanned
	content memories.Fingerprint
	new     span // when its content became new
}

type knownMemory struct {
	lives   bool
	missing bool // it lives, and its files went with many others
	content memories.Fingerprint
	new     span
	primary bool                          // its source is a primary file, or was the last one
	said    map[memories.Fingerprint]bool // since the memory was last purged
	left    map[memories.Fingerprint]bool // contents that its last deletion has newly blocked
	checked int                           // how many of these have been found among the revisions
}

// span is some moment between two.
type span struct{ from, to time.Time }

func (s span) surelyBefore(other span) bool { return s.to.Before(other.from) }

func newRules() *rules {
	return &rules{files: map[string]*knownFile{}, names: map[string]*knownMemory{}, buried: contents{}, renames: map[string]map[memories.Fingerprint]string{}}
}

// now is a moment that is newer than all known ones, also if the clock was set back.
func (r *rules) now(at span) span {
	if !at.to.After(r.latest) {
		at.to = r.latest.Add(time.Millisecond)
	}
	r.latest = at.to
	return at
}

// clockSetBack moves all that is known into what is the future now, or, by less than nothing,
// deeper into the past.
func (r *rules) clockSetBack(by time.Duration) {
	later := func(s span) span { return span{s.from.Add(by), s.to.Add(by)} }
	for _, f := range r.files {
		f.new = later(f.new)
	}
	for _, m := range r.names {
		m.new = later(m.new)
	}
	r.latest = r.latest.Add(by)
}

// candidate is a content that a scan found at one place.
type candidate struct {
	place   string // if empty, it is the memory's content
	content memories.Fingerprint
	new     span
	seen    bool // before, with these very bytes
	isNow   bool // it counts as new at the moment of the look
}

func (c candidate) surelyBefore(other candidate) bool {
	return other.isNow && !c.isNow || other.isNow == c.isNow && c.new.surelyBefore(other.new)
}

// look goes through what is on disk within the scope, as the engine has just done, and compares.
func (r *rules) look(w *world, paths string, at span) {
	disk := w.disk()
	clock := at
	at = r.now(at)
	r.noteAway(w, paths == ".")
	durableBefore := r.durableNames()
	left := r.newDepartures()
	for relPath, f := range r.files {
		if _, there := disk[relPath]; there || !f.there || !within(relPath, paths) || !w.isKnown(relPath) || primaryDir(relPath) && r.away {
			continue
		}
		if primaryDir(relPath) {
			left.durable[f.carries] = true
			left.noteContent(*f)
		}
		f.there, f.blocked, f.broken, f.vague = false, false, false, false
	}
	r.noteSlugs(w, disk, paths)
	found := map[string][]candidate{}
	for _, relPath := range slices.Sorted(maps.Keys(disk)) {
		if !within(relPath, paths) {
			continue
		}
		if name, c, carries := r.see(relPath, disk[relPath], clock, at, left); carries {
			found[name] = append(found[name], c)
		}
	}
	for name := range left.outgrown {
		if m := r.names[name]; m != nil && m.lives && !m.missing && !r.isCarriedAtOnce(name, found[name]) {
			delete(r.names, name) // all that it was is in what the file says now
		}
	}
	for name, candidates := range found {
		r.decide(w, name, candidates, left)
	}
	for relPath := range disk {
		if f := r.files[relPath]; f != nil && within(relPath, paths) {
			f.nobodys = f.blocked && r.names[f.carries] == nil
		}
	}
	r.remove(left, durableBefore)
	for name, m := range r.names {
		if _, decided := found[name]; !decided && m.lives && !m.missing && r.losesSource(name, m.content, m.primary, left) {
			r.decide(w, name, nil, left)
		}
	}
	r.compare(w)
}

// noteSlugs renames the memories whose files all state the slug of the name now, with a primary
// file among them. Their contents are not blocked under the old name, and the present one is not
// blocked under the new name.
func (r *rules) noteSlugs(w *world, disk map[string]diskFile, paths string) {
	for _, name := range modelNames {
		for _, team := range []bool{false, true} {
			from, to := keyIn(team, name), keyIn(team, strings.ToLower(name))
			m, other := r.names[from], r.names[to]
			if from == to || m == nil || !m.lives || m.missing || other != nil && other.lives || !r.statesSlug(disk, paths, from, to) {
				continue
			}
			if other != nil {
				maps.Copy(m.said, other.said)
			}
			m.left, m.checked = nil, 0
			delete(r.names, from)
			r.names[to] = m
			r.unbury(to, m.content)
			for relPath, f := range r.files {
				switch _, there := disk[relPath]; {
				case f.carries != from:
				case there && !f.blocked && within(relPath, paths):
					f.carries = to
				default:
					f.nobodys = f.nobodys || f.blocked
				}
			}
		}
	}
}

// statesSlug reports whether all files of a key state another one now.
func (r *rules) statesSlug(disk map[string]diskFile, paths, from, to string) bool {
	inPrimary := false
	for relPath, d := range disk {
		parsed := frontmatter.Parse([]byte(d.text), stemOf(relPath))
		says := within(relPath, paths) && !d.bad && !parsed.Unreadable && keyAt(relPath, parsed.Name) == from
		if says && !r.buried[from][parsed.Fingerprint([]byte(d.text))] {
			return false
		}
	}
	for relPath, f := range r.files {
		if !f.there || f.blocked || f.carries != from {
			continue
		}
		d, there := disk[relPath]
		parsed := frontmatter.Parse([]byte(d.text), stemOf(relPath))
		states := there && within(relPath, paths) && !d.bad && !f.bad && !parsed.Unreadable && statedName.MatchString(closedFront.FindString(d.text))
		if !states || keyAt(relPath, parsed.Name) != to || r.isUnfinished(relPath, *f, d.text) {
			return false
		}
		isOwn := parsed.Fingerprint([]byte(d.text)) == r.names[from].content
		inPrimary = inPrimary || primaryDir(relPath) && (isOwn || !r.buried[to][parsed.Fingerprint([]byte(d.text))])
	}
	return inPrimary
}

// noteAway handles a primary directory that has returned or was replaced. Missing files in a
// returned one mean nothing. In a full scan, memories without a file in a new one become missing.
// Until then the directory counts as away, except the first one of an agent without primary memories.
func (r *rules) noteAway(w *world, isFull bool) {
	r.replaced = false
	info, err := os.Stat(w.path("memory"))
	if gone := os.IsNotExist(err) || err == nil && !info.IsDir(); gone {
		if isFull {
			r.away, r.was = true, nil
		}
		return
	}
	if err != nil {
		return
	}
	if r.was != nil && os.SameFile(r.was, info) { // no full scan has seen another one
		r.away = false
		return
	}
	if !isFull {
		if r.away = r.was != nil || r.knowsPrimary(); !r.away {
			r.was = info
		}
		return
	}
	if r.replaced = r.was != nil; !r.replaced {
		for relPath, f := range r.files {
			f.there = f.there && (!primaryDir(relPath) || f.bad || f.blocked)
		}
	}
	r.away, r.was = false, info
}

// knowsPrimary reports whether the engine knows a file in the primary directory.
func (r *rules) knowsPrimary() bool {
	for relPath, f := range r.files {
		if f.there && primaryDir(relPath) {
			return true
		}
	}
	return false
}

// departures are names that files no longer carry.
type departures struct {
	away     bool            // what files of the primary directory carried before says nothing
	replaced bool            // its memories without a file become missing
	durable  map[string]bool // a file in the primary directory has gone, or has another name
	contents contents        // what such files said
	outgrown map[string]bool // by name: a file has grown and has another name now
}

func (r *rules) newDepartures() departures {
	return departures{r.away, r.replaced, map[string]bool{}, contents{}, map[string]bool{}}
}

// noteContent notes what a file said that has left its name.
func (d departures) noteContent(f knownFile) {
	if !f.bad && !f.vague && !f.blocked {
		d.contents.add(f.carries, f.content)
	}
}

// note records that the file at a path leaves its former name if it has another key now, and
// reports whether it does.
func (d departures) note(relPath string, before knownFile, key string) bool {
	leaves := before.there && before.carries != key
	if leaves && primaryDir(relPath) && !d.away {
		d.durable[before.carries] = true
		d.noteContent(before)
	}
	return leaves
}

// remove deletes the memories without a file, or marks them as missing if they are so many that it
// may be an accident.
func (r *rules) remove(left departures, durableBefore int) {
	ends := func(name string) *knownMemory {
		if m := r.names[name]; m != nil && m.lives && !m.missing && !r.isCarried(name) {
			return m
		}
		return nil
	}
	var gone []*knownMemory
	for name := range left.durable {
		if m := ends(name); m != nil {
			gone = append(gone, m)
		}
	}
	hold := left.replaced || len(gone) > 10 && 2*len(gone) > durableBefore
	for _, m := range gone {
		m.lives, m.missing, m.left = hold, hold, nil
	}
}

// durableNames counts the memories that live and that primary files carry.
func (r *rules) durableNames() int {
	names := map[string]bool{}
	for relPath, f := range r.files {
		if m := r.names[f.carries]; f.there && !f.nobodys && primaryDir(relPath) && m != nil && m.lives {
			names[f.carries] = true
		}
	}
	return len(names)
}

func within(relPath, paths string) bool {
	return paths == "." || relPath == paths || strings.HasPrefix(relPath, paths+"/")
}

// keyAt returns the key of a memory: its name, and whether the file is in team memory.
func keyAt(relPath, name string) string {
	below := relPath
	if _, inSession, is := strings.Cut(relPath, "/memory/"); is && strings.HasPrefix(relPath, "sessions/") {
		below = "memory/" + inSession
	}
	return keyIn(strings.HasPrefix(below, "memory/team/"), name)
}

func keyIn(team bool, name string) string {
	if team {
		return "the team's " + name
	}
	return name
}

func keyOf(m memories.Memory) string { return keyIn(m.Team, m.Name) }

func primaryDir(relPath string) bool { return strings.HasPrefix(relPath, "memory/") }

// isKnown reports whether the absence of a file at a path means something. It does not if the
// primary directory is missing, or a broken link has appeared above the path.
func (w *world) isKnown(relPath string) bool {
	top, _, _ := strings.Cut(relPath, "/")
	for dir := path.Dir(relPath); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(w.path(dir)); err != nil || info.Mode().Type() != fs.ModeSymlink || dir == linkedPlace {
			continue
		}
		if _, err := os.Stat(w.path(dir)); err != nil {
			return false
		}
	}
	if top != "memory" { // its entry is known as long as its contents
		top = "."
	}
	return w.isThere(top)
}

// see examines one file and returns its name and content, if they are new. clock is the time of the
// scan; at is the time that counts as now.
func (r *rules) see(relPath string, d diskFile, clock, at span, left departures) (name string, c candidate, carries bool) {
	f := r.files[relPath]
	isNew := f == nil
	if isNew {
		f = &knownFile{}
		r.files[relPath] = f
	}
	before := *f
	f.text, f.bad, f.there = d.text, d.bad, true
	parsed := frontmatter.Parse([]byte(d.text), stemOf(relPath))
	if d.bad || parsed.Unreadable {
		f.bad = true
		if !before.there {
			f.carries = ""
		}
		f.blocked, f.broken, f.vague = false, false, false
		return "", c, false
	}
	if r.isUnfinished(relPath, before, d.text) {
		f.broken, f.vague = true, before.vague || before.bad
		return "", c, false
	}
	f.flaws, f.broken, f.vague = flawsOf(d.text), false, false
	f.carries, f.content = keyAt(relPath, parsed.Name), parsed.Fingerprint([]byte(d.text))
	if left.note(relPath, before, f.carries) {
		m := r.names[before.carries]
		if m != nil && m.content == before.content && !before.bad && !before.broken && strings.HasPrefix(d.text, before.text) {
			left.outgrown[before.carries] = true
		}
	}
	same := !isNew && !before.bad && before.text == d.text
	isNow := !isNew && !same
	if isNew {
		// A future time counts as now.
		f.new, isNow = span{d.modTime, d.modTime}, clock.to.Before(d.modTime)
	}
	if isNow && before.broken && !before.vague && f.content == before.content {
		isNow = false // the former content is back
	}
	if isNow {
		f.new = at
	}
	f.blocked = r.buried[f.carries][f.content]
	if f.blocked || same && before.there && !before.blocked {
		return "", c, false
	}
	isBack := primaryDir(relPath) && !before.there
	return f.carries, candidate{relPath, f.content, f.new, same && !isBack, isNow}, true
}

// flaws are the reasons why a file is unfinished.
type flaws struct{ empty, unclosed, nameless, conflict bool }

var (
	closedFront = regexp.MustCompile(`(?s)\A\x{feff}?---\r?\n(.*?\n)?---\r?(\n|\z)`)
	openedFront = regexp.MustCompile(`\A\x{feff}?---\r?(\n|\z)`)
	statedName  = regexp.MustCompile(`(?m)^name: *("[^"]|[^\s#"])`)
	mergeMarks  = regexp.MustCompile(`(?s)<<<<<<< .*=======\r?\n.*>>>>>>> `)
)

func flawsOf(text string) flaws {
	front := closedFront.FindString(text)
	return flaws{
		empty: strings.Trim(text, "\ufeff \r\n\x00") == "", unclosed: front == "" && openedFront.MatchString(text),
		nameless: !statedName.MatchString(front), conflict: mergeMarks.MatchString(text),
	}
}

// isWorse reports whether a file has a flaw that it had not before. Nothing is worse than an empty
// file.
func (f flaws) isWorse(before flaws) bool {
	return !before.empty && (f.empty || f.unclosed && !before.unclosed || f.nameless && !before.nameless || f.conflict && !before.conflict)
}

// isUnfinished reports whether a primary file that carried a memory has got a flaw which means that
// it is yet to be finished.
func (r *rules) isUnfinished(relPath string, before knownFile, text string) bool {
	m := r.names[before.carries]
	isThere := before.there || before.broken // it may be back with the directory
	return primaryDir(relPath) && isThere && !before.blocked && m != nil && m.lives && !m.missing && flawsOf(text).isWorse(before.flaws)
}

// decide chooses the content of a name among the candidates, and records it.
func (r *rules) decide(w *world, name string, candidates []candidate, left departures) {
	m := r.names[name]
	if m == nil {
		m = &knownMemory{said: map[memories.Fingerprint]bool{}}
		r.names[name] = m
	}
	isNoRival := func(c candidate) bool { return m.lives && c.seen || r.isCopy(c.place) }
	rivals := slices.DeleteFunc(slices.Clone(candidates), isNoRival)
	if m.lives {
		rivals = append(rivals, candidate{content: m.content, new: m.new})
	} else if len(rivals) == 0 {
		rivals = candidates // copies of an unreadable file
	}
	for _, c := range candidates {
		m.said[c.content] = true
	}
	holds, ok := w.find(name)
	if !ok {
		w.t.Fatalf("%q does not live, and a file has just said it", name)
	}
	var now *span
	for _, c := range r.outcomes(name, m, rivals, left) {
		if c.content == holds.Fingerprint {
			now = widest(now, c.new)
		}
	}
	if now == nil {
		w.t.Fatalf("%q is not the newest of what is said of %q: %+v", holds.Body, name, rivals)
	}
	m.lives, m.missing = true, false
	m.content, m.new = holds.Fingerprint, *now
}

// outcomes are the contents that may hold: the newest of the rivals, or, where that leaves a memory
// without the primary file that it is from, the newest of its primary files.
func (r *rules) outcomes(name string, m *knownMemory, rivals []candidate, left departures) (may []candidate) {
	for _, c := range newest(rivals) {
		// Where another file says the same, the one that said it first stays the source.
		kept := m.lives && c.content == m.content
		loses := (!kept && primaryDir(c.place) || kept && m.primary) && r.losesSource(name, c.content, true, left)
		isOfSession := func(o candidate) bool { return o.content == c.content && o.place != "" && !primaryDir(o.place) }
		if !loses || slices.ContainsFunc(rivals, isOfSession) {
			may = append(may, c)
		}
		if loses {
			may = append(may, newest(r.primaries(name))...)
		}
	}
	return may
}

// newest returns the candidates that are not certainly older than another one.
func newest(rivals []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(rivals), func(c candidate) bool { return slices.ContainsFunc(rivals, c.surelyBefore) })
}

// losesSource reports whether a primary file has left which said the content, or none says it that
// is no copy, while others carry the name.
func (r *rules) losesSource(name string, content memories.Fingerprint, primary bool, left departures) bool {
	others := r.primaries(name)
	if !primary || r.away || len(others) == 0 {
		return false
	}
	says := func(c candidate) bool { return c.content == content }
	return left.contents[name][content] || !slices.ContainsFunc(others, says) && !r.mayBeSaid(name)
}

// primaries are what the primary files say that carry a name and are no copies.
func (r *rules) primaries(name string) (all []candidate) {
	for relPath, f := range r.files {
		if f.there && !f.bad && !f.vague && !f.blocked && f.carries == name && primaryDir(relPath) && !r.isCopy(relPath) {
			all = append(all, candidate{place: relPath, content: f.content, new: f.new})
		}
	}
	return all
}

// mayBeSaid reports whether a primary file with the name has an unknown content, because it is
// unreadable or was so before it was broken.
func (r *rules) mayBeSaid(name string) bool {
	for relPath, f := range r.files {
		if f.there && (f.bad || f.vague) && f.carries == name && primaryDir(relPath) {
			return true
		}
	}
	return false
}

// isCopy reports whether the file at a place is a copy of another one of the same name.
func (r *rules) isCopy(relPath string) bool {
	f := r.files[relPath]
	if f == nil {
		return false
	}
	isOriginal := func(other string) bool {
		o := r.files[other]
		return o != nil && o.there && !o.blocked && o.carries == f.carries && primaryDir(other)
	}
	isBackup := func(p string) bool { return within(p, path.Dir(sureCopy)) }
	switch {
	case relPath == possibleCopy:
		return isOriginal("memory/a.md")
	case isBackup(relPath):
		return slices.ContainsFunc(slices.Collect(maps.Keys(r.files)), func(other string) bool { return !isBackup(other) && isOriginal(other) })
	}
	return false
}

func widest(a *span, b span) *span {
	if a == nil {
		return &b
	}
	if a.from.Before(b.from) {
		b.from = a.from
	}
	if a.to.After(b.to) {
		b.to = a.to
	}
	return &b
}

func (r *rules) isCarried(name string) bool {
	for _, f := range r.files {
		if f.there && !f.blocked && f.carries == name {
			return true
		}
	}
	return false
}

// isCarriedAtOnce reports whether a file has the name that the engine takes by the first scan of a
// look. It takes a new file without a byte by a later one. found are the files that say something new.
func (r *rules) isCarriedAtOnce(name string, found []candidate) bool {
	for relPath, f := range r.files {
		isLater := f.text == "" && slices.ContainsFunc(found, func(c candidate) bool { return c.place == relPath && !c.seen })
		if f.there && !f.blocked && f.carries == name && !isLater {
			return true
		}
	}
	return false
}

// compare holds the names that live, and all that they have ever said, against the rules.
func (r *rules) compare(w *world) {
	alive := map[string]memories.Memory{}
	for _, m := range w.memories("") {
		if m.Readable {
			alive[keyOf(m)] = m
			if known := r.names[keyOf(m)]; known == nil || !known.lives {
				w.t.Fatalf("%q lives with %q, and should not", m.Name, m.Body)
			}
		}
	}
	dead := map[string]memories.Memory{}
	for _, m := range w.memories(memories.Deleted) {
		if m.Readable {
			dead[keyOf(m)] = m
		}
	}
	for name, known := range r.names {
		m, lives := alive[name]
		if known.lives && !lives {
			w.t.Fatalf("%q should live, and does not", name)
		}
		if !known.lives {
			m = dead[name]
		} else if m.Fingerprint != known.content {
			w.t.Fatalf("%q has become %q without a reason", name, m.Body)
		}
		if lives {
			known.primary = m.Session == ""
			r.isFromAFile(w, name, m)
			r.isFlagged(w, name, m)
		}
		if lives && (m.State == memories.Missing) != known.missing {
			w.t.Fatalf("%q is %s, and missing should be: %t", name, m.State, known.missing)
		}
		if known.checked == len(known.said) {
			continue
		}
		known.checked = len(known.said)
		revisions := w.revisions(m)
		for content := range known.said {
			if !revisions[content] {
				w.t.Fatalf("something that %q once said is in none of its %d revisions", name, len(revisions))
			}
		}
	}
}

// isFromAFile checks that a memory from a primary file has the content of a primary file, as long
// as one has its name.
func (r *rules) isFromAFile(w *world, name string, m memories.Memory) {
	files := r.primaries(name)
	says := func(c candidate) bool { return c.content == m.Fingerprint }
	if m.Session == "" && !r.away && len(files) > 0 && !r.mayBeSaid(name) && !slices.ContainsFunc(files, says) {
		w.t.Fatalf("%q is %q, which none of its primary files says: %+v", name, m.Body, files)
	}
}

// isFlagged checks that a memory says so exactly when a file of it is unfinished, and when a
// directory has several of its files.
func (r *rules) isFlagged(w *world, name string, m memories.Memory) {
	broken, repeated, dirs := false, false, map[string]bool{}
	for relPath, f := range r.files {
		if !f.there || f.carries != name {
			continue
		}
		broken = broken || f.broken
		if dir := path.Dir(relPath); !f.bad && !f.blocked {
			repeated, dirs[dir] = repeated || dirs[dir], true
		}
	}
	has := func(code string) bool {
		return slices.ContainsFunc(m.Problems, func(p memories.Problem) bool { return p.Code == code })
	}
	if flagged := has(memories.CodeLastGood); flagged != broken {
		w.t.Fatalf("%q is flagged for an unfinished file: %t, and should be: %t", name, flagged, broken)
	}
	if flagged := has(memories.CodeDuplicateName); flagged != repeated {
		w.t.Fatalf("%q is flagged for several files in a directory: %t, and should be: %t", name, flagged, repeated)
	}
}

// carriers are the places of the files that a deletion of the memory has to remove.
func (r *rules) carriers(m memories.Memory) []string {
	if r == nil || m.State == memories.Deleted {
		return nil
	}
	var paths []string
	for relPath, f := range r.files {
		readable := m.Readable && !f.bad && !f.blocked && f.carries == keyOf(m)
		if f.there && (readable || !m.Readable && relPath == m.Path) {
			paths = append(paths, relPath)
		}
	}
	return paths
}

// deleted records a deletion: the files are gone, the memory is in the trash, and none of its
// contents returns without permission. A memory that had an unreadable file loses it.
func (r *rules) deleted(w *world, m memories.Memory, files []string, purged bool, at span) {
	if !m.Readable && m.State != memories.Deleted {
		r.buried.add(keyOf(m), m.Fingerprint)
		r.look(w, m.Path, at)
		return
	}
	for _, relPath := range files {
		r.files[relPath].there = false
		if d, there := w.disk()[relPath]; there && !d.bad {
			w.t.Fatalf("%q was deleted and %s is still there", m.Name, relPath)
		}
	}
	known := r.names[keyOf(m)]
	if m.Readable {
		known.lives, known.missing = false, false
		known.left = map[memories.Fingerprint]bool{}
		for content := range known.said {
			if !r.buried[keyOf(m)][content] {
				known.left[content] = true
			}
			r.buried.add(keyOf(m), content)
		}
		if purged {
			delete(r.names, keyOf(m))
			for _, f := range r.files {
				f.nobodys = f.nobodys || f.blocked && f.carries == keyOf(m)
			}
		}
	} else {
		r.buried.add(keyOf(m), m.Fingerprint)
	}
}

// restored records a restore: the name has its last content again, in a primary file, and the
// contents of the deletion are no longer blocked. If something was at the path, it was scanned
// first; it may be another memory, or still blocked.
func (r *rules) restored(w *world, was, is memories.Memory, lay bool, at span) {
	if !was.Readable {
		r.unbury(keyOf(was), was.Fingerprint)
		r.look(w, was.Path, at)
		return
	}
	clock := at
	at = r.now(at)
	known := r.names[keyOf(was)]
	known.lives, known.missing, known.content, known.new = true, false, was.Fingerprint, span{time.Time{}, at.to}
	if lay {
		r.look(w, was.Path, clock)
	}
	r.unbury(keyOf(was), was.Fingerprint)
	if was.State == memories.Deleted {
		for content := range known.left {
			r.unbury(keyOf(was), content)
		}
	}
	r.writtenBy(w, is, at)
	if is.Fingerprint != was.Fingerprint {
		w.t.Fatalf("%q said %q and was restored with %q", was.Name, was.Body, is.Body)
	}
}

// saved records a save: the name has the saved content, independently of its state before.
func (r *rules) saved(w *world, m memories.Memory, content memories.Fingerprint, at span) {
	at = r.now(at)
	r.unbury(keyOf(m), content)
	known := r.names[keyOf(m)]
	if known == nil {
		known = &knownMemory{said: map[memories.Fingerprint]bool{}}
		r.names[keyOf(m)] = known
	}
	if known.lives && known.content == content {
		at = *widest(&known.new, at) // the same once more may be news, or not
	}
	known.lives, known.missing, known.content, known.new = true, false, content, at
	known.said[content] = true
	r.writtenBy(w, m, at)
}

// unbury deletes the tombstone of a content under a key.
func (r *rules) unbury(key string, content memories.Fingerprint) {
	delete(r.buried[key], content)
	delete(r.renames[key], content)
}

// renamed: the memory has the new key, all that it said before, and all that a deleted memory of
// that key said. Nothing of the old key lives, or is in the trash. What the memory said does not
// come back under its old key, unless the memory gets that key back.
func (r *rules) renamed(w *world, was, is memories.Memory, gone []string, at span) {
	from, to := keyOf(was), keyOf(is)
	at = r.now(at)
	for _, relPath := range gone {
		r.files[relPath].there = false
		if d, there := w.disk()[relPath]; there && !d.bad {
			w.t.Fatalf("%q was renamed to %q and %s is still there", from, to, relPath)
		}
	}
	known := r.names[from]
	if is.ID != was.ID {
		w.t.Fatalf("%q was renamed to %q, which is another memory", from, to)
	}
	for content, id := range r.renames[to] {
		if id == was.ID {
			r.unbury(to, content)
		}
	}
	for content := range known.said {
		if !r.buried[from][content] {
			r.buried.add(from, content)
			if r.renames[from] == nil {
				r.renames[from] = map[memories.Fingerprint]string{}
			}
			r.renames[from][content] = was.ID
		}
	}
	r.unbury(to, is.Fingerprint)
	if deleted := r.names[to]; deleted != nil {
		maps.Copy(known.said, deleted.said)
	}
	known.said[is.Fingerprint] = true
	known.lives, known.missing, known.content, known.new, known.left, known.checked = true, false, is.Fingerprint, at, nil, 0
	known.primary = true
	delete(r.names, from)
	r.names[to] = known
	for _, f := range r.files {
		if f.carries == from {
			f.nobodys = f.nobodys || f.blocked
			if f.bad {
				f.carries = ""
			}
		}
	}
	r.writtenBy(w, is, at)
}

// allowed records that the content of a blocked file was accepted for its name. A copy of another
// file still does not change a living memory.
func (r *rules) allowed(w *world, b memories.Blocked, content memories.Fingerprint, at span) {
	at = r.now(at)
	key := keyAt(b.Path, b.Name)
	r.unbury(key, content)
	known := r.names[key]
	if known == nil {
		known = &knownMemory{said: map[memories.Fingerprint]bool{}}
		r.names[key] = known
	}
	if !known.lives || !r.isCopy(b.Path) {
		known.lives, known.missing, known.content, known.new = true, false, content, at
	}
	known.said[content] = true
	f := r.files[b.Path]
	f.blocked, f.content, f.new = false, content, at
	f.flaws, f.broken, f.vague = flawsOf(f.text), false, false
}

// writtenBy records the primary file that an operation has written and scanned. It may be at the
// path of another memory's file whose removal was not scanned.
func (r *rules) writtenBy(w *world, m memories.Memory, at span) {
	r.noteAway(w, false) // the operation has scanned its file
	left := r.newDepartures()
	for _, carrier := range m.Files {
		d, there := w.disk()[carrier.Path]
		known := r.files[carrier.Path]
		if !there || known != nil && known.there && known.text == d.text && !known.blocked {
			continue
		}
		if hashOf(d.text) != carrier.Hash {
			continue // the agent has written since, which the operation did not look at
		}
		f := frontmatter.Parse([]byte(d.text), stemOf(carrier.Path))
		key := keyAt(carrier.Path, f.Name)
		if known != nil {
			left.note(carrier.Path, *known, key)
		}
		r.files[carrier.Path] = &knownFile{
			text: d.text, there: true, carries: key, content: f.Fingerprint([]byte(d.text)), new: at, flaws: flawsOf(d.text),
		}
	}
	r.remove(left, r.durableNames())
}
