package scan

import (
	"time"

	"memoir/internal/agents"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// A primary file that carried a memory and now has a flaw that it had not (memories.Flaw) does not change the memory: somebody is
// writing it, or something went wrong. Its last good content counts on, until the file is good again, a person takes it as it is, or it
// is removed.

// writerPause is how long a writer may pause in the middle of a file that it has begun again. Programs that stream a model's answer into
// a file pause for up to two seconds.
const WriterPause = 2500 * time.Millisecond

// deferUnfinished reports whether a file that was unfinished reads as a memory only because its writer has got that far. It is then left to
// the writer and read again: half of a text must not take the place of a whole one.
func (s *Scanner) deferUnfinished(tx *agenttx.Tx, r Request, entry *agents.Entry, file reconcile.ScannedFile) bool {
	if file.Saved || file.Flaws != 0 || file.File.Unreadable || file.Known == nil || file.Known.Unfinished == 0 || file.IsFinished() || !file.IsExtension {
		return false
	}
	wait := s.WriterPause - time.Since(time.Unix(0, entry.ModTime)).Abs()
	if wait <= 0 {
		return false
	}
	if r.Wait != nil {
		r.Wait.add(tx.State, entry.Path, wait)
	}
	tx.RescanNoSooner(entry.Path, wait)
	return true
}
