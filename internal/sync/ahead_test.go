package sync_test

import (
	"fmt"
	"testing"
	"time"

	"memoir/internal/memories"
)

// withLongDebounce is an agent at which nothing is looked at for an hour, unless it is looked at ahead.
func withLongDebounce(t *testing.T) *bench {
	b := withAda(t)
	b.stop()
	b.options.Debounce = time.Hour
	b.start()
	return b
}

func (b *bench) writeMany(dir string, from, to int) {
	b.Helper()
	for i := from; i < to; i++ {
		b.write(fmt.Sprintf("%s/%d.md", dir, i), note(fmt.Sprint("Note ", i), memories.User, "one"))
	}
}

func (b *bench) total() int { return b.agent("ada").Counts.Total }

func TestThousandsOfNewFilesAreTakenInWhileTheyAreStillWritten(t *testing.T) {
	t.Parallel()
	b := withLongDebounce(t)
	b.writeMany("ada/memory", 0, 1500)
	b.until("most of the first thousand", func() bool { return b.total() >= 500 })
	b.scan("ada")
	if n := b.total(); n != 1500 {
		t.Errorf("%d of 1,500 files are there", n)
	}
}

func TestManyNewSessionsAreTakenInWhileTheyAreStillWritten(t *testing.T) {
	t.Parallel()
	b := withLongDebounce(t)
	b.write("ada/sessions/U-C-1712345678.0001/memory/a.md", note("First", memories.User, "one"))
	b.scan("ada")
	for i := range 40 {
		b.writeMany(fmt.Sprintf("ada/sessions/U%d-C-1712345678.0001/memory", i), 10*i, 10*i+10)
	}
	b.until("many of them", func() bool { return b.total() > 100 })
	b.scan("ada")
	if n := b.total(); n != 401 {
		t.Errorf("%d of 401 files are there", n)
	}
}

func TestALookAheadLeavesWhatIsKnownToTheLookAtAllOfIt(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeMany("ada/memory", 0, 20)
	b.scan("ada")
	b.stop()
	b.options.Debounce = time.Hour
	b.start()
	// Each of the twenty is replaced by a file of another name, among many that are new.
	for i := range 20 {
		b.write("ada/other", note(fmt.Sprint("Other ", i), memories.User, "one"))
		b.rename("ada/other", fmt.Sprintf("ada/memory/%d.md", i))
	}
	b.writeMany("ada/memory", 1000, 2500)
	b.until("many that are new", func() bool { return b.total() >= 520 })
	if b.hasNamed("ada", "Other 0") {
		t.Error("a file that carried a memory was looked at ahead of the others")
	}
	b.scan("ada")
	// All of what was there before is gone from the directory, which the look at all of it holds as missing.
	if missing := len(b.list("ada", memories.Missing)); !b.hasNamed("ada", "Other 0") || b.total() != 1540 || missing != 20 {
		t.Errorf("%d memories in the end, %d of them missing", b.total(), missing)
	}
}

func TestWhatIsTakenInAheadDoesNotMakeFewerOfWhatIsGone(t *testing.T) {
	t.Parallel()
	for _, ahead := range []int{1 << 30, 100} {
		t.Run(fmt.Sprint("ahead of ", ahead), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.writeMany("ada/memory", 0, 20)
			b.scanAll()
			b.stop()
			b.options.Debounce, b.options.Ahead = time.Hour, ahead
			b.start()
			for i := range 15 {
				b.remove(fmt.Sprintf("ada/memory/%d.md", i))
			}
			b.writeMany("ada/memory", 1000, 1150)
			if ahead < 1000 {
				b.until("many that are new", func() bool { return b.total() > 70 })
			}
			b.scan("ada")
			if missing, deleted := len(b.list("ada", memories.Missing)), len(b.list("ada", memories.Deleted)); missing != 15 {
				t.Errorf("of 15 of 20 that went in one look %d are missing and %d in the trash", missing, deleted)
			}
		})
	}
}
