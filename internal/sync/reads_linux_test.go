package sync_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"syscall"
	"testing"

	"memoir/internal/memories"
)

// opening returns a function that says which files of the directory have been opened since it was
// last asked.
func (b *bench) opening(dir string) (opened func() []string) {
	b.Helper()
	events, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { syscall.Close(events) }) //nolint:errcheck // only read
	if _, err := syscall.InotifyAddWatch(events, b.path(dir), syscall.IN_OPEN); err != nil {
		b.Fatal(err)
	}
	return func() []string {
		names := map[string]bool{}
		buffer := make([]byte, 1<<16)
		for {
			n, err := syscall.Read(events, buffer)
			if errors.Is(err, syscall.EAGAIN) {
				return slices.Sorted(maps.Keys(names))
			}
			if err != nil {
				b.Fatal(err)
			}
			for rest := buffer[:n]; len(rest) > 0; {
				mask, length := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
				name := rest[syscall.SizeofInotifyEvent : syscall.SizeofInotifyEvent+length]
				rest = rest[syscall.SizeofInotifyEvent+length:]
				if mask&syscall.IN_ISDIR == 0 {
					names[string(bytes.TrimRight(name, "\x00"))] = true
				}
			}
		}
	}
}

func TestScan_ReadsChangedFilesOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, manyNotes(t))
	b.scanAll()
	b.stopWatching()
	b.trustTimeStamps("ada")
	opened := b.opening("ada/memory")
	b.restart()
	b.scanAll()
	if read := opened(); len(read) > 0 {
		t.Errorf("with nothing changed, %d files were read, %s among them", len(read), read[0])
	}

	b.write("ada/memory/note-7.md", note("Note 7", memories.Project, "It opens at five."))
	b.write("ada/memory/new.md", note("New", memories.Project, "Not there before."))
	b.remove("ada/memory/note-8.md")
	b.rename("ada/memory/note-9.md", "ada/memory/moved.md")
	opened() // what the test itself has opened
	b.restart()
	b.hasBody("ada", "Note 7", "It opens at five.")
	b.hasBody("ada", "New", "Not there before.")
	b.isIn("ada", "Note 8", memories.Deleted)
	if read := opened(); !slices.Equal(read, []string{"moved.md", "new.md", "note-7.md"}) {
		t.Errorf("%d files were read, and three may be otherwise: %q", len(read), read[:min(5, len(read))])
	}

	b.trustTimeStamps("ada")
	b.write("ada/memory/note-8.md", note("Note 8", memories.Project, "Back, in a place that was known before."))
	opened()
	b.scan("ada")
	b.hasBody("ada", "Note 8", "Back, in a place that was known before.")
	if read := opened(); !slices.Equal(read, []string{"note-8.md"}) {
		t.Errorf("%d files were read, and one has come back: %q", len(read), read[:min(5, len(read))])
	}
}
