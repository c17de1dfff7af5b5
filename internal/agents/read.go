package agents

import (
	"fmt"
	"io"
	"os"

	"memoir/internal/files"
)

// ReadFile returns the content of a memory file, at most limit+1 bytes: a longer result than limit
// means that the file is too large. It follows links that stay inside root, and never waits for a
// pipe. The errors are those of [files.Open].
func ReadFile(root *os.Root, path string, limit int64) ([]byte, error) {
	file, err := files.Open(root, path)
	if err != nil {
		return nil, err
	}
	return readAll(file, path, limit)
}

// ReadAmong is ReadFile for callers that read many files of the same directories.
func ReadAmong(neighbours *files.DirReader, path string, limit int64) ([]byte, error) {
	file, err := neighbours.Open(path)
	if err != nil {
		return nil, err
	}
	return readAll(file, path, limit)
}

func readAll(file *os.File, path string, limit int64) ([]byte, error) {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	// Most files are read with one allocation of their exact size: the contents of many files are
	// kept.
	data := make([]byte, min(info.Size(), limit)+1)
	n, err := io.ReadFull(file, data)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return data[:n], nil
	}
	var grown []byte
	if err == nil {
		grown, err = io.ReadAll(io.LimitReader(file, limit+1-int64(n)))
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return append(data, grown...), nil
}
