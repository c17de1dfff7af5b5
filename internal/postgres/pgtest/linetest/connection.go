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

// flush calls send, which sends buffered messages. It waits while the line is silent.
func (c *connection) flush(send func() error) error {
	c.silent.RLock()
	defer c.silent.RUnlock()
	return send()
}

// passRequests forwards the client's messages until one side ends the connection, or the fate of a
// request is NotSent. It asks for the fate of each complete request.
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

// note records the name of the request in a message, and reports whether the request is complete
// and will be executed.
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

// passAnswers forwards Postgres' messages until one side ends the connection. If the fate of a
// request is Unanswered, it withholds the answer, and returns when the answer is complete.
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

// nameOf returns the name of a request: the name of the sqlc query, or the first one or two words
// of the statement in lower case. It returns "" for an empty statement.
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
