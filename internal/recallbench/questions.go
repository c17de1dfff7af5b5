package recallbench

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
	"gopkg.in/yaml.v3"
)

// QuestionFile is a person's own questions about one agent.
type QuestionFile struct {
	Agent     Text // empty if the file names none
	Questions []OwnQuestion
}

// OwnQuestion is one of them.
type OwnQuestion struct {
	Prompt string
	Expect []Text // names or ids of memories; if there are none, silence is right
}

// Text is a value in a file and its line, from 1.
type Text struct {
	Value string
	Line  int
}

// Mistake is something wrong in a file of questions, and what to do.
type Mistake struct {
	Line   int // from 1
	Reason string
}

// IsLoCoMo reports whether a file is read as LoCoMo's. Own questions are a mapping, LoCoMo's file is
// a JSON list.
func IsLoCoMo(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(withoutMark(raw)), []byte("["))
}

// withoutMark returns raw without a byte order mark.
func withoutMark(raw []byte) []byte { return bytes.TrimPrefix(raw, []byte("\ufeff")) }

// ParseQuestions reads own questions in YAML or JSON. It returns all mistakes, in the order of their
// lines; the questions are incomplete then.
func ParseQuestions(raw []byte) (QuestionFile, []Mistake) {
	r := &questionReader{}
	root, mistake := parseTree(withoutMark(raw))
	if mistake != nil {
		return r.file, []Mistake{*mistake}
	}
	r.readFile(root)
	slices.SortStableFunc(r.mistakes, func(a, b Mistake) int { return cmp.Compare(a.Line, b.Line) })
	return r.file, r.mistakes
}

// questionReader reads a file's tree, and collects the mistakes.
type questionReader struct {
	file     QuestionFile
	mistakes []Mistake
}

func (r *questionReader) mistake(at *yaml.Node, format string, values ...any) {
	r.mistakes = append(r.mistakes, Mistake{at.Line, fmt.Sprintf(format, values...)})
}

func (r *questionReader) readFile(root *yaml.Node) {
	fields := r.fields(root, "the file", "agent", "questions")
	if agent := fields["agent"]; agent != nil {
		r.file.Agent = r.text(agent, "agent", "write its slug, or leave the line out")
	}
	questions := fields["questions"]
	switch {
	case fields == nil:
	case questions == nil:
		r.mistake(root, "no questions: add questions, a list of prompt and expect")
	case questions.Kind != yaml.SequenceNode || len(questions.Content) == 0:
		r.mistake(questions, "questions must be a list with at least one question")
	default:
		for _, node := range questions.Content {
			r.readQuestion(resolved(node))
		}
	}
}

func (r *questionReader) readQuestion(node *yaml.Node) {
	fields := r.fields(node, "a question", "prompt", "expect")
	if fields == nil {
		return
	}
	var q OwnQuestion
	if prompt := fields["prompt"]; prompt == nil {
		r.mistake(node, "the question has no prompt: add the text that is asked")
	} else {
		q.Prompt = r.text(prompt, "prompt", "write the text that is asked").Value
	}
	switch expect := fields["expect"]; {
	case expect == nil, isNull(expect):
		r.mistake(cmp.Or(expect, node), "the question has no expect: list names of memories, or write [] if silence is right")
	case expect.Kind == yaml.ScalarNode:
		q.Expect = []Text{r.text(expect, "expect", "write the name of a memory, or []")}
	case expect.Kind == yaml.SequenceNode:
		for _, node := range expect.Content {
			q.Expect = append(q.Expect, r.text(resolved(node), "an entry of expect", "write the name or the id of a memory"))
		}
	default:
		r.mistake(expect, "expect must be a list of names or ids of memories")
	}
	r.file.Questions = append(r.file.Questions, q)
}

// fields returns the values of a mapping by key. If node is no mapping, it returns nil. Unknown and
// repeated keys are mistakes.
func (r *questionReader) fields(node *yaml.Node, subject string, known ...string) map[string]*yaml.Node {
	list := strings.Join(known, " and ")
	if node.Kind != yaml.MappingNode {
		r.mistake(node, "%s must have the fields %s", subject, list)
		return nil
	}
	fields := map[string]*yaml.Node{}
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], resolved(node.Content[i+1])
		switch {
		case !slices.Contains(known, key.Value):
			r.mistake(key, "unknown field %q: use %s", key.Value, list)
		case fields[key.Value] != nil:
			r.mistake(key, "%s is there twice: remove one", key.Value)
		default:
			fields[key.Value] = value
		}
	}
	return fields
}

// text returns a scalar as written, without white space around it. An empty one and other nodes are
// mistakes.
func (r *questionReader) text(node *yaml.Node, subject, remedy string) Text {
	t := Text{strings.TrimSpace(node.Value), node.Line}
	if node.Kind != yaml.ScalarNode || isNull(node) || t.Value == "" {
		r.mistake(node, "%s must be a text: %s", subject, remedy)
	}
	return t
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" }

// resolved returns the node that an alias stands for, and other nodes unchanged.
func resolved(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// parseTree reads JSON, if the text begins with a brace, or YAML.
func parseTree(raw []byte) (*yaml.Node, *Mistake) {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return parseJSON(raw)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	var document, next yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, &Mistake{1, "the file is empty: write questions, a list of prompt and expect"}
	case err != nil:
		return nil, yamlMistake(err)
	}
	switch err := decoder.Decode(&next); {
	case errors.Is(err, io.EOF):
		return resolved(document.Content[0]), nil
	case err != nil:
		return nil, yamlMistake(err)
	}
	return nil, &Mistake{next.Line, "a second document begins here: put it into a file of its own"}
}

var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func yamlMistake(err error) *Mistake {
	match := yamlError.FindStringSubmatch(err.Error())
	line, reason := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if match != nil && match[1] != "" {
		line, _ = strconv.Atoi(match[1]) // it is digits
		reason = err.Error()[len(match[0]):]
	}
	return &Mistake{line, "not YAML: " + reason + ". Put texts with special characters in quotes"}
}

// parseJSON returns the tree of a JSON text. Comments and commas before a closing bracket are
// allowed.
func parseJSON(raw []byte) (*yaml.Node, *Mistake) {
	root, err := hujson.Parse(raw)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "hujson: ")
		line := 1
		if _, err := fmt.Sscanf(reason, "line %d", &line); err == nil {
			_, reason, _ = strings.Cut(reason, ": ")
		}
		return nil, &Mistake{line, "not JSON: " + reason}
	}
	var lineEnds []int
	for i, c := range raw {
		if c == '\n' {
			lineEnds = append(lineEnds, i)
		}
	}
	return jsonTree(root, func(offset int) int { return 1 + sort.SearchInts(lineEnds, offset) }), nil
}

// jsonTree converts a JSON value to the nodes that YAML has for it. lineOf returns the line of an
// offset.
func jsonTree(value hujson.Value, lineOf func(offset int) int) *yaml.Node {
	node := &yaml.Node{Line: lineOf(value.StartOffset)}
	switch v := value.Value.(type) {
	case *hujson.Object:
		node.Kind = yaml.MappingNode
		for _, member := range v.Members {
			node.Content = append(node.Content, jsonTree(member.Name, lineOf), jsonTree(member.Value, lineOf))
		}
	case *hujson.Array:
		node.Kind = yaml.SequenceNode
		for _, element := range v.Elements {
			node.Content = append(node.Content, jsonTree(element, lineOf))
		}
	case hujson.Literal:
		node.Kind, node.Tag = yaml.ScalarNode, "!!str"
		if node.Value = v.String(); v.Kind() == 'n' {
			node.Tag = "!!null"
		}
	}
	return node
}
