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
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil
}
