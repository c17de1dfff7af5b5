package hooksettings

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/tailscale/hujson"
)

const (
	program        = "memoir"
	command        = "hook"
	urlFlag        = "--url"
	agentFlag      = "--agent"
	agentParameter = "agent"
	// tokenVariable is where Claude Code finds the token when it calls.
	tokenVariable = "MEMOIR_TOKEN"
	// timeout is how long Claude Code waits for an answer, in seconds. Memoir answers in a twentieth of one.
	timeout = 5
)

// A group is what Claude Code does at an event when a tool is concerned that the matcher names.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

type hook struct {
	Type           string            `json:"type"`
	Command        string            `json:"command,omitempty"`
	URL            string            `json:"url,omitempty"`
	Timeout        int               `json:"timeout,omitempty"`
	Headers        map[string]string `json:"headers,omitempty"`
	AllowedEnvVars []string          `json:"allowedEnvVars,omitempty"`
}

// group returns what is to be done at an event.
func (h Hooks) group(event Event) group {
	calls := hook{Type: "http", URL: h.Address(event), Timeout: timeout}
	switch {
	case event.commandOnly:
		calls = hook{Type: "command", Command: h.command(event), Timeout: timeout}
	case h.Token:
		calls.Headers = map[string]string{"Authorization": "Bearer $" + tokenVariable}
		calls.AllowedEnvVars = []string{tokenVariable}
	}
	return group{Matcher: event.matcher, Hooks: []hook{calls}}
}

func (h Hooks) command(event Event) string {
	words := []string{h.Program, command, event.Path, urlFlag, h.URL}
	if h.Agent != "" {
		words = append(words, agentFlag, h.Agent)
	}
	return shellquote.Join(words...)
}

func pathOf(event Event) string { return "/hooks/" + event.Path }

// owns reports whether an entry of an event is Memoir's, given the addresses that Memoir is known to have or have had.
func (h Hooks) owns(event Event, entry hujson.Value, known []string) bool {
	var e hook
	if !decode(entry, &e) {
		return false
	}
	switch e.Type {
	case "command":
		_, isOurs := h.addressIn(event, e.Command)
		return isOurs
	case "http":
		address, _, _ := strings.Cut(e.URL, "?"+agentParameter+"=")
		address, isOurs := strings.CutSuffix(address, pathOf(event))
		return isOurs && slices.Contains(known, origin(address))
	}
	return false
}

// addresses returns those that Memoir has, by the Hooks, and has had, by the commands in a file.
func (h Hooks) addresses(s *settings) []string {
	known := []string{origin(h.URL)}
	for _, event := range Events() {
		for _, group := range s.groups(event) {
			for _, entry := range entriesOf(group) {
				var e hook
				if !decode(entry, &e) || e.Type != "command" {
					continue
				}
				if address, isOurs := h.addressIn(event, e.Command); isOurs && address != "" {
					known = append(known, origin(address))
				}
			}
		}
	}
	return known
}

// addressIn returns the address that Memoir's command for an event names; empty: it names none.
func (h Hooks) addressIn(event Event, line string) (address string, isOurs bool) {
	words, err := shellquote.Split(line)
	if err != nil || len(words) < 3 || words[1] != command || words[2] != event.Path {
		return "", false
	}
	if name := filepath.Base(words[0]); name != program && name != filepath.Base(h.Program) {
		return "", false
	}
	for i, word := range words[3:] {
		if value, found := strings.CutPrefix(word, urlFlag+"="); found {
			return value, true
		}
		if word == urlFlag && 3+i+1 < len(words) {
			return words[3+i+1], true
		}
	}
	return "", true
}

// origin returns an address as it is compared: letter case does not matter in what comes before the path, nor does a slash at
// its end.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimSuffix(u.Path, "/")
}

// decode reads a value as encoding/json does, whatever comments are in it. It reports whether it is of the kind that is wanted.
func decode(value hujson.Value, into any) bool {
	plain := value.Clone()
	plain.Standardize()
	return json.Unmarshal(plain.Pack(), into) == nil
}

// same reports whether a value in a file is what is wanted in its place, however it is written.
func same(value hujson.Value, wanted any) bool {
	text, err := json.Marshal(wanted)
	if err != nil {
		return false
	}
	var is, shouldBe any
	return decode(value, &is) && json.NewDecoder(bytes.NewReader(text)).Decode(&shouldBe) == nil && reflect.DeepEqual(is, shouldBe)
}
