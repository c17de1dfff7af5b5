package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// server is a running Memoir with agents of its own.
type server struct {
	command *exec.Cmd
	url     string
	agents  string // the agents' directory
}

// startTimeout is how long the server may take to start, including a new database (arbitrary).
const startTimeout = 2 * time.Minute

// startServer fills the agents' directory in place, starts program over it with a private database
// there, and returns when it is ready. The caller must call stop. After an error, no server runs.
func startServer(ctx context.Context, program, place string, fill func(dir string) error, flags []string) (*server, error) {
	s := &server{agents: filepath.Join(place, "agents")}
	if err := fill(s.agents); err != nil {
		return nil, err
	}
	s.command = exec.Command(program, append(flags, "--addr=127.0.0.1:0", "--agents-dir="+s.agents, "--claude-dir=", "--data-dir="+filepath.Join(place, "data"), "--database-url=")...)
	s.command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + place} // without the caller's settings
	var log bytes.Buffer
	s.command.Stderr = &log
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the server did not start: %w\n%s", s.command.Wait(), log.String())
	}
	s.url = strings.TrimSpace(line[strings.Index(line, "http://"):])
	limited, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for s.call(limited, http.MethodGet, "/readyz", nil, nil) != nil {
		select {
		case <-limited.Done():
			return nil, fmt.Errorf("the server was not ready in time: %w", s.stop())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return s, nil
}

func (s *server) stop() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.command.Wait()
}

// call sends a request to the server at path, with body as JSON, and decodes the JSON response into
// answer unless that is nil. It returns an error for a status from 400.
func (s *server) call(ctx context.Context, method, path string, body, answer any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+writer) // a server without tokens ignores it
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, raw)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(raw, answer)
}

// memory asks the server for an agent's memory with this name and returns the memory's path in the
// API. It returns an error if there is no such memory.
func (s *server) memory(ctx context.Context, agent, name string) (string, error) {
	var list struct{ Memories []struct{ ID string } }
	path := "/api/v1/agents/" + agent + "/memories"
	if err := s.call(ctx, http.MethodGet, path+"?limit=1&name="+url.QueryEscape(name), nil, &list); err != nil {
		return "", err
	}
	if len(list.Memories) == 0 {
		return "", fmt.Errorf("%s has no memory %q", agent, name)
	}
	return path + "/" + list.Memories[0].ID, nil
}
