package extraction_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memoir/internal/access"

	"memoir/internal/extraction"
	"memoir/internal/gate"
	"memoir/internal/hooks"
	"memoir/internal/model/modeltest"
	"memoir/internal/waittest"
)

func TestHook_ReadOnly(t *testing.T) {
	// Reading a conversation costs tokens and may write, so a reader cannot cause it.
	t.Parallel()
	b := setup(t, extraction.Propose, modeltest.Says("{}"))
	log := slog.New(slog.DiscardHandler)
	guard, err := gate.New(gate.Options{Addr: "127.0.0.1:0", Token: "writer", ReadToken: "reader", Needs: func(*http.Request) access.Scope { return access.Read }, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(guard.Around(hooks.New(b.Engine, b.Store, b.Recaller, b.extractor, log)))
	t.Cleanup(server.Close)
	for _, who := range []string{"reader", "writer"} {
		b.says(who, "{}\n")
		body := fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"cwd":%q}`, who, b.transcript(who), b.Dir)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/hooks/stop?agent=ada", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+who)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("the hook of the %s is answered with %d", who, response.StatusCode)
		}
	}
	heard := func() (sessions []string) {
		unread, err := b.Store.UnreadConversations(t.Context(), time.Now().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range unread {
			sessions = append(sessions, c.Session)
		}
		return sessions
	}
	waittest.For(b, "the writer's conversation to be heard of", func() bool { return len(heard()) > 0 })
	if got := heard(); len(got) != 1 || got[0] != "writer" {
		t.Errorf("conversations to be read are %q", got)
	}
}

func TestHook_QueuesForTheAgentOfTheTranscript(t *testing.T) {
	t.Parallel()
	b := setup(t, extraction.Propose, modeltest.Says("{}"))
	project := filepath.Dir(b.transcript("any"))
	if err := os.Mkdir(filepath.Join(project, "memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	waittest.For(b, "the project's agent", func() bool { _, err := b.Store.Agent(t.Context(), "-work"); return err == nil })
	log := slog.New(slog.DiscardHandler)
	handler := hooks.New(b.Engine, b.Store, b.Recaller, b.extractor, log)
	for _, event := range []string{"stop", "session-end"} {
		b.says(event, "{}\n")
		// The working directory is another agent's.
		body := fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"cwd":%q}`, event, b.transcript(event), b.Path("ada"))
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hooks/"+event, strings.NewReader(body)))
	}
	agent, err := b.Store.Agent(t.Context(), "-work")
	if err != nil {
		t.Fatal(err)
	}
	waittest.For(b, "both conversations", func() bool {
		unread, err := b.Store.UnreadConversations(t.Context(), time.Now().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range unread {
			if c.AgentID != agent.ID {
				t.Fatalf("conversation %s is queued for agent %d, want %d", c.Session, c.AgentID, agent.ID)
			}
		}
		return len(unread) == 2
	})
}
