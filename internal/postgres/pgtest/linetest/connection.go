package linetest

import (
	"net"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgproto3"
)

// connection passes messages between one client and the database server.
type connection struct {
	*Line
	client *pgproto3.Backend  // receives requests and sends answers
	server *pgproto3.Frontend // sends requests and receives answers
	// losing means that the answer to the current request will be lost.
	losing atomic.Bool

	prepared map[string]string // names of requests, by name of their prepared statement
	names    []string          // names of requests since the last complete one
}

func (l *Line) serve(client, server net.Conn) {
	defer l.end(client, server)
	c := &connection{Line: l, client: pgproto3.NewBackend(client, client), server: pgproto3.NewFrontend(server, server), prepared: map[string]string{}}
	startup, err := c.client.ReceiveStartupMessage()
	if err != nil {
		return
	}
	c.server.Send(startup)
	if c.flush(c.server.Flush) != nil {
		return
	}
	l.running.Go(func() {
		defer l.end(client, server)
		c.passAnswers()
	})
	c.passRequests()
}

// flush calls send, which sends buffered messages, and returns its error. While the line is silent,
// it waits before the call.
func (c *connection) flush(send func() error) error {
	c.silent.RLock()
	defer c.silent.RUnlock()
	return send()
}

// passRequests forwards the client's messages to Postgres until one side ends the connection. It
// calls fate for each complete request. For NotSent it returns without forwarding the last message.
// For Unanswered it forwards it, and passAnswers withholds the answer.
func (c *connection) passRequests() {
	for {
		message, err := c.client.Receive()
		if err != nil {
			return
		}
		if c.note(message) && len(c.names) > 0 {
			switch c.fate(strings.Join(c.names, ", ")) {
			case NotSent:
				return
			case Unanswered:
				c.losing.Store(true)
			}
			c.names = nil
		}
		c.server.Send(message)
		if c.flush(c.server.Flush) != nil {
			return
		}
	}
}

// note adds the name of the request in a message to c.names. complete is true for the messages
// Query and Sync, after which Postgres executes the request.
func (c *connection) note(message pgproto3.FrontendMessage) (complete bool) {
	switch m := message.(type) {
	case *pgproto3.Query:
		c.ask(nameOf(m.String))
		return true
	case *pgproto3.Parse:
		c.prepared[m.Name] = nameOf(m.Query)
	case *pgproto3.Bind:
		c.ask(c.prepared[m.PreparedStatement])
	case *pgproto3.Sync:
		return true
	}
	return false
}

func (c *connection) ask(name string) {
	if name != "" && !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
	}
}

// passAnswers forwards Postgres' messages to the client until one side ends the connection. If the
// fate of a request is Unanswered, it drops the messages of the answer, and returns after the last
// one.
func (c *connection) passAnswers() {
	for {
		message, err := c.server.Receive()
		if err != nil {
			return
		}
		_, done := message.(*pgproto3.ReadyForQuery)
		_, wantsData := message.(*pgproto3.CopyInResponse)
		losing := c.losing.Load()
		if losing && done {
			return
		}
		if losing && !wantsData {
			continue
		}
		c.client.Send(message)
		if c.server.ReadBufferLen() > 0 {
			continue // more messages follow immediately
		}
		if c.flush(c.client.Flush) != nil {
			return
		}
	}
}

// queryName matches the name that sqlc writes into queries.
var queryName = regexp.MustCompile(`^-- name: (\w+)`)

// nameOf returns the name of a request. That is the name of the sqlc query, or the first word of
// the statement in lower case. After copy and select, the second word follows. It returns "" for an
// empty statement and for a comment, which pings send.
func nameOf(sql string) string {
	if named := queryName.FindStringSubmatch(sql); named != nil {
		return named[1]
	}
	words := strings.Fields(strings.ToLower(sql))
	switch {
	case len(words) == 0 || words[0] == ";" || strings.HasPrefix(words[0], "--"):
		return ""
	case words[0] == "copy" || words[0] == "select":
		return strings.Join(words[:min(2, len(words))], " ")
	default:
		return words[0]
	}
}
