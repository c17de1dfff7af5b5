package formats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"memoir/internal/exchange"
	"memoir/internal/memories"
)

// JSON reads one JSON value, or one a line: Memoir's memories, or an export of mem0, OpenMemory or
// claude-mem.
func JSON(raw []byte, o Options) ([]exchange.Agent, []Skipped, error) {
	var c collection
	decoder := json.NewDecoder(bytes.NewReader(raw))
	for n := 1; ; n++ {
		var value any
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			if len(c.agents) == 0 {
				return nil, c.skipped, ErrUnknown
			}
			return c.agents, c.skipped, nil
		case err != nil:
			return nil, c.skipped, fmt.Errorf("value %d is no JSON: %w", n, err)
		}
		c.addValue(value, fmt.Sprintf("value %d", n), o)
	}
}

// lists are the keys of the lists in which programs write their memories.
var lists = []string{"memories", "results", "observations", "summaries"}

func (c *collection) addValue(value any, at string, o Options) {
	switch v := value.(type) {
	case []any:
		for i, one := range v {
			c.addValue(one, fmt.Sprintf("%s[%d]", at, i), o)
		}
		return
	case map[string]any:
		isList := false
		for _, key := range lists {
			if list, ok := v[key].([]any); ok {
				isList = true
				c.addValue(list, at+"."+key, o)
			}
		}
		if !isList {
			c.addObject(object(v), at, o)
		}
		return
	}
	c.skip(at, "is no memory")
}

// object is one JSON object.
type object map[string]any

func (v object) text(keys ...string) string {
	for _, key := range keys {
		if s, ok := v[key].(string); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// list returns a list of texts, which claude-mem writes as JSON in a text.
func (v object) list(key string) (all []string) {
	values, ok := v[key].([]any)
	if s, isText := v[key].(string); isText && !ok {
		if json.Unmarshal([]byte(s), &values) != nil {
			return nil
		}
	}
	for _, one := range values {
		if s, isText := one.(string); isText && strings.TrimSpace(s) != "" {
			all = append(all, s)
		}
	}
	return all
}

// time returns the first valid time of the keys, or the zero time.
func (v object) time(keys ...string) time.Time {
	for _, key := range keys {
		switch t := v[key].(type) {
		case string:
			for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateTime} {
				if at, err := time.Parse(layout, t); err == nil {
					return at.UTC()
				}
			}
		case float64:
			if t > 1e11 { // milliseconds
				t /= 1000
			}
			if t > 0 {
				return time.Unix(int64(t), 0).UTC()
			}
		}
	}
	return time.Time{}
}

func (c *collection) addObject(v object, at string, o Options) {
	switch {
	case v.text("name") != "" && v.text("agent") != "":
		c.addMemoir(v, at, o)
	case v["memory_session_id"] != nil || v["sdk_session_id"] != nil || v["narrative"] != nil || v["completed"] != nil:
		c.addClaudeMem(v, at, o)
	case v.text("memory", "content", "text", "data") != "":
		c.addMem0(v, at, o)
	default:
		c.skip(at, "is no memory that Memoir knows")
	}
}

// addMemoir adds a memory of Memoir's API. Its texts are masked if it was in quarantine.
func (c *collection) addMemoir(v object, at string, o Options) {
	if v.text("state") == string(memories.Deleted) || v.text("body") == "" && v.text("description") == "" {
		c.skip(at, "is deleted or empty")
		return
	}
	content := memories.Content{Name: v.text("name"), Type: memories.Type(v.text("type")), Description: v.text("description"), Body: v.text("body")}
	c.addContent(v.text("agent"), "hive", v.text("scope") == string(memories.TeamScope), content, v.time("updated_at", "created_at"), cmp.Or(o.Type, memories.Reference), o)
}

// addMem0 adds a memory of mem0 or OpenMemory.
func (c *collection) addMem0(v object, at string, o Options) {
	if state := v.text("state"); state == "deleted" || state == "archived" {
		c.skip(at, "is "+state)
		return
	}
	body := v.text("memory", "content", "text", "data")
	var notes []string
	notes = append(notes, v.list("categories")...)
	if len(notes) > 0 {
		body += "\n\nCategories: " + strings.Join(notes, ", ")
	}
	content := memories.Content{Name: TitleOf(body), Description: TitleOf(body), Body: body}
	c.addContent("", "", false, content, v.time("updated_at", "created_at"), cmp.Or(o.Type, memories.User), o)
}

// addClaudeMem adds an observation or a summary of claude-mem.
func (c *collection) addClaudeMem(v object, at string, o Options) {
	var body strings.Builder
	for _, part := range []string{v.text("narrative"), v.text("text")} {
		if part != "" && !strings.Contains(body.String(), part) {
			body.WriteString(part + "\n\n")
		}
	}
	for _, fact := range v.list("facts") {
		body.WriteString("- " + fact + "\n")
	}
	for _, part := range []struct{ key, title string }{
		{"request", "Request"}, {"investigated", "Investigated"}, {"learned", "Learned"}, {"completed", "Completed"}, {"next_steps", "Next steps"}, {"notes", "Notes"},
	} {
		if text := v.text(part.key); text != "" {
			body.WriteString("**" + part.title + ":** " + text + "\n\n")
		}
	}
	text := strings.TrimSpace(body.String())
	if text == "" {
		c.skip(at, "has no text")
		return
	}
	content := memories.Content{Name: cmp.Or(v.text("title"), TitleOf(cmp.Or(v.text("request"), text))), Description: v.text("subtitle", "request"), Body: text}
	c.addContent("", "", false, content, v.time("created_at", "created_at_epoch"), cmp.Or(o.Type, memories.Project), o)
}

func (c *collection) addContent(slug, layout string, team bool, content memories.Content, at time.Time, fallback memories.Type, o Options) {
	content.Description = strings.Join(strings.Fields(content.Description), " ")
	raw := encoded(content, fallback)
	m := memory(slug, team, raw, o.Now)
	file := exchange.UsualPath(layout, m)
	c.add(slug, layout, team, raw, file, cmp.Or(at, o.Now))
}
