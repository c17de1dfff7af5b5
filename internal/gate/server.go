package gate

import (
	"log/slog"
	"net/http"
	"time"
)

const (
	// headerTime is how long a request's head may take; whoever opens connections and says nothing loses them.
	headerTime = 10 * time.Second
	// idleTime is how long a connection is kept for the next request.
	idleTime = 2 * time.Minute
	// answerTime is how long an answer may take, the cold scan of very many files included. Event streams set their own.
	answerTime = 10 * time.Minute
	// maxHeaders is the largest head of a request, in bytes.
	maxHeaders = 64 << 10
)

// Server returns the HTTP server with its limits. endStreams is called when it shuts down: open event streams would
// hold up Shutdown until its deadline.
//
// There is no ReadTimeout: it would cancel a request that is still worked on when it passes.
func Server(handler http.Handler, log *slog.Logger, endStreams func()) *http.Server {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		WriteTimeout:      answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	server.RegisterOnShutdown(endStreams)
	return server
}
