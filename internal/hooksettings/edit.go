package hooksettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// parse parses a settings file and finds out its line ends and its indent. An empty file counts as
// an object without members, and a byte order mark is kept. It returns an error for users if the
// file is no JSON object; comments and trailing commas are allowed.
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
		return nil, fmt.Errorf("it is not JSON (%s)", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	top, isObject := root.Value.(*hujson.Object)
	if !isObject {
		return nil, errors.New("it is not a JSON object")
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

// only returns the value of a key in an object, or nil without an error if the object does not have
// the key. It returns an error for users if the object has the key twice.
func (s *settings) only(object *hujson.Object, key string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range object.Members {
		if nameOf(object.Members[i]) != key {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("it has %q twice", key)
		}
		found = &object.Members[i].Value
	}
	return found, nil
}

// hooks returns the object under the key "hooks", which has an array for each event. It returns nil
// if the key is missing or its value is no object.
func (s *settings) hooks() *hujson.Object {
	value := s.root.Find("/" + hooksKey)
	if value == nil {
		return nil
	}
	hooks, _ := value.Value.(*hujson.Object)
	return hooks
}

// array returns the array of an event's groups, or nil if it is missing or no array.
func (s *settings) array(event Event) *hujson.Array {
	return arrayAt(s.root, hooksKey+"/"+event.Name)
}

func (s *settings) groups(event Event) []hujson.Value { return elements(s.array(event)) }

func hooksOf(group hujson.Value) *hujson.Array { return arrayAt(group, hooksKey) }

// entriesOf returns a group's hooks. It returns nil if the value is no object, or its "hooks" are
// no array.
func entriesOf(group hujson.Value) []hujson.Value { return elements(hooksOf(group)) }

// arrayAt returns the array in value at a path of keys, separated by slashes. It returns nil if it
// is missing or no array.
func arrayAt(value hujson.Value, path string) *hujson.Array {
	found := value.Find("/" + path)
	if found == nil {
		return nil
	}
	array, _ := found.Value.(*hujson.Array)
	return array
}

func elements(array *hujson.Array) []hujson.Value {
	if array == nil {
		return nil
	}
	return array.Elements
}

func nameOf(member hujson.ObjectMember) string {
	name, _ := member.Name.Value.(hujson.Literal)
	return name.String()
}

// The nesting depths of entries.
const (
	hooksDepth = 1
	eventDepth = 2
	groupDepth = 3
)

// addGroup appends a group to the array of an event. It adds the array and the object "hooks" if
// they are missing. If g cannot be encoded, it returns an error and changes nothing.
func (s *settings) addGroup(event Event, g group) error {
	value, err := s.write(g, groupDepth)
	if err != nil {
		return err
	}
	if s.hooks() == nil {
		s.add(composite{object: s.top}, hooksDepth, hooksKey, &hujson.Object{})
	}
	if s.array(event) == nil {
		s.add(composite{object: s.hooks()}, eventDepth, event.Name, &hujson.Array{})
	}
	s.add(composite{array: s.array(event)}, groupDepth, "", value)
	return nil
}

func (s *settings) takeMember(object *hujson.Object, key string) {
	at := slices.IndexFunc(object.Members, func(member hujson.ObjectMember) bool { return nameOf(member) == key })
	s.take(composite{object: object}, at)
}

// newLine returns a line end in the style of the file, followed by the indent of depth levels.
func (s *settings) newLine(depth int) hujson.Extra {
	return hujson.Extra(s.eol + strings.Repeat(s.indent, depth))
}

// write returns v as a JSON value in the file's style of line ends and indent, for a place that is
// nested depth levels. It does not add the value to the file. It returns an error if v cannot be
// encoded.
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
