package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Append adds data at the end of a regular file that is there already, in a single write, so that of two who append at once
// neither loses anything and nothing of what is there is touched. A last line without an end gets one first. When it returns, what was
// added is on disk. Links are followed as in [Resolve].
//
// A line that another process is writing at that very moment may be seen without its end, because a write that goes over two pages
// shows the first of them early: then an empty line is left after it. Who else appends knows of no lock of ours that would prevent it.
//
// [fs.ErrNotExist]: there is no file, [Write] with New makes one. ErrChanged: another file has taken its place meanwhile, and has or has
// not what was added. Of a write that the system has cut short, as a full disk does, what was written stays.
func Append(root *os.Root, relPath string, data []byte) error {
	target, err := Resolve(root, relPath)
	if err != nil {
		return fmt.Errorf("appending: %w", err)
	}
	// Not blocking, because what has the file's name may be a pipe. Read too, for its last byte.
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
	// Whoever saves by renaming may have put a file in its place that was begun before.
	now, err := root.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, now) {
		return fmt.Errorf("appending to %s: %w", relPath, ErrChanged)
	}
	return nil
}
