package agents

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"memoir/internal/files"
)

// ReadFile returns the content of a memory file, at most limit+1 bytes: a longer result than limit
// means that the file is too large. It follows links that stay inside root, and never waits for a
// pipe. The errors are those of [files.Open] and of reading.
func ReadFile(root *os.Root, path string, limit int64) ([]byte, error) {
	file, err := files.Open(root, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// readRegular returns the first limit bytes of a file outside an agent's directory, with links
// followed. The error is files.ErrNotRegular for a directory or a pipe, for which it does not wait.
// Other errors are from opening and reading the file.
func readRegular(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, files.ErrNotRegular)
	}
	return io.ReadAll(io.LimitReader(file, limit))
}

// ReadEnd returns the last bytes of a file, at most limit. cut reports whether the file has more
// before them. It follows links that stay inside root. The errors are those of [files.Open] and of
// reading.
func ReadEnd(root *os.Root, relPath string, limit int64) (end []byte, cut bool, err error) {
	file, err := files.Open(root, relPath)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, false, err
	}
	if cut = info.Size() > limit; cut {
		if _, err := file.Seek(-limit, io.SeekEnd); err != nil {
			return nil, false, err
		}
	}
	end, err = io.ReadAll(io.LimitReader(file, limit))
	return end, cut, err
}
