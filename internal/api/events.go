package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"memoir/internal/problem"
	"memoir/internal/sync/events"
	"memoir/internal/wire"
)

// Event is one thing that happened.
type Event struct {
	Agent *string `json:"agent" doc:"Null for all agents: read everything again."`
	Kind  string  `json:"kind" enum:"saved,deleted,restored,missing,published,scanned,proposed,logged"`
	Name  *string `json:"name" doc:"Name of the memory, or the day for logged; null for the agent as a whole."`
}

const (
	// reconnect is when a client comes back after a lost stream, in milliseconds.
	reconnect = 2000
	// sendTime is how long a client may take to accept an event before it counts as gone.
	sendTime = 30 * time.Second
)

func (a *api) registerEvents() {
	register(a, answers(get("/events", "stream-events", "Stream changes as Server-Sent Events"),
		"text/event-stream", `Events of type "changed" with data {"agent","kind","name"}.`), a.streamEvents)
}

type eventsInput struct {
	Agent string `query:"agent" doc:"Slug of the agent whose events to send."`
}

type eventStream struct{ Body func(huma.Context) }

func (a *api) streamEvents(_ context.Context, in *eventsInput) (*eventStream, error) {
	select {
	case a.streams <- struct{}{}:
	default:
		return nil, problem.New(http.StatusTooManyRequests,
			fmt.Sprintf("There are %d event streams open already, as many as this server serves. Close one, or try again later.", a.options.MaxStreams)).RetryAfter(60)
	}
	return &eventStream{func(ctx huma.Context) {
		defer func() { <-a.streams }()
		request, w := humachi.Unwrap(ctx)
		subscription := a.engine.Hub().Subscribe()
		defer subscription.Close()
		s := stream{w: w, control: http.NewResponseController(w)}
		defer s.control.SetWriteDeadline(time.Time{}) //nolint:errcheck // the connection may serve another request
		if !s.open() || request.Method == http.MethodHead {
			return
		}
		s.follow(request.Context(), subscription.Events, in.Agent, a.options.Ping)
	}}, nil
}

// stream is one client's open answer.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// open sends the head. The subscription is open by now: whatever happens after the client has the head reaches it.
func (s stream) open() bool {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no") // keeps nginx from holding events back
	s.w.WriteHeader(http.StatusOK)
	return s.send(fmt.Sprintf("retry: %d\n\n", reconnect))
}

// follow hands on events until the client is gone or the hub closes.
func (s stream) follow(ctx context.Context, received <-chan events.Event, agent string, ping time.Duration) {
	signs := time.NewTicker(ping)
	defer signs.Stop()
	for {
		message := ": still here\n\n"
		select {
		case <-ctx.Done():
			return
		case event, open := <-received:
			if !open {
				return
			}
			if agent != "" && event.Agent != "" && event.Agent != agent {
				continue
			}
			message = messageOf(event)
		case <-signs.C:
		}
		if !s.send(message) {
			return
		}
	}
}

// send says whether the client has taken the text. Its deadline replaces the server's own, which is for answers that end.
func (s stream) send(text string) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(sendTime)) // a test's recorder has no deadlines
	_, err := s.w.Write([]byte(text))
	return err == nil && s.control.Flush() == nil
}

func messageOf(event events.Event) string {
	data, err := json.Marshal(Event{Agent: wire.Text(event.Agent), Kind: string(event.Kind), Name: wire.Text(event.Name)})
	if err != nil {
		panic(err) // three strings always marshal
	}
	return "event: changed\ndata: " + string(data) + "\n\n"
}
