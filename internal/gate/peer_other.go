//go:build !linux

package gate

import "net"

// peerOf fails: this system does not tell other processes who owns a socket.
func peerOf(net.Conn) (peerSocket, error) { return peerSocket{}, errCannotIdentify }

func unmappedUser() int64 { return -1 }
