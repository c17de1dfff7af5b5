package agents

import (
	"fmt"
	"io"
	"os"

	"memoir/internal/files"
)

// ReadFile returns the bytes of one memory file, at most limit of them and one more: a longer result says that the file
// is over the limit. It follows links that stay inside root, and never waits for a pipe that was put in the file's place. The errors are
// those of [files.Open].
func ReadFile(root *os.Root, path string, limit int64) ([]byte, error) {
	file, err := files.Open(root, path)
	if err != nil {
		return nil, err
	}
	return readAll(file, path, limit)
}

// ReadAmong is ReadFile for whoever reads many files that lie beside each other.
func ReadAmong(neighbours *files.DirReader, path string, limit int64) ([]byte, error) {
	file, err := neighbours.Open(path)
	if err != nil {
		return nil, err
	}
	return readAll(file, path, limit)
}

// readAll reads what was opened, and closes it.
func readAll(file *os.File, path string, limit int64) ([]byte, error) {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	// Room for what there is, and for the read that finds its end: what is kept of many files is no larger than they are.
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
