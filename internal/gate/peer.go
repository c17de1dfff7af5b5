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

	"memoir/internal/problem"
)

// errNoPeer means that the other end of a connection is no open socket of this machine.
var errNoPeer = errors.New("the other end of the connection is not an open socket of this machine")

// errCannotIdentify means that this system does not tell who owns the other end of a connection.
var errCannotIdentify = errors.New("this system does not tell who owns a connection")

// A peerSocket is the client's end of a connection, as the kernel describes it.
type peerSocket struct {
	established bool   // false after either side has closed
	inode       uint32 // 0 if no process has it open; the kernel then reports user 0
	uid         uint32
}

// users are the users that may connect without a token.
type users struct {
	self uint32 // the user that runs this server
	// unmapped is the id that the kernel shows for users without an id in this user namespace.
	// It is -1 if every user has one.
	unmapped int64
}

// admits reports whether the owner of a socket may connect.
func (u users) admits(s peerSocket) bool {
	if !s.established || s.inode == 0 || int64(s.uid) == u.unmapped {
		return false
	}
	return s.uid == 0 || s.uid == u.self
}

// CanIdentifyPeers reports whether this system tells who owns a connection of this machine. It
// tries with a connection of its own.
func CanIdentifyPeers() bool {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false
	}
	defer listener.Close() //nolint:errcheck // only tried
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return false
	}
	defer client.Close() //nolint:errcheck // only tried
	conn, err := listener.Accept()
	if err != nil {
		return false
	}
	defer conn.Close() //nolint:errcheck // only tried
	found, err := peerOf(conn)
	return err == nil && found.inode != 0 && found.uid == uint32(os.Geteuid())
}

// peerCheck decides once about one connection.
type peerCheck struct {
	conn  net.Conn
	users users
	once  sync.Once
	ok    bool
	err   error // why the kernel could not be asked
}

type peerCheckKey struct{}

// withPeer adds the check of a connection to the context of its requests.
func (g *Gate) withPeer(ctx context.Context, conn net.Conn) context.Context {
	if g.owner == nil || g.tokens != nil {
		return ctx
	}
	return context.WithValue(ctx, peerCheckKey{}, &peerCheck{conn: conn, users: g.owner.users})
}

// admitted reports whether the connection's owner may connect. It asks the kernel at the first
// call: the client waits for its answer then, so its socket is open.
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

// owner is the user whose server this is.
type owner struct {
	users users
	name  string
}

func newOwner() *owner {
	self := uint32(os.Geteuid())
	return &owner{users: users{self: self, unmapped: unmappedUser()}, name: ownerName()}
}

// ownerName returns the name of the user that runs this process, else its id.
func ownerName() string {
	uid := strconv.Itoa(os.Geteuid())
	if found, err := user.LookupId(uid); err == nil {
		return found.Username
	}
	return "user " + uid
}

// onlyOwner refuses requests from other users of this machine than the owner and root.
func (g *Gate) onlyOwner(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isOpen(r) {
			next.ServeHTTP(w, r)
			return
		}
		check, _ := r.Context().Value(peerCheckKey{}).(*peerCheck)
		if check == nil { // a server that was not made by Gate.Server
			g.refuseStranger(w, r)
			return
		}
		switch ok, err := check.admitted(); {
		case ok:
			next.ServeHTTP(w, r)
		case err != nil:
			g.options.Log.ErrorContext(r.Context(), "owner of connection unknown", "error", err)
			g.refuseUnidentified(w, r)
		default:
			g.refuseStranger(w, r)
		}
	})
}

// refuseStranger answers another user with the owner's name and the way to share.
func (g *Gate) refuseStranger(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close") // the next connection is looked up again
	detail := fmt.Sprintf("This Memoir belongs to %s, and only that user and root may use it. "+
		"Nothing was changed. To share it, its owner starts it with --token.", g.owner.name)
	if g.options.TokenFile != "" {
		detail += fmt.Sprintf(" As %s, open the link that Memoir logged when it started, or send the token in %s.",
			g.owner.name, g.options.TokenFile)
	}
	if forPrograms(r) {
		problem.New(http.StatusForbidden, detail).Request(RequestID(r.Context())).Write(w)
		return
	}
	page(w, http.StatusForbidden, "Not your Memoir", detail)
}

func (g *Gate) refuseUnidentified(w http.ResponseWriter, r *http.Request) {
	const detail = "The system could not say whose connection this is. Nothing was changed. Try again shortly."
	w.Header().Set("Connection", "close")
	if forPrograms(r) {
		problem.New(http.StatusServiceUnavailable, detail).RetryAfter(1).Request(RequestID(r.Context())).Write(w)
		return
	}
	w.Header().Set("Retry-After", "1")
	page(w, http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable), detail)
}
