package hooksettings

import (
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
	// tokenVariable is the variable from which Claude Code reads the token.
	tokenVariable = "MEMOIR_TOKEN"
	// timeout is how long Claude Code waits for an answer, in seconds (arbitrary). Memoir normally
	// answers in 50 ms.
	timeout = 5
)

// A group is the list of hooks of an event, for the tools that the matcher names.
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

// group returns the group with Memoir's hook for an event: a command if the event needs one, else a
// POST to the server. If h.Token is set, the POST has a header with the name of the token's
// variable.
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

// owns reports whether an entry of an event is Memoir's. Such an entry runs Memoir's command, or
// posts to the event's path at one of the addresses in known. These must be in the form of origin.
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

// addresses returns h.URL and the addresses in Memoir's commands of a file, each in the form of
// origin. It does not remove duplicates.
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

// addressIn reports in isOurs whether a command line runs Memoir's hook for this event. If it does,
// address is the value of its flag --url, or "" without this flag; otherwise address is "".
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

// origin returns an address in a form to compare: scheme and host in lower case, and the path
// without a slash at its end. It drops a query and a fragment. It returns a malformed address
// unchanged.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimSuffix(u.Path, "/")
}

// decode unmarshals a value, without its comments, into the pointer into, and reports whether that
// succeeded. It does not change the value.
func decode(value hujson.Value, into any) bool {
	plain := value.Clone()
	plain.Standardize()
	return json.Unmarshal(plain.Pack(), into) == nil
}

// same reports whether a value in a file equals expected as JSON, apart from formatting and
// comments.
func same(value hujson.Value, expected any) bool {
	text, err := json.Marshal(expected)
	if err != nil {
		return false
	}
	var is, shouldBe any
	return decode(value, &is) && json.Unmarshal(text, &shouldBe) == nil && reflect.DeepEqual(is, shouldBe)
}
