package hooksettings

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/tailscale/hujson"
)

const (
	program        = "memoir"
	command        = "hook"
	urlFlag        = "--url"
	agentFlag      = "--agent"
	agentParameter = "agent"
	// markdownFiles is the rule for all Markdown files. Every memory is one, wherever the settings
	// of Claude Code and Memoir put it.
	markdownFiles = "(//**/*.md)"
	// spareTime is the time that Claude Code waits beyond Event.Timeout (arbitrary). The program
	// normally ends by itself; this limit is for a machine that hangs.
	spareTime = time.Second
)

// ifPresent ends a command line that succeeds and prints nothing on a machine without the program.
// Claude Code runs it with bash, zsh or sh, and with PowerShell on Windows without Git Bash. In
// PowerShell the program does not run, but the line succeeds; Memoir does not exist for Windows.
const ifPresent = " 2>/dev/null; exit 0"

// A group is the list of hooks of an event, for the tools that the matcher names.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

type hook struct {
	Type    string `json:"type"`
	If      string `json:"if,omitempty"` // a permission rule, for one tool
	Command string `json:"command,omitempty"`
	URL     string `json:"url,omitempty"` // only in entries of earlier versions
	Async   bool   `json:"async,omitempty"`
	Timeout int    `json:"timeout,omitempty"` // in seconds
}

// groups returns the groups with Memoir's hook for an event. There is one for each tool, because a
// rule under "if" matches one tool only. There is one for all tools if h.Model is set.
func (h Hooks) groups(event Event) []group {
	entry := hook{
		Type: "command", Command: h.command(event), Async: event.IsAsync,
		Timeout: int(math.Ceil((event.Timeout + spareTime).Seconds())),
	}
	if len(event.tools) == 0 {
		return []group{{Hooks: []hook{entry}}}
	}
	if h.Model {
		entry.Async = false
		return []group{{Hooks: []hook{entry}}}
	}
	var groups []group
	for _, tool := range event.tools {
		entry.If = tool + markdownFiles
		groups = append(groups, group{Matcher: tool, Hooks: []hook{entry}})
	}
	return groups
}

// command returns the command line for a shell that runs Memoir's hook for an event.
func (h Hooks) command(event Event) string {
	words := []string{cmp.Or(h.Program, program), command, event.Path}
	if h.URL != "" {
		words = append(words, urlFlag, h.URL)
	}
	if h.Agent != "" {
		words = append(words, agentFlag, h.Agent)
	}
	line := shellquote.Join(words...)
	if h.Program == "" {
		line += ifPresent
	}
	return line
}

func pathOf(event Event) string { return "/hooks/" + event.Path }

// owns reports whether an entry of an event is Memoir's. Such an entry runs Memoir's command. Or it
// posts to the event's path at one of the addresses in known, as earlier versions wrote it. The
// addresses must be in the form of origin.
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

// addresses returns h.URL, h.Former and the addresses in Memoir's commands of a file, each in the
// form of origin. It leaves out empty ones, and does not remove duplicates.
func (h Hooks) addresses(s *settings) []string {
	var known []string
	for _, address := range []string{h.URL, h.Former} {
		if address != "" {
			known = append(known, origin(address))
		}
	}
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

// addressIn reports in isOurs whether a command line runs Memoir's hook for this event and no other
// program. If it does, address is the value of its flag --url, or "" without this flag; otherwise
// address is "".
func (h Hooks) addressIn(event Event, line string) (address string, isOurs bool) {
	words, err := shellquote.Split(strings.TrimSuffix(line, ifPresent))
	if err != nil || len(words) < 3 || words[1] != command || words[2] != event.Path {
		return "", false
	}
	if name := filepath.Base(words[0]); name != program && name != filepath.Base(h.Program) {
		return "", false
	}
	rest := words[3:]
	if slices.ContainsFunc(rest, isOperator) {
		return "", false
	}
	for i, word := range rest {
		if value, found := strings.CutPrefix(word, urlFlag+"="); found {
			return value, true
		}
		if word == urlFlag && i+1 < len(rest) {
			return rest[i+1], true
		}
	}
	return "", true
}

// isOperator reports whether a word of a command line starts another command.
func isOperator(word string) bool {
	return word == "&&" || word == "||" || word == "|" || word == "&" || strings.HasSuffix(word, ";")
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
