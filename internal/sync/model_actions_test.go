package sync_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// actions are all that can happen to an agent, except for looks.
func (w *world) actions() map[string]func(*rapid.T) {
	onDisk := map[string]func(){
		"write a file":        func() { w.writeSome(false) },
		"save a file":         func() { w.writeSome(true) },
		"write it once more":  w.writeAgain,
		"truncate a file":     w.truncate,
		"hold up a writer":    w.holdUp,
		"rename a file":       w.rename,
		"remove a file":       w.removeFile,
		"obstruct a file":     w.obstructSome,
		"make a directory":    w.makeDirectory,
		"move a directory":    w.moveAway,
		"bring one back":      w.bringBack,
		"end a session":       w.endSession,
		"check out a branch":  w.checkOut,
		"copy a file":         w.copyFile,
		"change permissions":  w.changeMode,
		"write many":          w.flood,
		"remove many":         w.ebb,
		"link":                w.linkSome,
		"link a directory":    w.linkDirectory,
		"write behind a link": w.writeBehindLink,
		"close a directory":   w.closeOff,
		"write an index":      w.writeIndex,
		"edit CLAUDE.md":      w.editClaudeMD,
	}
	asked := map[string]func(){
		"restart":              w.restart,
		"delete a memory":      func() { w.delete(false) },
		"purge a memory":       func() { w.delete(true) },
		"restore a memory":     w.restore,
		"save a memory":        w.save,
		"change a memory":      w.patch,
		"rename a memory":      w.renameMemory,
		"move a memory":        w.moveMemory,
		"copy a memory":        w.copyMemory,
		"allow what came back": w.allow,
	}
	drawn := map[string]func(*rapid.T){}
	for name, act := range onDisk {
		drawn[name] = w.action(func() {
			w.payIndexes()
			w.withRoom(act)
		})
	}
	for name, act := range asked {
		drawn[name] = w.action(func() { w.keepsModes(act) })
	}
	return drawn
}

func (w *world) action(act func()) func(*rapid.T) {
	return func(t *rapid.T) {
		w.t = t
		act()
		for _, differs := range w.ofIndexes() { // agrees decides later; the log shows the action that began it
			w.t.Log(differs)
		}
		w.noteLinked()
		if w.rules != nil {
			w.rules.compare(w)
		}
	}
}

func (w *world) place() string { return rapid.SampledFrom(modelPlaces).Draw(w.t, "place") }

func (w *world) writeSome(atomically bool) {
	relPath := w.place()
	text := w.drawFile(relPath)
	w.write(relPath, text, atomically, rapid.SampledFrom(modelAges).Draw(w.t, "age"))
}

// writeAgain writes what another file says, or the very same.
func (w *world) writeAgain() {
	f, there := w.readDisk(w.path(w.place()))
	if !there || f.bad {
		return
	}
	relPath := w.place()
	w.noteSaid(relPath, f.text)
	w.write(relPath, f.text, rapid.Bool().Draw(w.t, "atomically"), rapid.SampledFrom(modelAges).Draw(w.t, "age"))
}

// truncate empties a file; its writer goes on, or does not.
func (w *world) truncate() {
	relPath := w.place()
	if f, there := w.readDisk(w.path(relPath)); !there || f.bad {
		return
	}
	rest := ""
	if rapid.Bool().Draw(w.t, "goes on") {
		rest = w.drawText()
	}
	w.noteSaid(relPath, rest)
	w.noteSaid(relPath, "")
	w.letWrite(w.path(relPath))
	w.must(os.Truncate(w.path(relPath), 0))
	w.noteLinked()
	if rest != "" {
		w.put(w.path(relPath), rest)
	} else if w.rules == nil || rapid.Bool().Draw(w.t, "long ago") {
		// An empty file with an old time counts as final.
		old := time.Now().Add(-time.Minute)
		w.must(os.Chtimes(w.path(relPath), old, old))
	}
}

// holdUp creates a file, or its beginning, and writes the rest after a scan.
func (w *world) holdUp() {
	relPath := w.place()
	text := w.drawFile(relPath)
	beginning := text[:rapid.IntRange(0, min(len(text), 40)).Draw(w.t, "written")]
	w.noteSaid(relPath, beginning)
	w.write(relPath, beginning, false, 0)
	w.noteLinked()
	if w.rules != nil {
		w.scan()
	}
	w.write(relPath, text, false, 0)
}

func (w *world) rename() {
	from, to := w.place(), w.place()
	f, there := w.readDisk(w.path(from))
	if !there || from == to {
		return
	}
	w.mkdirAll(filepath.Dir(w.path(to)))
	if w.isThere(from) {
		w.removeAll(w.path(to)) // a directory takes the place of no file
	}
	w.clear(w.path(to))
	w.noteSaid(to, f.text)
	w.must(os.Rename(w.path(from), w.path(to)))
	for relPath, inside := range w.disk() { // its files may be team memory at the new path
		if strings.HasPrefix(relPath, to+"/") {
			w.noteSaid(relPath, inside.text)
		}
	}
}

func (w *world) removeFile() { w.removeAll(w.path(w.place())) }

func (w *world) obstructSome() {
	how := rapid.SampledFrom([]string{"a link that leaves", "a link to another file", "a pipe", "a directory"}).Draw(w.t, "how")
	w.obstruct(w.place(), how)
}

func (w *world) makeDirectory() {
	dir := "memory/" + rapid.SampledFrom([]string{"new", "sub", "logs"}).Draw(w.t, "directory")
	relPath := dir + "/" + rapid.SampledFrom([]string{"x.md", "y.md"}).Draw(w.t, "file")
	text := w.drawFile(relPath)
	w.write(relPath, text, false, 0)
}

// moveAway renames a directory to a place that is not scanned. Another one may take its place
// later.
func (w *world) moveAway() {
	dir := rapid.SampledFrom(modelDirectories).Draw(w.t, "directory")
	if _, away := w.aside[dir]; !away && w.isThere(dir) {
		w.moveAside(dir)
	}
}

func (w *world) moveAside(dir string) {
	to := filepath.Join(w.b.dir, ".aside-"+w.slug+"-"+strings.ReplaceAll(dir, "/", "-"))
	w.must(os.Rename(w.path(dir), to))
	w.aside[dir] = to
	w.moved(w.path(dir), to)
}

func (w *world) bringBack() {
	for _, dir := range modelDirectories {
		from, away := w.aside[dir]
		if !away || !rapid.Bool().Draw(w.t, "bring back "+dir) {
			continue
		}
		w.mkdirAll(filepath.Dir(w.path(dir)))
		w.removeAll(w.path(dir))
		w.must(os.Rename(from, w.path(dir)))
		w.moved(from, w.path(dir))
		delete(w.aside, dir)
	}
}

func (w *world) endSession() {
	w.removeAll(w.path("sessions/" + rapid.SampledFrom([]string{sessionA, sessionB, sessionC}).Draw(w.t, "session")))
}

// timePasses makes the scanned files old.
func (w *world) timePasses() {
	w.scan()
	w.b.trustTimeStamps(w.slug)
	w.scan()
}

// trustTimeStamps makes the engine rely on the time stamps of the scanned files, as it does after
// two seconds.
func (b *bench) trustTimeStamps(slug string) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, b.url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is left to be written
	var agent records.Agent
	if agent, err = b.store.Agent(ctx, slug); err != nil {
		b.Fatal(err)
	}
	root, err := os.OpenRoot(agent.Dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // only read through
	onDisk := agents.Agent{Slug: agent.Slug, Layout: agents.Layout(agent.Layout), Dir: agent.Dir}
	for _, entry := range agents.Walk(root, onDisk, []string{"."}, func(string) {}).Files {
		const sign = `UPDATE files SET signature = $1
			WHERE agent_id = $2 AND path = $3 AND mtime_ns = $4 AND size = $5 AND present AND status IN ('mirrored', 'unreadable')`
		if _, err := conn.Exec(ctx, sign, entry.Signature(), agent.ID, entry.Path, entry.ModTime, entry.Size); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(10 * time.Millisecond) // for other time stamps: the clock has ticks of 10 ms
}

// delete ends a memory as a person does who has just seen it.
func (w *world) delete(purge bool) {
	state := memories.State("")
	if purge && rapid.Bool().Draw(w.t, "from the trash") {
		state = memories.Deleted
	}
	m, ok := w.oneOf(state)
	if !ok || w.linesAreUnknown(m) {
		return
	}
	said := w.revisions(m)
	refused := w.mustRefuse(m)
	gone, listed := w.rules.carriers(m), w.filesOf(m)
	odd := slices.ContainsFunc(gone, w.isNoFile)
	before := time.Now()
	var err error
	if purge {
		_, err = w.asked().Purge(context.Background(), w.slug, m.ID, "")
	} else {
		_, err = w.asked().Delete(context.Background(), w.slug, m.ID, engine.ETag(m))
	}
	if err != nil {
		w.isRefusal(err, refused || odd)
		return
	}
	if w.rules != nil && refused && !odd {
		w.t.Fatalf("%q was deleted although a file of it had changed", m.Name)
	}
	if m.Readable { // the content of an unreadable one is unknown
		for f := range said {
			w.ended.add(keyOf(m), f)
		}
	}
	w.expectIndexesWithout(listed)
	if w.rules != nil {
		w.rules.deleted(w, m, gone, purge, span{before, time.Now()})
	}
}

// isRefusal accepts an error that says that nothing has happened. Where the engine looks by itself,
// it may always have to say so.
func (w *world) isRefusal(err error, expected bool) {
	var conflict *memories.ConflictError
	refusal := errors.As(err, &conflict) || w.rules == nil && (errors.Is(err, memories.ErrChanged) || errors.Is(err, memories.ErrNotFound))
	if !refusal || w.rules != nil && !expected {
		w.t.Fatalf("unexpected: %v", err)
	}
}

func (w *world) restore() {
	state := memories.Deleted
	if rapid.Bool().Draw(w.t, "missing") {
		state = memories.Missing
	}
	m, ok := w.oneOf(state)
	if !ok || w.isFull() { // the time of its completion is unknown
		return
	}
	before := time.Now()
	_, lay := w.readDisk(w.path(m.Path))
	result, err := w.asked().Restore(context.Background(), w.slug, m.ID, "")
	if err != nil {
		_, lies := w.readDisk(w.path(m.Path))
		w.isRefusal(err, !m.Readable || w.memoryIsAway() || lies)
		if w.rules != nil && lies && !refusedUnseen(err) { // it may be the memory, written again
			paths := m.Path
			if w.takesEmptyFiles() {
				paths = "."
			}
			w.rules.look(w, paths, span{before, time.Now()})
		}
		return
	}
	if m.Readable {
		delete(w.ended, keyOf(m))
	}
	w.expectRelisted(m, result.Memory)
	if w.rules != nil {
		w.rules.restored(w, m, result.Memory, lay, span{before, time.Now()})
	}
}

// refusedUnseen reports whether a restore was refused for a reason that needs no scan.
func refusedUnseen(err error) bool {
	return strings.Contains(err.Error(), "or delete its memories") || strings.Contains(err.Error(), "was never readable")
}

func (w *world) save() {
	draft := engine.Draft{
		Name: rapid.SampledFrom(modelNames).Draw(w.t, "name"), Type: rapid.SampledFrom(modelTypes).Draw(w.t, "type"),
		Body: rapid.SampledFrom(modelBodies).Draw(w.t, "body"), Team: rapid.Bool().Draw(w.t, "for the team"),
	}
	if rapid.Bool().Draw(w.t, "describe") {
		draft.Description = "short"
	}
	w.saved(draft, w.mayRefuseWriting(keyIn(draft.Team, draft.Name)), func() (engine.Result, error) { return w.asked().Save(context.Background(), w.slug, draft) })
}

func (w *world) patch() {
	m, ok := w.oneOf("")
	if !ok {
		return
	}
	body := rapid.SampledFrom(modelBodies).Draw(w.t, "body")
	patch := engine.Patch{Body: &body}
	draft := engine.Draft{Name: m.Name, Team: m.Team, Type: m.Type, Description: m.Description, Body: body}
	if rapid.Bool().Draw(w.t, "with a type") {
		kind := rapid.SampledFrom(modelTypes).Draw(w.t, "type")
		patch.Type, draft.Type = &kind, kind
	}
	w.saved(draft, !m.Readable || w.mayRefuseWriting(keyOf(m)), func() (engine.Result, error) {
		return w.asked().Patch(context.Background(), w.slug, m.ID, engine.ETag(m), patch)
	})
}

// saved calls save, and checks that the memory has the content of the draft after it.
func (w *world) saved(draft engine.Draft, mayRefuse bool, save func() (engine.Result, error)) {
	f := memories.FingerprintOf(draft.Type, draft.Description, draft.Body)
	key := keyIn(draft.Team, draft.Name)
	w.ever.add(key, f)
	earlier, isKnown := w.find(key)
	known := w.memories("")
	before := time.Now()
	result, err := save()
	delete(w.ended[key], f) // also by a save that the disk has no room for
	if err != nil {
		w.isRefusal(err, mayRefuse)
		return
	}
	if !isKnown {
		earlier = result.Memory
	}
	// A save writes another file where the earlier one cannot be read.
	w.expectRelisted(earlier, result.Memory, w.relistedFor(known, result.Memory)...)
	if w.rules == nil {
		return
	}
	if m := result.Memory; m.State == memories.Deleted || m.Name != draft.Name || m.Team != draft.Team || m.Body != draft.Body || m.Type != draft.Type || m.Description != draft.Description {
		w.t.Fatalf("saved %+v and got %+v", draft, m)
	}
	w.rules.saved(w, result.Memory, f, span{before, time.Now()})
}

func (w *world) renameMemory() {
	m, ok := w.oneOf("")
	if !ok {
		return
	}
	to := rapid.SampledFrom(append([]string{"Renamed"}, modelNames...)).Draw(w.t, "to")
	if to == m.Name {
		return
	}
	w.rekey(m, keyIn(m.Team, to), func() (engine.Result, error) {
		return w.asked().Patch(context.Background(), w.slug, m.ID, engine.ETag(m), engine.Patch{Name: &to})
	})
}

// otherScope is where a memory is not.
func otherScope(m memories.Memory) memories.Scope { return memories.ScopeOf(!m.Team) }

func (w *world) moveMemory() {
	if m, ok := w.oneOf(""); ok {
		w.rekey(m, keyIn(!m.Team, m.Name), func() (engine.Result, error) {
			return w.asked().Move(context.Background(), w.slug, m.ID, engine.ETag(m), engine.Destination{Scope: otherScope(m)})
		})
	}
}

func (w *world) copyMemory() {
	m, ok := w.oneOf("")
	if !ok {
		return
	}
	key := keyIn(!m.Team, m.Name)
	_, taken := w.find(key)
	w.ever.add(key, m.Fingerprint)
	before := time.Now()
	result, err := w.asked().Copy(context.Background(), w.slug, m.ID, engine.ETag(m), engine.Destination{Scope: otherScope(m)})
	delete(w.ended[key], m.Fingerprint)
	if err != nil {
		w.isRefusal(err, taken || !m.Readable || w.memoryIsAway())
		return
	}
	w.expectRelisted(result.Memory, result.Memory)
	if w.rules != nil {
		w.rules.saved(w, result.Memory, m.Fingerprint, span{before, time.Now()})
	}
}

// rekey gives a memory another key. It stays the same memory, with its history.
func (w *world) rekey(m memories.Memory, to string, do func() (engine.Result, error)) {
	if w.linesAreUnknown(m) || w.isFull() { // the time of its completion is unknown
		return
	}
	_, taken := w.find(to)
	said := w.revisions(m)
	refused := w.mustRefuse(m) || taken || !m.Readable
	gone, listed := w.rules.carriers(m), w.filesOf(m)
	odd := slices.ContainsFunc(gone, w.isNoFile)
	w.ever.add(to, m.Fingerprint)
	before := time.Now()
	result, err := do()
	if err == nil || w.isFull() { // as of a save that the disk has no room for
		delete(w.ended[to], m.Fingerprint)
	}
	if err != nil {
		w.isRefusal(err, refused || odd || w.memoryIsAway())
		return
	}
	if w.rules != nil && refused && !odd {
		w.t.Fatalf("%q was renamed to %q although it should have been refused", m.Name, to)
	}
	for f := range w.left[m.ID+to] { // its earlier name is back
		delete(w.ended[to], f)
	}
	w.left[m.ID+keyOf(m)] = said
	for f := range said {
		w.ended.add(keyOf(m), f)
	}
	w.expectRelisted(m, result.Memory, listed...)
	if w.rules != nil {
		w.rules.renamed(w, m, result.Memory, gone, span{before, time.Now()})
	}
}

func (w *world) allow() {
	blocked := w.blocked()
	if len(blocked) == 0 {
		return
	}
	one := rapid.SampledFrom(blocked).Draw(w.t, "blocked")
	f, there := w.readDisk(w.path(one.Path))
	refused := !there || f.bad || hashOf(f.text) != one.Hash
	before := time.Now()
	result, err := w.asked().Allow(context.Background(), w.slug, one.ID)
	if err != nil {
		w.isRefusal(err, refused)
		return
	}
	w.expectRelisted(result.Memory, result.Memory)
	content := memories.FingerprintOf(one.Type, one.Description, one.Body)
	delete(w.ended[keyAt(one.Path, one.Name)], content)
	if w.rules != nil && result.Memory.Readable {
		w.rules.allowed(w, one, content, span{before, time.Now()})
	}
}
