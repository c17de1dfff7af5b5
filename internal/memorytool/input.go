package memorytool

import "memoir/internal/memories"

// Input is the input of a tool_use block of the memory tool, as the Messages API hands it over. Nil: the field is not there, or null.
type Input struct {
	Command    string  `json:"command"`
	Path       *string `json:"path"`
	ViewRange  []int   `json:"view_range"`
	FileText   *string `json:"file_text"`
	OldStr     *string `json:"old_str"`
	NewStr     *string `json:"new_str"`
	InsertLine *int    `json:"insert_line"`
	InsertText *string `json:"insert_text"`
	OldPath    *string `json:"old_path"`
	NewPath    *string `json:"new_path"`
}

// Parse returns the command. Fields of other commands are passed over. It fails with *memories.InvalidError, which names the field, for
// an unknown command and for a field that the command needs.
func (in Input) Parse() (Command, error) {
	f := fields{command: in.Command}
	var command Command
	switch in.Command {
	case "view":
		command = view{f.text("path", in.Path), f.viewRange(in.ViewRange)}
	case "create":
		command = create{f.text("path", in.Path), f.text("file_text", in.FileText)}
	case "str_replace":
		command = strReplace{f.text("path", in.Path), f.text("old_str", in.OldStr), optional(in.NewStr)}
	case "insert":
		command = insert{f.text("path", in.Path), f.number("insert_line", in.InsertLine), f.text("insert_text", in.InsertText)}
	case "delete":
		command = remove{f.text("path", in.Path)}
	case "rename":
		command = rename{f.text("old_path", in.OldPath), f.text("new_path", in.NewPath)}
	default:
		return nil, &memories.InvalidError{Field: "command", Reason: "must be one of view, create, str_replace, insert, delete, rename"}
	}
	if f.err != nil {
		return nil, f.err
	}
	return command, nil
}

// fields reads the fields of an input, and keeps the first error.
type fields struct {
	command string
	err     error
}

func (f *fields) text(name string, value *string) string {
	if value == nil {
		f.lack(name)
		return ""
	}
	return *value
}

func (f *fields) number(name string, value *int) int {
	if value == nil {
		f.lack(name)
		return 0
	}
	return *value
}

func (f *fields) viewRange(lines []int) *lineRange {
	switch len(lines) {
	case 0:
		return nil
	case 2:
		return &lineRange{lines[0], lines[1]}
	}
	f.fail("view_range", "must be two line numbers, the first and the last to show; -1 is the end of the file")
	return nil
}

func (f *fields) lack(name string) { f.fail(name, "is required for the command "+f.command) }

func (f *fields) fail(name, reason string) {
	if f.err == nil {
		f.err = &memories.InvalidError{Field: name, Reason: reason}
	}
}

func optional(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
