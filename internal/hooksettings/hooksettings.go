// Package hooksettings adds Memoir's hooks to a settings file of Claude Code and removes them. It
// converts bytes to bytes and keeps the order, format and comments of everything else. It never
// touches a disk; package cli reads and writes the files.
//
// An entry belongs to Memoir if it runs a program called memoir as "memoir hook EVENT", or posts to
// /hooks/EVENT at an address of Memoir. Those are the address in [Hooks] and the addresses in such
// commands, so that entries with an old address are found.
package hooksettings

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/tailscale/hujson"
)

// Event is a moment of a conversation at which Claude Code calls Memoir.
type Event struct {
	Name string // Claude Code's name
	Path string // name in addresses and on the command line
	// commandOnly reports whether Claude Code can only run a program for this event, not post it.
	commandOnly bool
	matcher     string // the tools that trigger it; empty if none do
}

// Events returns the events that Memoir uses, in the order of a conversation.
func Events() []Event {
	return []Event{
		{Name: "SessionStart", Path: "session-start", commandOnly: true},
		{Name: "UserPromptSubmit", Path: "user-prompt-submit"},
		{Name: "PostToolUse", Path: "post-tool-use", matcher: "Write|Edit"},
		{Name: "Stop", Path: "stop"},
		{Name: "PreCompact", Path: "pre-compact"},
		{Name: "SessionEnd", Path: "session-end"},
	}
}

// Hooks describes the entries that make Claude Code call one server.
type Hooks struct {
	URL     string // of the server, without a trailing slash
	Program string // absolute path of the program memoir
	// Agent is the slug of the agent. If it is empty, the server derives the agent from the working
	// directory.
	Agent string
	// Token reports whether the server needs a token. The entries contain the name of the variable
	// with the token, never the token.
	Token bool
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
		if err := s.addGroup(event, h.group(event)); err != nil {
			return nil, err
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

// areIn reports whether the file needs no change by Install. Each event then has exactly one group
// with entries of Memoir, and that group is as Install would write it.
func (h Hooks) areIn(s *settings) bool {
	known := h.addresses(s)
	return !slices.ContainsFunc(Events(), func(event Event) bool {
		var own []hujson.Value
		for _, group := range s.groups(event) {
			if slices.ContainsFunc(entriesOf(group), func(hook hujson.Value) bool { return h.owns(event, hook, known) }) {
				own = append(own, group)
			}
		}
		return len(own) != 1 || !same(own[0], h.group(event))
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
		return nil, errors.New(`"hooks" is no object in it`)
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
			return nil, fmt.Errorf("%q is no array in it", hooksKey+"."+event.Name)
		}
	}
	return s, nil
}
