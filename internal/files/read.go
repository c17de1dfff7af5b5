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

// Open opens a regular file for reading. It follows links that stay inside root, also absolute
// ones. The error matches fs.ErrNotExist if the file is missing, and is ErrNotRegular for a pipe or
// a directory; it never blocks. It is ErrLeaves, ErrLoop or an *OwnershipError if a link must not
// be followed. The owners of links are checked only if one is absolute. The caller must close the
// file.
func Open(root *os.Root, relPath string) (*os.File, error) {
	file, err := openRegular(root, relPath)
	if err == nil || errors.Is(err, ErrNotRegular) {
		return file, err
	}
	// The root refuses absolute links even if they lead inside. Resolve follows them.
	target, err := Resolve(root, relPath)
	if err != nil {
		return nil, err
	}
	return openRegular(root, target)
}

// openRegular opens a regular file for reading. It follows relative links that stay inside root.
// For another kind of file the error is ErrNotRegular. The caller must close the file.
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

// maxHashed is the size in bytes above which only the start of a file is hashed. Memoir reads no
// files of that size. Hashing a huge or growing file would block its agent. The number is
// arbitrary.
const maxHashed = 32 << 20

// ReadHash returns the Hash of a file. For a file of more than maxHashed bytes, the hash covers its
// size and its first maxHashed bytes. The error matches fs.ErrNotExist if the file is missing. It
// is ErrNotRegular for another kind of file, and ErrLeaves, ErrLoop or an *OwnershipError if a link
// must not be followed.
func ReadHash(root *os.Root, relPath string) (string, error) {
	hash, _, err := ReadHashAndSize(root, relPath)
	return hash, err
}

// ReadHashAndSize returns the hash that ReadHash returns, and the size of the file in bytes. The
// errors are also those of ReadHash.
func ReadHashAndSize(root *os.Root, relPath string) (hash string, size int64, err error) {
	file, err := Open(root, relPath)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	hash, size, err = hashOf(file)
	if err != nil {
		return "", 0, fmt.Errorf("read %s: %w", relPath, err)
	}
	return hash, size, nil
}

// hashOf returns the hash that ReadHash returns, and the size in bytes, for a file that is open at
// its start.
func hashOf(file *os.File) (hash string, size int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(file, maxHashed+1))
	if err != nil {
		return "", 0, err
	}
	if n > maxHashed {
		n = max(n, info.Size())
		fmt.Fprintf(h, "and more, %d bytes in all", info.Size())
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}
