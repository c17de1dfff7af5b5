//go:build !linux

package gate

import "net"

// peerOf returns errCannotIdentify, because this system does not report the owner of a socket.
func peerOf(net.Conn) (peerSocket, error) { return peerSocket{}, errCannotIdentify }

func unmappedUser() int64 { return -1 }
