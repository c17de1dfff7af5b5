package files

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Open opens a regular file for reading. Links are followed as in [Resolve]. It does not block when a pipe has been put in the
// file's place: that is ErrNotRegular, as for a directory.
func Open(root *os.Root, relPath string) (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	file, err := root.OpenFile(relPath, flags, 0)
	if err != nil {
		// What the root refuses by itself, absolute links among it, is told apart by following each link.
		target, err := Resolve(root, relPath)
		if err != nil {
			return nil, err
		}
		if file, err = root.OpenFile(target, flags, 0); err != nil {
			return nil, err
		}
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", relPath, ErrNotRegular)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Hash returns the SHA-256 of data in hexadecimal.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ReadHash returns the Hash of a file's bytes, whatever its size. The errors are those of [Open].
func ReadHash(root *os.Root, relPath string) (string, error) {
	file, err := Open(root, relPath)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", fmt.Errorf("reading %s: %w", relPath, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
