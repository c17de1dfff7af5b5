package bench

import (
	encoding "encoding/binary"
	"errors"
	"syscall"
	"testing"
)

// opening returns a function that counts how often files in the directories have been opened since.
func opening(b *testing.B, dirs []string) (opened func() int) {
	b.Helper()
	events, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		b.Fatal(err)
	}
	for _, dir := range dirs {
		if _, err := syscall.InotifyAddWatch(events, dir, syscall.IN_OPEN); err != nil {
			b.Fatal(err)
		}
	}
	return func() (n int) {
		defer syscall.Close(events)
		buffer := make([]byte, 1<<16)
		for {
			read, err := syscall.Read(events, buffer)
			if errors.Is(err, syscall.EAGAIN) {
				return n
			}
			if err != nil {
				b.Fatal(err)
			}
			for rest := buffer[:read]; len(rest) > 0; {
				mask, length := encoding.NativeEndian.Uint32(rest[4:]), encoding.NativeEndian.Uint32(rest[12:])
				if mask&syscall.IN_Q_OVERFLOW != 0 {
					b.Fatal("so many files were opened that the system has lost count")
				}
				if mask&syscall.IN_ISDIR == 0 {
					n++
				}
				rest = rest[syscall.SizeofInotifyEvent+length:]
			}
		}
	}
}
