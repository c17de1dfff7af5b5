package sync

import (
	"errors"
	"fmt"
	"os"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

// errTooLarge says that a file is over what the caller takes.
var errTooLarge = errors.New("the file is too large")

// readProblem says in plain words why a file could not be read.
func readProblem(err error) *memories.Problem {
	code := memories.CodeUnreadable
	switch {
	case errors.Is(err, files.ErrLeaves):
		code = memories.CodeLinkLeaves
	case errors.Is(err, files.ErrNotRegular):
		code = memories.CodeNotRegular
	}
	problem := memories.ProblemOf(code)
	return &problem
}

// readAll returns the bytes of a file of at most max bytes, or errTooLarge.
func readAll(root *os.Root, path string, max int64) ([]byte, error) {
	raw, err := agents.ReadFile(root, path, max)
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > max {
		return nil, fmt.Errorf("%s: %w", path, errTooLarge)
	}
	return raw, nil
}

// lateTimes is how much later than its size a file may show that it was emptied by its times.
const lateTimes = 100 * time.Millisecond

// awaitBytes gives a file that was read empty the time in which somebody who has opened it to write, and emptied it by that,
// gets further, and says whether it has bytes now. Who wrote it anew at once would write over what comes next. One that has been
// empty for longer, by its times, nobody has just emptied.
func awaitBytes(root *os.Root, path string) bool {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		info, err := files.Stat(root, path)
		if err != nil || info.Size() > 0 {
			return err == nil
		}
		waited := time.Since(began)
		if waited >= beingWritten || waited >= lateTimes && time.Since(info.ModTime()).Abs() >= beingWritten {
			return false
		}
	}
}
