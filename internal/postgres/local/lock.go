package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const lockName = "memoir.lock"

// dirLock is a process's lock of a data directory. The kernel releases it when the process ends, so
// the file alone is not a lock.
type dirLock struct{ file *os.File }

// lockDir locks the data directory, and writes the id of this process into the lock file. It does
// not wait: it returns ErrInUse if another process has the lock, and ErrAccess if the file cannot
// be opened. As root, it gives the file to the owner of dir. The caller must call release.
func lockDir(dir string) (*dirLock, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; start Memoir as the user who owns it, or choose another --data-dir", ErrAccess, err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer file.Close()
		return nil, fmt.Errorf("%w: %s uses %s already; stop it, or give this one another --data-dir", ErrInUse, holder(file), dir)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	lock := &dirLock{file}
	// The directory's owner may run Memoir without root later.
	if os.Geteuid() == 0 {
		err = file.Chown(ownerOf(dir), -1)
	}
	if err := errors.Join(err, lock.sign()); err != nil {
		lock.release()
		return nil, err
	}
	return lock, nil
}

func (l *dirLock) sign() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

// holder returns a description for users of the process that has the lock: "another Memoir", and
// the process id if file contains one.
func holder(file *os.File) string {
	content, _ := io.ReadAll(io.LimitReader(file, 32))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(content))); err == nil {
		return fmt.Sprintf("another Memoir (process %d)", pid)
	}
	return "another Memoir"
}

// release empties and unlocks the lock file. It does not remove the file, because then two
// processes could lock different files. It ignores errors.
func (l *dirLock) release() {
	_ = l.file.Truncate(0)
	_ = l.file.Close()
}
