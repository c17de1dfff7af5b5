package embedding_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/embedding"
	"memoir/internal/embedding/embeddingtest"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	"memoir/internal/waittest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// memoir is a running Memoir with an endpoint.
type memoir struct {
	*memoirtest.Memoir
	endpoint *embeddingtest.Server
	service  *embedding.Service
	log      *logText
}

// logText is a log that a test reads.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start runs a Memoir over files, whose endpoint gives the usual vectors.
func start(t testing.TB, files memoirtest.Files, changes ...func(*embedding.Options)) *memoir {
	t.Helper()
	m := &memoir{Memoir: memoirtest.Start(t, files), endpoint: embeddingtest.New(t), log: &logText{}}
	m.run(changes...)
	return m
}

// run starts a service, which stops at the end of the test or by the returned function.
func (m *memoir) run(changes ...func(*embedding.Options)) (stop func()) {
	m.Helper()
	options := embedding.Options{
		URL: m.endpoint.URL, Model: "words", Settle: 5 * time.Millisecond, FirstRetry: 20 * time.Millisecond, Log: slog.New(slog.NewTextHandler(m.log, nil)),
	}
	for _, change := range changes {
		change(&options)
	}
	service := embedding.Start(m.Engine, m.Store, options)
	m.service = service
	stop = sync.OnceFunc(service.Close)
	m.Cleanup(stop)
	return stop
}

func (m *memoir) agent(slug string) records.Agent {
	m.Helper()
	agent, err := m.Store.AgentUncounted(m.Context(), slug)
	if err != nil {
		m.Fatal(err)
	}
	return agent
}

func (m *memoir) status(slug string) embedding.Status {
	m.Helper()
	status, err := m.service.Status(m.Context(), m.agent(slug))
	if err != nil {
		m.Fatal(err)
	}
	return status
}

// waitEmbedded waits until n memories of an agent are embedded, and no other is left.
func (m *memoir) waitEmbedded(slug string, n int) {
	m.Helper()
	waittest.For(m, "vectors of "+slug, func() bool {
		status := m.status(slug)
		return status.Embedded == n && status.Memories == n+status.Withheld
	})
}

func (m *memoir) nearest(ctx context.Context, slug, query string) (records.NearMemories, error) {
	m.Helper()
	from, err := m.Store.RecallSources(m.Context(), slug)
	if err != nil {
		m.Fatal(err)
	}
	return m.service.Nearest(ctx, from, query, 3)
}

// names returns the names of the nearest memories.
func (m *memoir) names(slug, query string) []string {
	m.Helper()
	found, err := m.nearest(m.Context(), slug, query)
	if err != nil {
		m.Fatal(err)
	}
	var names []string
	for _, near := range found.Memories {
		rows, err := m.Store.MemoriesByID(m.Context(), m.agent(slug), []string{near.ID.String()})
		if err != nil {
			m.Fatal(err)
		}
		for _, row := range rows {
			names = append(names, row.Name)
		}
	}
	return names
}

// waitNearest waits until the nearest memory has a name.
func (m *memoir) waitNearest(slug, query, name string) {
	m.Helper()
	waittest.For(m, name, func() bool {
		names := m.names(slug, query)
		return len(names) > 0 && names[0] == name
	})
}

// sentText reports whether a text was sent.
func (m *memoir) sentText(part string) bool {
	return slices.ContainsFunc(m.endpoint.Sent(), func(text string) bool { return strings.Contains(text, part) })
}

// sentTimes returns how many of the sent texts contain a part.
func (m *memoir) sentTimes(part string) int {
	n := 0
	for _, text := range m.endpoint.Sent() {
		if strings.Contains(text, part) {
			n++
		}
	}
	return n
}

// notes are two agents. They share the text of one memory.
func notes() memoirtest.Files {
	return memoirtest.Files{
		"ada/memory/feedback_deploy.md":  memoirtest.Note("deploy", memories.Feedback, "Releases leave on Tuesdays only."),
		"ada/memory/project_database.md": memoirtest.Note("database", memories.Project, "All services share one PostgreSQL cluster."),
		"ada/memory/user_language.md":    memoirtest.Note("language", memories.User, "Wants answers of one paragraph."),
		"bob/memory/feedback_deploy.md":  memoirtest.Note("deploy", memories.Feedback, "Releases leave on Tuesdays only."),
	}
}
