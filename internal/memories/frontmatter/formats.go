package frontmatter

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"gopkg.in/yaml.v3"

	"memoir/internal/memories/memtext"
)

// cutTOML splits a text at the TOML frontmatter at its start, between lines +++. front is converted
// to YAML; for invalid TOML it is converted line by line. ok is false if there is no frontmatter,
// it is larger than maxFrontmatter, or it is not a memory's.
func cutTOML(text string) (front, body string, ok bool) {
	opener, rest := memtext.CutLine(text)
	isPlus := func(line string) bool { return strings.TrimSpace(line) == "+++" }
	if !isPlus(opener) {
		return "", "", false
	}
	source, _, body, ok := cutAt(rest, isPlus)
	if !ok || len(source) > maxFrontmatter {
		return "", "", false
	}
	source = memtext.Canonical(source)
	if front = yamlOfTOML(source); front == "" {
		front = yamlOfLines(source)
	}
	return front, body, isMemory(front, false)
}

const (
	// maxTOML is the size in bytes above which TOML is read line by line instead. The library takes
	// quadratic time for nested keys.
	maxTOML = 16 << 10
	// maxTOMLMarks is how many dots and brackets a line of TOML may have, for the same reason.
	maxTOMLMarks = 200
)

// yamlOfTOML converts TOML to YAML and keeps the order of the keys. It returns "" if the TOML is
// invalid, empty, or above a limit of size, depth or number of keys.
func yamlOfTOML(source string) string {
	if len(source) > maxTOML {
		return ""
	}
	for line := range strings.Lines(source) {
		if strings.Count(line, ".")+strings.Count(line, "[")+strings.Count(line, "{") > maxTOMLMarks {
			return ""
		}
	}
	var values map[string]any
	if toml.Unmarshal([]byte(source), &values) != nil {
		return ""
	}
	lines := strings.Split(source, "\n")
	positions := map[string]int{}
	for key := range values {
		positions[key] = slices.IndexFunc(lines, func(line string) bool {
			line = strings.TrimLeft(line, " \t[\"'")
			rest, found := strings.CutPrefix(line, key)
			return found && strings.ContainsAny(rest[:min(len(rest), 1)], " \t=].\"'")
		})
	}
	keys := slices.Sorted(maps.Keys(values))
	slices.SortStableFunc(keys, func(a, b string) int { return positions[a] - positions[b] })
	mapping := newMapping()
	for _, key := range keys {
		var value yaml.Node
		if value.Encode(values[key]) != nil {
			return ""
		}
		mapping.Content = append(mapping.Content, newText(key), &value)
	}
	if depthOf(mapping) > maxDepth || hasTooMany(mapping) {
		return ""
	}
	return encodeMapping(mapping, "\n")
}

// yamlOfLines replaces each line "key = value" whose key is one word by "key: value", for TOML that
// the library refuses. Other lines stay.
func yamlOfLines(source string) string {
	lines := memtext.Lines(source)
	for i, line := range lines {
		key, value, ok := strings.Cut(line, "=")
		if ok && len(strings.Fields(key)) == 1 {
			lines[i] = strings.TrimSpace(key) + ": " + strings.TrimLeft(value, " \t")
		}
	}
	return strings.Join(lines, "")
}

// cutJSON splits a text at the JSON object at its start. front is the object as YAML. ok is false
// if there is no valid object of at most maxFrontmatter bytes, or it is not a memory's frontmatter.
func cutJSON(text string) (front, body string, ok bool) {
	if !strings.HasPrefix(text, "{") {
		return "", "", false
	}
	decoder := json.NewDecoder(strings.NewReader(text[:min(len(text), maxFrontmatter)]))
	decoder.UseNumber()
	mapping, err := nextJSON(decoder, maxDepth)
	if err != nil {
		return "", "", false
	}
	front = encodeMapping(mapping, "\n")
	body = text[decoder.InputOffset():]
	line, after := memtext.CutLine(body)
	if strings.TrimSpace(line) == "" {
		body = after
	}
	return front, body, isMemory(front, false)
}

var errNotJSON = errors.New("not a JSON value of a bounded depth")

// nextJSON reads the decoder's next JSON value as YAML nodes, with keys in their order. It returns
// an error if the JSON is invalid or cut off. It also does if values are nested deeper than depth,
// or an object repeats a key.
func nextJSON(decoder *json.Decoder, depth int) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	out := new(yaml.Node)
	switch token := token.(type) {
	case string:
		return newText(token), nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: token.String()}, nil
	case json.Delim:
		out = newMapping()
		if token == '[' {
			out = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		}
	default: // a Boolean or null
		return out, out.Encode(token)
	}
	for decoder.More() {
		if depth == 0 {
			return nil, errNotJSON
		}
		child, err := nextJSON(decoder, depth-1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, child)
	}
	if _, err := decoder.Token(); err != nil { // the closing bracket, or the end of the input
		return nil, err
	}
	if out.Kind == yaml.MappingNode && repeatsKey(out) {
		return nil, errNotJSON
	}
	return out, nil
}
