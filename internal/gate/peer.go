package gate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/user"
	"strconv"
	"sync"
)

// errNoPeer means that the client's end of a connection is not an open socket of this machine.
var errNoPeer = errors.New("client is not a local socket")

// errCannotIdentify means that the system cannot report the owner of a connection.
var errCannotIdentify = errors.New("system does not report the owner of a connection")

// A peerSocket describes the client's end of a connection.
type peerSocket struct {
	established bool   // false once either side has closed it
	inode       uint32 // 0 if no process has it open; then the kernel reports user 0
	uid         uint32
}

// users are the user ids that may connect without a token.
type users struct {
	self uint32 // the user of this process
	// unmapped is the id that the kernel reports for users without an id in this user namespace. It
	// is -1 if every user has an id.
	unmapped int64
}

// admits reports whether the socket is open and belongs to root or to the user of this process. It
// returns false for a user without an id in this user namespace.
func (u users) admits(s peerSocket) bool {
	if !s.established || s.inode == 0 || int64(s.uid) == u.unmapped {
		return false
	}
	return s.uid == 0 || s.uid == u.self
}

// CanIdentifyPeers reports whether the kernel names the owner of a local connection. To find out,
// it listens on 127.0.0.1 for a moment and connects to itself. It returns false if any of that
// fails.
func CanIdentifyPeers() bool {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false
	}
	defer listener.Close() //nolint:errcheck // the result is not affected
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return false
	}
	defer client.Close() //nolint:errcheck // the result is not affected
	conn, err := listener.Accept()
	if err != nil {
		return false
	}
	defer conn.Close() //nolint:errcheck // the result is not affected
	found, err := peerOf(conn)
	return err == nil && found.inode != 0 && found.uid == uint32(os.Geteuid())
}

// peerCheck caches the decision about one connection.
type peerCheck struct {
	conn  net.Conn
	users users
	once  sync.Once
	ok    bool
	err   error // set if the kernel could not be asked
}

type peerCheckKey struct{}

// asksKernel reports whether the kernel identifies the owner.
func (g *Gate) asksKernel() bool { return g.owner != nil && g.options.Token == "" }

// withPeer returns ctx with a peerCheck of conn, for isOwner. It asks the kernel nothing yet. It
// returns ctx unchanged if asksKernel returns false.
func (g *Gate) withPeer(ctx context.Context, conn net.Conn) context.Context {
	if !g.asksKernel() {
		return ctx
	}
	return context.WithValue(ctx, peerCheckKey{}, &peerCheck{conn: conn, users: g.owner.users})
}

// admitted reports whether the owner of the connection may connect. The first call asks the kernel:
// the client is then waiting for a response, so its socket is open. Later calls return the same
// result. It returns false for a closed connection, and an error if the kernel does not answer.
func (c *peerCheck) admitted() (bool, error) {
	c.once.Do(func() {
		found, err := peerOf(c.conn)
		switch {
		case errors.Is(err, errNoPeer):
		case err != nil:
			c.err = err
		default:
			c.ok = c.users.admits(found)
		}
	})
	return c.ok, c.err
}

// owner is the user that runs this server.
type owner struct {
	users users
	name  string
}

func newOwner() *owner {
	self := uint32(os.Geteuid())
	return &owner{users: users{self: self, unmapped: unmappedUser()}, name: ownerName()}
}

// ownerName returns the name of the current user, or "user" and the id if the name is unknown.
func ownerName() string {
	uid := strconv.Itoa(os.Geteuid())
	if found, err := user.LookupId(uid); err == nil {
		return found.Username
	}
	return "user " + uid
}

// isOwner reports whether the kernel names the server's own user, or root, as the sender of the
// request. It returns false if asksKernel does, or the server was not made by Gate.Server. It returns
// an error that wraps errKernel if the kernel does not answer.
func (g *Gate) isOwner(r *http.Request) (bool, error) {
	check, _ := r.Context().Value(peerCheckKey{}).(*peerCheck)
	if check == nil {
		return false, nil
	}
	ok, err := check.admitted()
	if err != nil {
		err = fmt.Errorf("%w: %w", errKernel, err)
	}
	return ok, err
}

// errKernel means that the kernel does not name the owner of a connection.
var errKernel = errors.New("owner of connection unknown")

// refuseUnknownPeer answers 503 to a request whose sender the kernel does not name, and logs err.
func (g *Gate) refuseUnknownPeer(w http.ResponseWriter, r *http.Request, err error) {
	g.options.Log.ErrorContext(r.Context(), "owner of connection unknown", "error", err)
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", "1")
	refusePlainly(w, r, http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable),
		"The owner of this connection is unknown. Nothing was changed. Try again shortly.")
}

// refuseStranger answers 403, names the server's owner, explains how to share the server, and
// closes the connection.
func (g *Gate) refuseStranger(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close") // so that the next connection is checked again
	detail := fmt.Sprintf("Only %s and root can use this Memoir. "+
		"Nothing was changed. To share it, its owner starts it with --token, or creates a token for you, with which you sign in at %s.", g.owner.name, SignInPath)
	if g.options.TokenFile != "" {
		detail += fmt.Sprintf(" If you are %s, open the link in Memoir's start log, or send the token in %s.",
			g.owner.name, g.options.TokenFile)
	}
	refusePlainly(w, r, http.StatusForbidden, "Not your Memoir", detail)
}
