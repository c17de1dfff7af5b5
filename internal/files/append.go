package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Append appends data to an existing regular file in one write and syncs it. It follows links as
// [Resolve] does. If the last line has no end, Append adds one. The error is [fs.ErrNotExist] if
// the file is missing, and ErrChanged if the file was replaced during the call; then data may be
// lost. If the system cuts the write short, as a full disk does, the written part stays.
func Append(root *os.Root, relPath string, data []byte) error {
	target, err := Resolve(root, relPath)
	if err != nil {
		return fmt.Errorf("appending: %w", err)
	}
	// O_NONBLOCK, because the file may be a pipe. Read access is for the last byte.
	file, err := root.OpenFile(target, os.O_RDWR|os.O_APPEND|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("appending: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("appending to %s: %w", relPath, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("appending to %s: %w", relPath, ErrNotRegular)
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			data = append([]byte{'\n'}, data...)
		}
	}
	if _, err := file.Write(data); err != nil {
		return fmt.Errorf("appending to %s: %w", relPath, err)
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("appending to %s: %w", relPath, err)
	}
	// A program that saves by renaming may have replaced the file by an older version.
	now, err := root.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, now) {
		return fmt.Errorf("appending to %s: %w", relPath, ErrChanged)
	}
	return nil
}
