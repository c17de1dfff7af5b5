// Package hooksettings puts Memoir's hooks into a settings file of Claude Code, and takes them out again. It is a pure
// function from the bytes of such a file to other bytes: what is not Memoir's keeps its order, its formatting and its
// comments. It never touches a disk; the command line reads and writes the files.
//
// An entry is told to be Memoir's by what it does: it runs a program called memoir as "memoir hook EVENT", or posts to
// /hooks/EVENT at an address that is Memoir's. That is the address of the [Hooks], and each that such a command names, so
// that entries are found again after Memoir has moved to another address.
package hooksettings

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Event is one of the moments in a conversation in which Claude Code calls Memoir.
type Event struct {
	Name string // as Claude Code calls it
	Path string // the same in an address, and on the command line
	// commandOnly: Claude Code does not post this event, it only runs a program for it.
	commandOnly bool
	matcher     string // which tools it is about; empty: it is about none
}

// Events returns those that Memoir listens to, in the order in which they come in a conversation.
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

// Hooks are the entries that make Claude Code call one Memoir.
type Hooks struct {
	URL     string // of the server, without a slash at its end
	Program string // the absolute path of the memoir program
	// Agent is the slug of the agent whose memory is meant; empty: the server goes by the directory that is worked in.
	Agent string
	// Token: the server wants one. The entries name the variable that holds it, and never the token.
	Token bool
}

// Address returns where the server is told of an event.
func (h Hooks) Address(event Event) string {
	address := h.URL + pathOf(event)
	if h.Agent != "" {
		address += "?" + url.Values{agentParameter: {h.Agent}}.Encode()
	}
	return address
}

const hooksKey = "hooks"

// Install returns a settings file with the hooks in it, in place of older ones of Memoir's. A file that has exactly these
// comes back as it is; one of white space alone is a file yet to be written.
//
// The error is for people, and says why the file is none that hooks can be put into. There may be comments and trailing
// commas in it.
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

// Uninstall returns a settings file without any hooks of Memoir's, and without what they alone kept from being empty. A
// file that has none comes back as it is. The error is that of Install.
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

// areIn reports whether a file has exactly the entries that it should have.
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

// remove takes all of Memoir's entries out, and what becomes empty by that.
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

// removeFrom takes Memoir's entries out of the groups of an event, and says whether there were any.
func (h Hooks) removeFrom(s *settings, event Event, array *hujson.Array, known []string) (found bool) {
	// From the end, so that the places of what is yet to be taken out stay what they are.
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

// read parses a settings file and checks that hooks can be put into it.
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
			return nil, fmt.Errorf("%q is no array in it", strings.Join([]string{hooksKey, event.Name}, "."))
		}
	}
	return s, nil
}
