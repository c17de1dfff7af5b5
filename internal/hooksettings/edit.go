package hooksettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

const byteOrderMark = "\uFEFF"

// settings is a settings file that is being edited.
type settings struct {
	bom    string
	root   hujson.Value
	top    *hujson.Object // of root
	eol    string
	indent string // of one level
}

// parse reads a settings file. One without anything in it is taken for an object without members.
func parse(file []byte) (*settings, error) {
	s := &settings{eol: "\n", indent: "  "}
	text := string(file)
	if rest, found := strings.CutPrefix(text, byteOrderMark); found {
		s.bom, text = byteOrderMark, rest
	}
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON (%s)", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	top, isObject := root.Value.(*hujson.Object)
	if !isObject {
		return nil, errors.New("it is JSON, but no object")
	}
	s.root, s.top = root, top
	if line, _, found := strings.Cut(text, "\n"); found && strings.HasSuffix(line, "\r") {
		s.eol = "\r\n"
	}
	if len(top.Members) > 0 {
		before := string(top.Members[0].Name.BeforeExtra)
		if at := strings.LastIndexByte(before, '\n'); at >= 0 && at+1 < len(before) && strings.TrimLeft(before[at:], "\n\t ") == "" {
			s.indent = before[at+1:]
		}
	}
	return s, nil
}

func (s *settings) bytes() []byte { return append([]byte(s.bom), s.root.Pack()...) }

// only returns the value of a key; nil: there is none. Of a key that stands there twice nobody could say which one counts.
func (s *settings) only(object *hujson.Object, key string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range object.Members {
		member := &object.Members[i]
		if name, isText := member.Name.Value.(hujson.Literal); !isText || name.String() != key {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q stands in it twice", key)
		}
		found = &member.Value
	}
	return found, nil
}

// hooks returns the object with an array for each event; nil: there is none.
func (s *settings) hooks() *hujson.Object {
	value, err := s.only(s.top, hooksKey)
	if value == nil || err != nil {
		return nil
	}
	hooks, _ := value.Value.(*hujson.Object)
	return hooks
}

// array returns the array of an event; nil: there is none.
func (s *settings) array(event Event) *hujson.Array {
	hooks := s.hooks()
	if hooks == nil {
		return nil
	}
	value, err := s.only(hooks, event.Name)
	if value == nil || err != nil {
		return nil
	}
	array, _ := value.Value.(*hujson.Array)
	return array
}

// groups returns the groups of an event.
func (s *settings) groups(event Event) []hujson.Value {
	if array := s.array(event); array != nil {
		return array.Elements
	}
	return nil
}

// hooksOf returns the entries of a group; none where it is no group.
func hooksOf(group hujson.Value) []hujson.Value {
	object, isObject := group.Value.(*hujson.Object)
	if !isObject {
		return nil
	}
	for _, member := range object.Members {
		if name, isText := member.Name.Value.(hujson.Literal); !isText || name.String() != hooksKey {
			continue
		}
		if hooks, isArray := member.Value.Value.(*hujson.Array); isArray {
			return hooks.Elements
		}
	}
	return nil
}

// remove takes out what is at a place, given by keys and indexes from the top. Comments that are about its neighbours stay.
func (s *settings) remove(place ...any) error {
	var pointer strings.Builder
	for _, step := range place {
		fmt.Fprintf(&pointer, "/%v", step) // no key of these needs an escape
	}
	patch, err := json.Marshal([]map[string]string{{"op": "remove", "path": pointer.String()}})
	if err == nil {
		err = s.root.Patch(patch)
	}
	if err != nil {
		return fmt.Errorf("take out %s: %w", pointer.String(), err)
	}
	return nil
}

// addGroup puts a group behind those that an event has.
func (s *settings) addGroup(event Event, g group) error {
	const hooksDepth, eventDepth, groupDepth = 1, 2, 3
	if s.hooks() == nil {
		s.addMember(s.top, hooksDepth, hooksKey, &hujson.Object{})
	}
	if s.array(event) == nil {
		s.addMember(s.hooks(), eventDepth, event.Name, &hujson.Array{})
	}
	value, err := s.write(g, groupDepth)
	if err != nil {
		return err
	}
	array := s.array(event)
	var before hujson.Extra
	before, array.AfterExtra = s.between(array.AfterExtra, groupDepth)
	array.Elements = append(array.Elements, hujson.Value{BeforeExtra: before, Value: value})
	return nil
}

// addMember puts a member behind those of an object; depth is how many levels deep it stands.
func (s *settings) addMember(object *hujson.Object, depth int, key string, value hujson.ValueTrimmed) {
	var before hujson.Extra
	before, object.AfterExtra = s.between(object.AfterExtra, depth)
	object.Members = append(object.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.String(key)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	})
}

// between divides what stands before a closing bracket into what comes before a new entry, the comments that are about what is
// above it among that, and what stands before the bracket then.
func (s *settings) between(closing hujson.Extra, depth int) (before, after hujson.Extra) {
	const space = " \t\r\n"
	comments := bytes.TrimRight(closing, space)
	after = closing[len(comments):]
	if !bytes.ContainsRune(after, '\n') {
		after = hujson.Extra(s.eol + strings.Repeat(s.indent, depth-1))
	}
	before = append(bytes.Clone(comments), s.eol+strings.Repeat(s.indent, depth)...)
	return before, after
}

// write returns a value as it is written at a depth, in the file's own way.
func (s *settings) write(v any, depth int) (hujson.ValueTrimmed, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(strings.Repeat(s.indent, depth), s.indent)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	value, err := hujson.Parse(bytes.ReplaceAll(bytes.TrimSpace(text.Bytes()), []byte("\n"), []byte(s.eol)))
	return value.Value, err
}
