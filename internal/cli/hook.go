package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"memoir/internal/claudesettings"
	"memoir/internal/cli/remote"
	"memoir/internal/hooksettings"
)

const (
	// maxEvent limits the hook event, in bytes. A prompt may have megabytes. Arbitrary.
	maxEvent = 16 << 20
	// maxHookAnswer limits the server's response, in bytes. Arbitrary; Claude Code puts texts over
	// 10,000 characters into a file.
	maxHookAnswer = 1 << 20
)

// runHook reads one hook event from standard input, sends it to the server, and prints the text for
// the session, all within the event's Timeout. The end of ctx does not stop an asynchronous event.
// It returns only errHelp and *usageError. After any other error or panic it prints no text and
// returns nil; with --debug, it prints the reason on standard error.
func runHook(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	flagged := addressFlags(flags)
	agent := flags.String("agent", "", "")
	debug := flags.Bool("debug", false, "")
	event, server, err := w.hookOf(flags, flagged, args)
	if err != nil {
		return err
	}
	if w.isMemoryOff() {
		if *debug {
			fmt.Fprintf(w.Stderr, "memoir: hook %s: a variable switches Claude Code's memory off\n", event.Path)
		}
		return nil
	}
	defer func() {
		// A panic would exit with 2, and Claude Code would block the action.
		if failure := recover(); failure != nil && *debug {
			fmt.Fprintf(w.Stderr, "memoir: hook %s: %v\n", event.Path, failure)
		}
	}()
	if event.IsAsync {
		// Claude Code sends SIGTERM to asynchronous hooks when it exits. The server must know of
		// the event all the same, and recognises the user only while this process is connected.
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, event.Timeout)
	defer cancel()
	output, err := send(ctx, server, *agent, event, w.Stdin)
	switch {
	case err != nil && *debug:
		fmt.Fprintf(w.Stderr, "memoir: hook %s: %v\n", event.Path, err)
	case err == nil:
		w.Stdout.Write(output)
	}
	return nil
}

// isMemoryOff reports whether the environment of Claude Code, which hooks inherit, switches its
// memory off. A hook then sends nothing. The server sees only settings files and its own environment.
func (w *World) isMemoryOff() bool {
	on, _ := claudesettings.Enabled(claudesettings.Input{Env: w.Env})
	return !on
}

// hookOf parses the arguments of hook. It returns the event, which they name by its path or name,
// and the server. It returns errHelp for --help. It returns a *usageError for a wrong flag or URL,
// or if there is not exactly one known event.
func (w *World) hookOf(flags *flag.FlagSet, flagged *remote.Server, args []string) (hooksettings.Event, remote.Server, error) {
	words, err := parse(flags, args)
	if err != nil {
		return hooksettings.Event{}, remote.Server{}, err
	}
	if len(words) != 1 {
		return hooksettings.Event{}, remote.Server{}, misused("hook takes one event, not %d words", len(words))
	}
	at := slices.IndexFunc(hooksettings.Events(), func(e hooksettings.Event) bool { return e.Path == words[0] || e.Name == words[0] })
	if at < 0 {
		return hooksettings.Event{}, remote.Server{}, misused("unknown event %q", words[0])
	}
	server, err := w.addressOf(flagged)
	return hooksettings.Events()[at], server, err
}

// send reads an event from from, posts it to the server, and returns the JSON to print for the
// session. It returns nil and nil if the response has no text for the session. It returns an error
// if the event or the response is too long, the status is not 2xx, or the response is not JSON.
func send(ctx context.Context, server remote.Server, agent string, event hooksettings.Event, from io.Reader) ([]byte, error) {
	input, err := readEvent(ctx, from)
	if err != nil {
		return nil, err
	}
	to := hooksettings.Hooks{URL: server.URL, Agent: agent}.Address(event)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(input))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := server.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxHookAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s answers %s", server.URL, response.Status)
	case len(answer) > maxHookAnswer:
		return nil, fmt.Errorf("%s answers more than %d bytes", server.URL, maxHookAnswer)
	case len(bytes.TrimSpace(answer)) == 0:
		return nil, nil
	}
	return contextIn(answer, response.Header.Get("Content-Type"), event)
}

// readEvent returns all bytes of from. It returns an error if they are more than maxEvent, or if
// ctx ends before the input does; a goroutine then continues to read.
func readEvent(ctx context.Context, from io.Reader) ([]byte, error) {
	type reading struct {
		data []byte
		err  error
	}
	read := make(chan reading, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(from, maxEvent+1))
		read <- reading{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, errors.New("the event on standard input did not end")
	case r := <-read:
		if len(r.data) > maxEvent {
			return nil, fmt.Errorf("the event on standard input is longer than %d bytes", maxEvent)
		}
		return r.data, r.err
	}
}

// contextIn returns JSON for Claude Code with the name of event and the context in a server's
// response. It returns nil if there is no context. It leaves out all other fields, so that no
// server can stop an agent. It returns an error if contentType is not application/json or answer is
// no JSON.
func contextIn(answer []byte, contentType string, event hooksettings.Event) ([]byte, error) {
	type specific struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	}
	var output struct {
		HookSpecificOutput specific `json:"hookSpecificOutput"`
	}
	if media, _, _ := mime.ParseMediaType(contentType); media != "application/json" {
		return nil, fmt.Errorf("the answer is %q, not JSON", contentType)
	}
	if err := json.Unmarshal(answer, &output); err != nil {
		return nil, fmt.Errorf("the answer is not valid JSON for a hook: %w", err)
	}
	if strings.TrimSpace(output.HookSpecificOutput.AdditionalContext) == "" {
		return nil, nil
	}
	output.HookSpecificOutput.HookEventName = event.Name
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(output)
	return out.Bytes(), err
}
