package linetest

import (
	"net"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgproto3"
)

// connection is one client's.
type connection struct {
	*Line
	client *pgproto3.Backend  // to receive requests from, and send answers to
	server *pgproto3.Frontend // the other way round
	// losing says that the answer to what Postgres is doing is to be lost.
	losing atomic.Bool

	prepared map[string]string // names of requests, by the name of their prepared statement
	names    []string          // of what has been asked since the last request was complete
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

// flush sends on what has been gathered, once the line is not silent.
func (c *connection) flush(send func() error) error {
	c.silent.RLock()
	defer c.silent.RUnlock()
	return send()
}

// passRequests hands on what the client asks until one side ends or a request is lost.
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

// note keeps what the message asks for, and says whether the request is complete.
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

// passAnswers hands on what Postgres says until one side ends or an answer is lost.
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
			continue // more comes at once
		}
		if c.flush(c.client.Flush) != nil {
			return
		}
	}
}

// queryName is how the generated queries say what they are called.
var queryName = regexp.MustCompile(`^-- name: (\w+)`)

// nameOf returns what a request is called; empty: it is none.
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
