package memorytool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Input is the input of a tool_use block of the memory tool, as the Messages API sends it. A field
// is nil if it is missing or null.
type Input struct {
	Command    string
	Path       *string
	ViewRange  []int
	FileText   *string
	OldStr     *string
	NewStr     *string
	InsertLine *int
	InsertText *string
	OldPath    *string
	NewPath    *string

	invalid map[string]string // the reasons why values cannot be used, by field
}

// UnmarshalJSON reads an input as models write it: numbers may be texts, and an empty text means no
// number. It always returns nil. If data is not a JSON object, all fields are missing. Parse
// reports fields with unusable values, if the command needs them.
func (in *Input) UnmarshalJSON(data []byte) error {
	*in = Input{invalid: map[string]string{}}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		given = nil // not an object, so every field is missing
	}
	for name, target := range map[string]**string{
		"path": &in.Path, "file_text": &in.FileText, "old_str": &in.OldStr, "new_str": &in.NewStr,
		"insert_text": &in.InsertText, "old_path": &in.OldPath, "new_path": &in.NewPath,
	} {
		if value, ok := given[name]; ok && json.Unmarshal(value, target) != nil {
			in.invalid[name] = "It should be text."
		}
	}
	if value, ok := given["command"]; ok && json.Unmarshal(value, &in.Command) != nil {
		in.invalid["command"] = "It should be text."
	}
	if value := given["insert_line"]; !isMissing(value) {
		if line, ok := wholeNumber(value); ok {
			in.InsertLine = &line
		} else {
			in.invalid["insert_line"] = "It should be a line number."
		}
	}
	if value := given["view_range"]; !isMissing(value) {
		var ok bool
		if in.ViewRange, ok = wholeNumbers(value); !ok {
			in.invalid["view_range"] = viewRangeRule
		}
	}
	return nil
}

func isMissing(value json.RawMessage) bool {
	return value == nil || bytes.Equal(value, []byte("null")) || bytes.Equal(value, []byte(`""`))
}

// wholeNumber reads an integer such as 3, 3.0, "3" or " 3 ". ok is false for any other value, and
// from 2^53 on.
func wholeNumber(value json.RawMessage) (number int, ok bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	float, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	const exact = 1 << 53 // every integer below it is exact as a float64
	return int(float), err == nil && float == float64(int(float)) && -exact < float && float < exact
}

// wholeNumbers reads a JSON list of integers, or a text that contains such a list. Each integer may
// be written as wholeNumber reads it. ok is false for any other value.
func wholeNumbers(value json.RawMessage) (numbers []int, ok bool) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		value = json.RawMessage(text)
	}
	var all []json.RawMessage
	if json.Unmarshal(value, &all) != nil {
		return nil, false
	}
	for _, one := range all {
		number, ok := wholeNumber(one)
		if !ok {
			return nil, false
		}
		numbers = append(numbers, number)
	}
	return numbers, true
}

const viewRangeRule = "It should be two line numbers, the first and the last to show; -1 is the end of the file."

// Parse returns the command of the input, and ignores fields of other commands. If the command is
// unknown, or a field that it needs is missing or unusable, Parse returns a command that does
// nothing. For that one, Run returns a Result with IsError and the reason.
func (in Input) Parse() Command {
	f := fields{input: in}
	var command Command
	switch in.Command {
	case "view":
		command = view{f.text("path", in.Path), f.viewRange(in.ViewRange)}
	case "create":
		command = create{f.text("path", in.Path), f.text("file_text", in.FileText)}
	case "str_replace":
		command = strReplace{f.text("path", in.Path), f.text("old_str", in.OldStr), f.optional("new_str", in.NewStr)}
	case "insert":
		command = insert{f.text("path", in.Path), f.number("insert_line", in.InsertLine), f.text("insert_text", in.InsertText)}
	case "delete":
		command = remove{f.text("path", in.Path)}
	case "rename":
		command = rename{f.text("old_path", in.OldPath), f.text("new_path", in.NewPath)}
	default:
		return noCommand(in)
	}
	if f.refused != "" {
		return f.refused
	}
	return command
}

// maxEchoed limits how much of an unknown command an error repeats, in characters. Arbitrary.
const maxEchoed = 100

func noCommand(in Input) refusal {
	const rule = "It should be one of view, create, str_replace, insert, delete, rename."
	if in.Command == "" {
		return refusal("Error: Missing `command` parameter. " + rule)
	}
	return refusal(fmt.Sprintf("Error: Invalid `command` parameter: %.*s. %s", maxEchoed, in.Command, rule))
}

// run does nothing and returns r as the error, so that a refusal can be the command of an invalid
// input.
func (r refusal) run(context.Context, Files) (string, error) { return "", r }

// fields reads the fields of an input and records the first error.
type fields struct {
	input   Input
	refused refusal
}

func (f *fields) text(name string, value *string) string {
	f.need(name, value != nil)
	return f.optional(name, value)
}

func (f *fields) optional(name string, value *string) string {
	f.check(name)
	if value == nil {
		return ""
	}
	return *value
}

func (f *fields) number(name string, value *int) int {
	f.need(name, value != nil)
	if value == nil {
		return 0
	}
	return *value
}

func (f *fields) viewRange(lines []int) *lineRange {
	f.check("view_range")
	switch len(lines) {
	case 0:
		return nil
	case 2:
		return &lineRange{lines[0], lines[1]}
	}
	f.refuse("Error: Invalid `view_range` parameter. " + viewRangeRule)
	return nil
}

func (f *fields) need(name string, isGiven bool) {
	f.check(name)
	if !isGiven {
		f.refuse("Error: Missing `" + name + "` parameter. The command " + f.input.Command + " needs it.")
	}
}

func (f *fields) check(name string) {
	if reason := f.input.invalid[name]; reason != "" {
		f.refuse("Error: Invalid `" + name + "` parameter. " + reason)
	}
}

func (f *fields) refuse(reason string) {
	if f.refused == "" {
		f.refused = refusal(reason)
	}
}
