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
	"time"

	"memoir/internal/hooksettings"
)

const (
	// hookPatience is how long a hook may take in all; the promise is a second.
	hookPatience = 900 * time.Millisecond
	// maxEvent is the longest event that is told to the server, in bytes. A prompt may have megabytes.
	maxEvent = 16 << 20
	// maxHookAnswer is the longest answer that is read, in bytes. Past 10,000 characters Claude Code puts it into a file.
	maxHookAnswer = 1 << 20
)

// runHook is one call of a hook. What goes wrong on the way is nobody's business but that of who debugs it.
func runHook(ctx context.Context, w *World, args []string) error {
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	flagged := w.addressFlags(flags)
	agent := flags.String("agent", "", "")
	debug := flags.Bool("debug", false, "")
	event, server, err := w.hookOf(flags, flagged, args)
	if errors.Is(err, errHelp) {
		io.WriteString(w.Stdout, hookHelp)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		// A program that panics ends with 2, by which Claude Code is told to refuse.
		if failure := recover(); failure != nil && *debug {
			fmt.Fprintf(w.Stderr, "memoir: hook %s: %v\n", event.Path, failure)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	said, err := tell(ctx, server, *agent, event, w.Stdin)
	switch {
	case err != nil && *debug:
		fmt.Fprintf(w.Stderr, "memoir: hook %s: %v\n", event.Path, err)
	case err == nil:
		w.Stdout.Write(said)
	}
	return nil
}

// hookOf reads a hook's arguments.
func (w *World) hookOf(flags *flag.FlagSet, flagged *address, args []string) (hooksettings.Event, address, error) {
	words, err := parse(flags, args)
	if err != nil {
		return hooksettings.Event{}, address{}, err
	}
	if len(words) != 1 {
		return hooksettings.Event{}, address{}, misused("hook takes one event, and was given %d words", len(words))
	}
	at := slices.IndexFunc(hooksettings.Events(), func(e hooksettings.Event) bool { return e.Path == words[0] || e.Name == words[0] })
	if at < 0 {
		return hooksettings.Event{}, address{}, misused("there is no event %q", words[0])
	}
	server, err := w.addressOf(flagged)
	return hooksettings.Events()[at], server, err
}

// tell posts an event to the server and returns what the session is to be told; nothing, where there is nothing.
func tell(ctx context.Context, server address, agent string, event hooksettings.Event, from io.Reader) ([]byte, error) {
	input, err := readEvent(ctx, from)
	if err != nil {
		return nil, err
	}
	to := hooksettings.Hooks{URL: server.url, Agent: agent}.Address(event)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(input))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	server.authorise(request)
	response, err := caller.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxHookAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s answers %s", server.url, response.Status)
	case len(answer) > maxHookAnswer:
		return nil, fmt.Errorf("%s answers more than %d bytes", server.url, maxHookAnswer)
	case len(bytes.TrimSpace(answer)) == 0:
		return nil, nil
	}
	return contextIn(answer, response.Header.Get("Content-Type"), event)
}

// readEvent reads the event to its end. Whoever never ends it is not waited for.
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

// contextIn takes from a server's answer what the session is to be told, and leaves all else: a hook of Memoir's never stops an
// agent, whatever may be answering at its address.
func contextIn(answer []byte, contentType string, event hooksettings.Event) ([]byte, error) {
	type specific struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	}
	var said struct {
		HookSpecificOutput specific `json:"hookSpecificOutput"`
	}
	if media, _, _ := mime.ParseMediaType(contentType); media != "application/json" {
		return nil, fmt.Errorf("the answer is %q and no JSON", contentType)
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, fmt.Errorf("the answer is no JSON that a hook could understand: %w", err)
	}
	if strings.TrimSpace(said.HookSpecificOutput.AdditionalContext) == "" {
		return nil, nil
	}
	said.HookSpecificOutput.HookEventName = event.Name
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(said)
	return out.Bytes(), err
}
