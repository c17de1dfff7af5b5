package gate

import (
	"errors"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"memoir/internal/files/filestest"
)

// accepted returns both ends of a new connection.
func accepted(t *testing.T, listener net.Listener, dial func() net.Conn) (client, server net.Conn) {
	t.Helper()
	client = dial()
	if client == nil {
		t.FailNow()
	}
	t.Cleanup(func() { client.Close() })
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

func listenAt(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

func dialler(t *testing.T, listener net.Listener) func() net.Conn {
	return func() net.Conn {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Error(err)
			return nil
		}
		return conn
	}
}

func TestPeerOf_OwnConnection(t *testing.T) {
	t.Parallel()
	self := uint32(os.Geteuid())
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0"} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			listener := listenAt(t, address)
			_, server := accepted(t, listener, dialler(t, listener))
			found, err := peerOf(server)
			if err != nil || !found.established || found.inode == 0 || found.uid != self {
				t.Errorf("peerOf() = %+v, %v, want an open socket of user %d", found, err, self)
			}
		})
	}
	if !CanIdentifyPeers() {
		t.Error("CanIdentifyPeers() = false")
	}
}

func TestPeerOf_OtherUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	listener := listenAt(t, "127.0.0.1:0")
	_, server := accepted(t, listener, func() (conn net.Conn) {
		filestest.AsNobody(t, func() { conn = dialler(t, listener)() })
		return conn
	})
	found, err := peerOf(server)
	if err != nil || found.uid != filestest.Nobody {
		t.Errorf("peerOf() = %+v, %v, want user %d", found, err, filestest.Nobody)
	}
	if newOwner().users.admits(found) {
		t.Error("another user is admitted")
	}
}

func TestPeerOf_MappedAddress(t *testing.T) {
	// An IPv6 socket may be connected to an IPv4 address.
	t.Parallel()
	listener := listenAt(t, "127.0.0.1:0")
	_, server := accepted(t, listener, func() net.Conn {
		fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		to := &unix.SockaddrInet6{Port: listener.Addr().(*net.TCPAddr).Port}
		copy(to.Addr[:], net.ParseIP("127.0.0.1").To16())
		if err := unix.Connect(fd, to); err != nil {
			t.Fatal(err)
		}
		file := os.NewFile(uintptr(fd), "mapped")
		defer file.Close()
		conn, err := net.FileConn(file)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	})
	if found, err := peerOf(server); err != nil || !newOwner().users.admits(found) {
		t.Errorf("peerOf() = %+v, %v, want an open socket", found, err)
	}
}

func TestPeerOf_ClosedByClient(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*net.TCPConn) error{
		"closed": (*net.TCPConn).Close,
		"reset":  func(c *net.TCPConn) error { return errors.Join(c.SetLinger(0), c.Close()) },
		"half":   (*net.TCPConn).CloseWrite,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener := listenAt(t, "127.0.0.1:0")
			client, server := accepted(t, listener, dialler(t, listener))
			if err := end(client.(*net.TCPConn)); err != nil {
				t.Fatal(err)
			}
			found, err := peerOf(server)
			if err == nil && newOwner().users.admits(found) || err != nil && !errors.Is(err, errNoPeer) {
				t.Errorf("peerOf() = %+v, %v, want a refusal", found, err)
			}
		})
	}
}

func TestPeerOf_PortTakenByAnother(t *testing.T) {
	// After a client has reset its connection, another user's socket may have the same addresses.
	t.Parallel()
	listener := listenAt(t, "127.0.0.1:0")
	client, old := accepted(t, listener, dialler(t, listener))
	from := client.LocalAddr()
	if err := errors.Join(client.(*net.TCPConn).SetLinger(0), client.Close()); err != nil {
		t.Fatal(err)
	}
	next, server := accepted(t, listener, func() net.Conn {
		conn, err := (&net.Dialer{LocalAddr: from}).Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Skip("the port was taken by another program:", err)
		}
		return conn
	})
	if next.LocalAddr().String() != old.RemoteAddr().String() {
		t.Fatal("the new connection has other addresses")
	}
	if found, err := peerOf(old); !errors.Is(err, errNoPeer) {
		t.Errorf("peerOf(old) = %+v, %v, want errNoPeer", found, err)
	}
	if _, err := peerOf(server); err != nil {
		t.Errorf("peerOf(new) error = %v", err)
	}
}

func BenchmarkPeerOf(b *testing.B) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	for b.Loop() {
		if _, err := peerOf(server); err != nil {
			b.Fatal(err)
		}
	}
}
