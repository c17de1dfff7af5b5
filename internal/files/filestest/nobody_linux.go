package filestest

import "syscall"

// becomeNobody changes the file system user and group of this thread to Nobody. It returns
// syscall.EPERM if that fails. The system calls return the previous ID and no error, so each is
// called twice.
func becomeNobody() error {
	for _, call := range []uintptr{syscall.SYS_SETFSGID, syscall.SYS_SETFSUID} {
		syscall.RawSyscall(call, Nobody, 0, 0)
		if now, _, _ := syscall.RawSyscall(call, Nobody, 0, 0); now != Nobody {
			return syscall.EPERM
		}
	}
	return nil
}
