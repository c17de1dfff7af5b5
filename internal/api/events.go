package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"memoir/internal/access"
	"memoir/internal/problem"
	"memoir/internal/sync/events"
	"memoir/internal/wire"
)

// Event is the data of one message of the event stream.
type Event struct {
	Agent *string `json:"agent" doc:"Null for all agents: read everything again."`
	Kind  string  `json:"kind" enum:"saved,deleted,restored,missing,published,scanned,proposed,logged"`
	Name  *string `json:"name" doc:"Name of the memory, or the day for logged; null for the agent as a whole."`
}

const (
	// reconnectDelay is the time before a client reconnects, in milliseconds. Arbitrary.
	reconnectDelay = 2000
	// sendTimeout is the time limit of a write to a client. Then its stream is closed. Arbitrary.
	sendTimeout = 30 * time.Second
)

func (a *api) registerEvents() {
	register(a, withMediaType(get("/events", "stream-events", "Stream changes as Server-Sent Events"),
		"text/event-stream", `Events of type "changed" with data {"agent","kind","name"}.`), a.streamEvents)
}

type eventsInput struct {
	Agent string `query:"agent" doc:"Slug of the agent whose events to send."`
}

// eventStream is an answer whose body is written by a function.
type eventStream struct{ Body func(huma.Context) }

// streamEvents returns an event stream. The stream ends when the client disconnects or does not
// accept an event within sendTimeout, or when the server stops. A HEAD request receives only the
// headers and the reconnect delay. If MaxStreams streams are open, streamEvents returns a 429
// problem.
func (a *api) streamEvents(_ context.Context, in *eventsInput) (*eventStream, error) {
	select {
	case a.streams <- struct{}{}:
	default:
		return nil, problem.New(http.StatusTooManyRequests,
			fmt.Sprintf("%d event streams are open, the limit of this server. Close one or try again later.", a.options.MaxStreams)).RetryAfter(60)
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

// stream is the response to one client.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// open sends the status 200, the headers and the reconnect delay, and reports whether that
// succeeded. The caller must subscribe before, so that no later event is lost.
func (s stream) open() bool {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no") // stops nginx from buffering events
	s.w.WriteHeader(http.StatusOK)
	return s.send(fmt.Sprintf("retry: %d\n\n", reconnectDelay))
}

// follow sends events until ctx ends, a write fails, or the engine closes received. It sends the
// events of agent and those without an agent; if agent is empty, it sends every event. It leaves out
// agents that the request of ctx may not see. At each
// interval ping, it sends a comment, so that the connection stays open.
func (s stream) follow(ctx context.Context, received <-chan events.Event, agent string, ping time.Duration) {
	ticker := time.NewTicker(ping)
	defer ticker.Stop()
	for {
		message := ": still here\n\n"
		select {
		case <-ctx.Done():
			return
		case event, open := <-received:
			if !open {
				return
			}
			if !access.Of(ctx).Sees(event.Agent) {
				continue
			}
			if agent != "" && event.Agent != "" && event.Agent != agent {
				continue
			}
			message = messageOf(event)
		case <-ticker.C:
		}
		if !s.send(message) {
			return
		}
	}
}

// send writes and flushes text, and reports whether both succeeded. It sets the write deadline to
// sendTimeout from now, in place of the server's, which is too short for a stream.
func (s stream) send(text string) bool {
	// fails for a test's recorder, which has no deadlines
	_ = s.control.SetWriteDeadline(time.Now().Add(sendTimeout))
	_, err := s.w.Write([]byte(text))
	return err == nil && s.control.Flush() == nil
}

// messageOf returns event as the text of a Server-Sent Event: type changed, with the JSON of an
// Event as data.
func messageOf(event events.Event) string {
	data, err := json.Marshal(Event{Agent: wire.Text(event.Agent), Kind: string(event.Kind), Name: wire.Text(event.Name)})
	if err != nil {
		panic(err) // three strings always marshal
	}
	return "event: changed\ndata: " + string(data) + "\n\n"
}
