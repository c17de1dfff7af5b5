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

// The sizes of inet_diag_req_v2 and of the fixed part of inet_diag_msg, in bytes, and the offsets
// of their fields: linux/inet_diag.h.
const (
	diagRequestSize = 56
	diagAnswerSize  = 72
	diagIDOffset    = 8 // of the addresses in a request
	diagAnswerID    = 4 // of the addresses in an answer
	diagUID         = 64
	diagInode       = 68
)

// diagTimeout limits the kernel's answer. It is there as soon as the question was sent.
const diagTimeout = 5 * time.Second

// peerOf asks the kernel for the other end of a connection. It fails with errNoPeer if that is not
// a socket of this network namespace, or if the connection has ended.
//
// Only while both ends are open do the two pairs of address and port belong to this connection. So
// the server's own end is looked at after the client's: had the client closed its socket, and
// another user opened one with the same port, the server's end would have been closed before.
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

// addrPort returns an address as IPv4 where it is an IPv4 address in an IPv6 socket. The kernel
// finds both kinds of sockets by it.
func addrPort(address net.Addr) netip.AddrPort {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// socketBetween returns the socket with these addresses. A question for exactly one socket is
// answered from the kernel's hash table; it costs the same however many sockets there are.
func socketBetween(local, remote netip.AddrPort) (peerSocket, error) {
	kernel, err := netlink.Dial(unix.NETLINK_SOCK_DIAG, nil)
	if err != nil {
		return peerSocket{}, fmt.Errorf("ask for the socket: %w", err)
	}
	defer kernel.Close() //nolint:errcheck // nothing is written
	if err := kernel.SetDeadline(time.Now().Add(diagTimeout)); err != nil {
		return peerSocket{}, fmt.Errorf("ask for the socket: %w", err)
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
		return peerSocket{}, fmt.Errorf("ask for the socket: %w", err)
	case len(answers) != 1 || len(answers[0].Data) < diagAnswerSize:
		return peerSocket{}, errors.New("the kernel's answer about the socket is not understood")
	}
	answer := answers[0].Data
	// Where no connection has the addresses, the kernel may answer with a socket that listens.
	if !hasAddresses(answer, question) {
		return peerSocket{}, errNoPeer
	}
	return peerSocket{
		established: answer[1] == unix.BPF_TCP_ESTABLISHED,
		inode:       binary.NativeEndian.Uint32(answer[diagInode:]),
		uid:         binary.NativeEndian.Uint32(answer[diagUID:]),
	}, nil
}

// diagRequest returns a struct inet_diag_req_v2.
func diagRequest(local, remote netip.AddrPort) []byte {
	request := make([]byte, diagRequestSize)
	request[0], request[1] = unix.AF_INET, unix.IPPROTO_TCP
	if local.Addr().Is6() {
		request[0] = unix.AF_INET6
	}
	binary.NativeEndian.PutUint32(request[4:], ^uint32(0)) // in any state
	id := request[diagIDOffset:]
	binary.BigEndian.PutUint16(id[0:], local.Port())
	binary.BigEndian.PutUint16(id[2:], remote.Port())
	copy(id[4:20], local.Addr().AsSlice())
	copy(id[20:36], remote.Addr().AsSlice())
	binary.NativeEndian.PutUint64(id[40:], ^uint64(0)) // no cookie
	return request
}

// hasAddresses reports whether an answer is about the socket that was asked for. An IPv6 socket
// that is connected to an IPv4 address is described in IPv6.
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

// isEstablished reports whether the server's end of a connection is open.
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
		return false, errNoPeer // it is closed
	}
	var info *unix.TCPInfo
	var failed error
	if err := raw.Control(func(fd uintptr) {
		info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	}); err != nil {
		return false, errNoPeer
	}
	if failed != nil {
		return false, fmt.Errorf("state of the connection: %w", failed)
	}
	return info.State == unix.BPF_TCP_ESTABLISHED, nil
}

// unmappedUser returns the id that the kernel shows for users without an id in this user namespace,
// -1 if every user has one. Where the kernel cannot be asked, the usual id is not trusted.
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
