package gate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// The sizes of inet_diag_req_v2 and of the fixed part of inet_diag_msg, and the offsets of their
// fields, in bytes. Source: linux/inet_diag.h.
const (
	diagRequestSize = 56
	diagAnswerSize  = 72
	diagIDOffset    = 8 // addresses in a request
	diagAnswerID    = 4 // addresses in a response
	diagUID         = 64
	diagInode       = 68
)

// diagTimeout limits the kernel's response, which normally is immediate (arbitrary).
const diagTimeout = 5 * time.Second

// peerOf asks the kernel for the client's end of a TCP connection. It returns errNoPeer if that is
// not an open socket of this network namespace, and another error if the kernel does not answer.
//
// The addresses identify this connection only while both ends are open. So peerOf checks the
// server's end after the client's. If another user had reused the client's port, the server's end
// would already be closed.
func peerOf(conn net.Conn) (peerSocket, error) {
	client, server := conn.RemoteAddr(), conn.LocalAddr()
	from, to := addrPort(client), addrPort(server)
	if !from.IsValid() || !to.IsValid() || from.Addr().Is4() != to.Addr().Is4() {
		return peerSocket{}, errNoPeer
	}
	found, err := socketBetween(from, to)
	if err != nil {
		return peerSocket{}, err
	}
	open, err := isEstablished(conn)
	if err != nil {
		return peerSocket{}, err
	}
	if !open {
		return peerSocket{}, errNoPeer
	}
	return found, nil
}

// addrPort returns a TCP address, with an IPv4-mapped IPv6 address as IPv4, because the kernel
// finds both kinds of sockets by the IPv4 address. It returns the zero AddrPort for other network
// types.
func addrPort(address net.Addr) netip.AddrPort {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// socketBetween asks the kernel for the TCP socket with these two addresses. It returns errNoPeer
// if there is no such socket, and another error if the kernel does not answer within diagTimeout.
// The kernel uses a hash table, so the time does not depend on the number of sockets.
func socketBetween(local, remote netip.AddrPort) (peerSocket, error) {
	kernel, err := netlink.Dial(unix.NETLINK_SOCK_DIAG, nil)
	if err != nil {
		return peerSocket{}, fmt.Errorf("query socket: %w", err)
	}
	defer kernel.Close() //nolint:errcheck // nothing was written
	if err := kernel.SetDeadline(time.Now().Add(diagTimeout)); err != nil {
		return peerSocket{}, fmt.Errorf("query socket: %w", err)
	}
	question := diagRequest(local, remote)
	answers, err := kernel.Execute(netlink.Message{
		Header: netlink.Header{Type: unix.SOCK_DIAG_BY_FAMILY, Flags: netlink.Request},
		Data:   question,
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return peerSocket{}, errNoPeer
	case err != nil:
		return peerSocket{}, fmt.Errorf("query socket: %w", err)
	case len(answers) != 1 || len(answers[0].Data) < diagAnswerSize:
		return peerSocket{}, errors.New("query socket: unexpected response of the kernel")
	}
	answer := answers[0].Data
	// If no connection has the addresses, the kernel may return a listening socket.
	if !hasAddresses(answer, question) {
		return peerSocket{}, errNoPeer
	}
	return peerSocket{
		established: answer[1] == unix.BPF_TCP_ESTABLISHED,
		inode:       binary.NativeEndian.Uint32(answer[diagInode:]),
		uid:         binary.NativeEndian.Uint32(answer[diagUID:]),
	}, nil
}

func diagRequest(local, remote netip.AddrPort) []byte {
	request := make([]byte, diagRequestSize)
	request[0], request[1] = unix.AF_INET, unix.IPPROTO_TCP
	if local.Addr().Is6() {
		request[0] = unix.AF_INET6
	}
	binary.NativeEndian.PutUint32(request[4:], ^uint32(0)) // all states
	id := request[diagIDOffset:]
	binary.BigEndian.PutUint16(id[0:], local.Port())
	binary.BigEndian.PutUint16(id[2:], remote.Port())
	copy(id[4:20], local.Addr().AsSlice())
	copy(id[20:36], remote.Addr().AsSlice())
	binary.NativeEndian.PutUint64(id[40:], ^uint64(0)) // no cookie
	return request
}

// hasAddresses reports whether the socket in the kernel's answer has the addresses and ports of the
// question. It takes an IPv4 address and the same address mapped to IPv6 as equal.
func hasAddresses(answer, question []byte) bool {
	a, q := answer[diagAnswerID:], question[diagIDOffset:]
	return string(a[:4]) == string(q[:4]) &&
		diagAddr(answer[0], a[4:20]) == diagAddr(question[0], q[4:20]) &&
		diagAddr(answer[0], a[20:36]) == diagAddr(question[0], q[20:36])
}

func diagAddr(family byte, raw []byte) netip.Addr {
	if family == unix.AF_INET {
		return netip.AddrFrom4([4]byte(raw[:4]))
	}
	return netip.AddrFrom16([16]byte(raw)).Unmap()
}

// isEstablished reports whether the connection is established at the server's end. It returns
// errNoPeer if the server has closed it, and errCannotIdentify if it is not TCP.
func isEstablished(conn net.Conn) (bool, error) {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = wrapped.NetConn()
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return false, errCannotIdentify
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false, errNoPeer // closed
	}
	var info *unix.TCPInfo
	var failed error
	if err := raw.Control(func(fd uintptr) {
		info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	}); err != nil {
		return false, errNoPeer
	}
	if failed != nil {
		return false, fmt.Errorf("read connection state: %w", failed)
	}
	return info.State == unix.BPF_TCP_ESTABLISHED, nil
}

// unmappedUser returns the user id that the kernel reports for users without an id in this user
// namespace. It returns -1 if every user has an id, and 65534, the usual id, if the kernel's
// setting cannot be read.
func unmappedUser() int64 {
	const usual = 65534
	if table, err := os.ReadFile("/proc/self/uid_map"); err == nil {
		if fields := strings.Fields(string(table)); len(fields) == 3 && fields[0] == "0" && fields[2] == "4294967295" {
			return -1
		}
	}
	text, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil {
		return usual
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
	if err != nil {
		return usual
	}
	return int64(id)
}
