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
	// Token: the server wants one. The entries name the variable that holds it, and never the token.
	Token bool
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
	if err := h.remove(s); err != nil {
		return nil, err
	}
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
	if err := h.remove(s); err != nil {
		return nil, err
	}
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
			if slices.ContainsFunc(hooksOf(group), func(hook hujson.Value) bool { return h.owns(event, hook, known) }) {
				own = append(own, group)
			}
		}
		return len(own) != 1 || !same(own[0], h.group(event))
	})
}

// remove takes all of Memoir's entries out.
func (h Hooks) remove(s *settings) error {
	known := h.addresses(s)
	for _, event := range Events() {
		groups := s.groups(event)
		// From the end, so that the places of what is yet to be removed stay what they are.
		for i, group := range slices.Backward(groups) {
			hooks := hooksOf(group)
			left := len(hooks)
			for j, hook := range slices.Backward(hooks) {
				if !h.owns(event, hook, known) {
					continue
				}
				if err := s.remove(hooksKey, event.Name, i, hooksKey, j); err != nil {
					return err
				}
				left--
			}
			if left > 0 || len(hooks) == 0 {
				continue
			}
			if err := s.remove(hooksKey, event.Name, i); err != nil {
				return err
			}
		}
		if len(groups) == 0 || len(s.groups(event)) > 0 {
			continue
		}
		if err := s.remove(hooksKey, event.Name); err != nil {
			return err
		}
		if len(s.hooks().Members) == 0 {
			if err := s.remove(hooksKey); err != nil {
				return err
			}
		}
	}
	return nil
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
