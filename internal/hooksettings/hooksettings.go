// Package hooksettings adds Memoir's hooks to a settings file of Claude Code and removes them. It
// converts bytes to bytes and keeps the order, format and comments of everything else. It never
// touches a disk; package cli reads and writes the files.
//
// An entry belongs to Memoir if it runs a program called memoir as "memoir hook EVENT" and no other
// program. An entry of an earlier version posts to /hooks/EVENT at an address of Memoir. That is an
// address in [Hooks] or in such a command.
package hooksettings

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/tailscale/hujson"
)

// Event is a moment of a conversation at which Claude Code calls Memoir.
type Event struct {
	Name string // Claude Code's name
	Path string // name in addresses and on the command line
	// Timeout limits one run of "memoir hook", from its start to its end. Claude Code waits that
	// long for a server that hangs, unless the hook is asynchronous.
	Timeout time.Duration
	// IsAsync reports whether Claude Code does not wait for the hook, because it gives no context.
	IsAsync bool
	// tools are the tools that trigger the event, each for Markdown files only. They are empty for
	// an event without tools.
	tools []string
}

const (
	// turnTimeout is the Timeout of an event that a person may wait for. The server answers within
	// one second, and a process starts in 50 ms; Memoir promises 1.5 s.
	turnTimeout = 1200 * time.Millisecond
	// toolTimeout is the Timeout of a tool's event (arbitrary). The server answers it in some
	// milliseconds, and a turn may have a hundred tools.
	toolTimeout = 500 * time.Millisecond
)

// Events returns the events that Memoir uses, in the order of a conversation. Stop and SessionEnd
// cause the same work: Claude Code loses an asynchronous Stop if it exits at once.
func Events() []Event {
	return []Event{
		{Name: "SessionStart", Path: "session-start", Timeout: turnTimeout},
		{Name: "UserPromptSubmit", Path: "user-prompt-submit", Timeout: turnTimeout},
		{Name: "PostToolUse", Path: "post-tool-use", Timeout: toolTimeout, IsAsync: true, tools: []string{"Write", "Edit", "Read"}},
		{Name: "Stop", Path: "stop", Timeout: turnTimeout, IsAsync: true},
		{Name: "PreCompact", Path: "pre-compact", Timeout: turnTimeout, IsAsync: true},
		{Name: "SessionEnd", Path: "session-end", Timeout: turnTimeout, IsAsync: true},
	}
}

// Hooks describes the entries that make Claude Code call one server.
type Hooks struct {
	// URL is the server's, without a trailing slash. If it is empty, the entries contain no URL, and
	// the program takes the one of its environment.
	URL string
	// Program is the absolute path of the program memoir. If it is empty, the entries run the memoir
	// in PATH, and do nothing on a machine without it.
	Program string
	// Agent is the slug of the agent. If it is empty, the server finds the agent of the
	// conversation.
	Agent string
	// Model reports whether the server asks a model. Its choice may come with any tool, so Claude
	// Code then runs PostToolUse for every tool and waits for it.
	Model bool
	// Former is an address to which entries of an earlier version may post, next to URL. It may be
	// empty.
	Former string
}

// Address returns the URL to which an event is posted. If h.Agent is not empty, the URL has it as
// the parameter agent.
func (h Hooks) Address(event Event) string {
	address := h.URL + pathOf(event)
	if h.Agent != "" {
		address += "?" + url.Values{agentParameter: {h.Agent}}.Encode()
	}
	return address
}

const hooksKey = "hooks"

// Install returns the settings file with Memoir's hooks for all events, in place of earlier hooks
// of Memoir. It returns file itself if it has exactly these. An empty file counts as an object
// without members. It returns an error for users if the file is no JSON object. So it does if
// "hooks" or an event in it has another type or is there twice.
func (h Hooks) Install(file []byte) ([]byte, error) {
	s, err := read(file)
	if err != nil {
		return nil, err
	}
	if h.areIn(s) {
		return file, nil
	}
	h.remove(s)
	for _, event := range Events() {
		for _, group := range h.groups(event) {
			if err := s.addGroup(event, group); err != nil {
				return nil, err
			}
		}
	}
	return s.bytes(), nil
}

// Uninstall returns the settings file without Memoir's hooks, and without objects and arrays that
// become empty. It returns file itself if it has no such hooks. It returns an error for users if
// the file is no JSON object. So it does if "hooks" or an event in it has another type or is there
// twice.
func (h Hooks) Uninstall(file []byte) ([]byte, error) {
	s, err := read(file)
	if err != nil {
		return nil, err
	}
	before := s.bytes()
	h.remove(s)
	if after := s.bytes(); string(after) != string(before) {
		return after, nil
	}
	return file, nil
}

// areIn reports whether the file needs no change by Install. For each event, the groups with
// entries of Memoir then equal the result of h.groups, in the same order.
func (h Hooks) areIn(s *settings) bool {
	known := h.addresses(s)
	return !slices.ContainsFunc(Events(), func(event Event) bool {
		var own []hujson.Value
		for _, group := range s.groups(event) {
			if slices.ContainsFunc(entriesOf(group), func(hook hujson.Value) bool { return h.owns(event, hook, known) }) {
				own = append(own, group)
			}
		}
		return !slices.EqualFunc(own, h.groups(event), func(is hujson.Value, shouldBe group) bool { return same(is, shouldBe) })
	})
}

// remove removes Memoir's entries of all events from s. It also removes the groups, arrays and
// objects that become empty by that.
func (h Hooks) remove(s *settings) {
	known := h.addresses(s)
	for _, event := range Events() {
		array := s.array(event)
		if array == nil || !h.removeFrom(s, event, array, known) || len(array.Elements) > 0 {
			continue
		}
		s.takeMember(s.hooks(), event.Name)
		if len(s.hooks().Members) == 0 {
			s.takeMember(s.top, hooksKey)
		}
	}
}

// removeFrom removes Memoir's entries from the groups of an event in array, and the groups that
// become empty. It reports whether there were such entries. known has Memoir's addresses.
func (h Hooks) removeFrom(s *settings, event Event, array *hujson.Array, known []string) (found bool) {
	// Removing from the end keeps the remaining indexes valid.
	for i, group := range slices.Backward(array.Elements) {
		taken := false
		for j, entry := range slices.Backward(entriesOf(group)) {
			if h.owns(event, entry, known) {
				s.take(composite{array: hooksOf(group)}, j)
				taken = true
			}
		}
		if taken && len(entriesOf(group)) == 0 {
			s.take(composite{array: array}, i)
		}
		found = found || taken
	}
	return found
}

// read parses a settings file. It returns an error for users if the file is no JSON object, "hooks"
// is no object, an event in it is no array, or one of these keys is there twice.
func read(file []byte) (*settings, error) {
	s, err := parse(file)
	if err != nil {
		return nil, err
	}
	hooks, err := s.only(s.top, hooksKey)
	if hooks == nil || err != nil {
		return s, err
	}
	events, isObject := hooks.Value.(*hujson.Object)
	if !isObject {
		return nil, errors.New(`"hooks" is not an object`)
	}
	for _, event := range Events() {
		groups, err := s.only(events, event.Name)
		if err != nil {
			return nil, err
		}
		if groups == nil {
			continue
		}
		if _, isArray := groups.Value.(*hujson.Array); !isArray {
			return nil, fmt.Errorf("%q is not an array", hooksKey+"."+event.Name)
		}
	}
	return s, nil
}
