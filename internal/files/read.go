package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Open opens a regular file for reading. Links are followed as in [Resolve]. It does not block when a pipe has been put in the
// file's place: that is ErrNotRegular, as for a directory.
func Open(root *os.Root, relPath string) (*os.File, error) {
	file, err := openRegular(root, relPath)
	if err == nil || errors.Is(err, ErrNotRegular) {
		return file, err
	}
	// What the root refuses by itself, absolute links among it, is told apart by following each link.
	target, err := Resolve(root, relPath)
	if err != nil {
		return nil, err
	}
	return openRegular(root, target)
}

// openRegular opens a regular file, by links that the root itself follows.
func openRegular(root *os.Root, relPath string) (*os.File, error) {
	file, err := root.OpenFile(relPath, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
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

// maxHashed is the size, in bytes, past which a file is not hashed as a whole. It is more than Memoir ever reads or removes; a file
// that grows without end, or is a hole as large as the disk, would hold up its agent for as long as it takes to read.
const maxHashed = 32 << 20

// readAtOnce is how much of a file is read at once, in bytes, where all of it need not be at hand.
const readAtOnce = 32 << 10

// ReadHash returns the Hash of a file's bytes. Of a file of more than 32 MiB it is the hash of its size and its first 32 MiB, which
// is that of no smaller file. The errors are those of [Open].
func ReadHash(root *os.Root, relPath string) (string, error) {
	hash, _, err := ReadHashAndSize(root, relPath)
	return hash, err
}

// ReadHashAndSize is ReadHash, and returns the number of bytes that the file had as well.
func ReadHashAndSize(root *os.Root, relPath string) (hash string, size int64, err error) {
	file, err := Open(root, relPath)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	hash, size, err = hashOf(file)
	if err != nil {
		return "", 0, fmt.Errorf("reading %s: %w", relPath, err)
	}
	return hash, size, nil
}

// hashOf is ReadHashAndSize of an open file.
func hashOf(file *os.File) (hash string, size int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	n, err := io.CopyBuffer(h, io.LimitReader(file, maxHashed+1), make([]byte, min(info.Size()+1, readAtOnce)))
	if err != nil {
		return "", 0, err
	}
	if n > maxHashed {
		n = max(n, info.Size())
		fmt.Fprintf(h, "and more, %d bytes in all", info.Size())
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}
