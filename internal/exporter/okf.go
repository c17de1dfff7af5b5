package exporter

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/memtext"
	"memoir/internal/records"
)

// okfVersion is the version of the Open Knowledge Format that is written.
const okfVersion = "0.2"

// concept is the frontmatter of a file of a bundle. Agent and Scope are Memoir's own keys.
type concept struct {
	Type        string   `yaml:"type"`
	Title       string   `yaml:"title"`
	Description string   `yaml:"description,omitempty"`
	Generated   act      `yaml:"generated,flow"`
	Verified    []act    `yaml:"verified,omitempty,flow"`
	StaleAfter  string   `yaml:"stale_after,omitempty"`
	Sources     []source `yaml:"sources,omitempty,flow"`
	Agent       string   `yaml:"agent"`
	Scope       string   `yaml:"scope,omitempty"`
}

type act struct {
	By string    `yaml:"by"`
	At time.Time `yaml:"at"`
}

type source struct {
	ID       string `yaml:"id"`
	Resource string `yaml:"resource"`
}

// writeOKF writes a bundle with a directory for each agent.
func (x *Exporter) writeOKF(ctx context.Context, z *zip.Writer, all []records.Agent, secrets bool) error {
	var root strings.Builder
	fmt.Fprintf(&root, "---\nokf_version: %q\n---\n\n# Agents\n\n", okfVersion)
	for _, a := range all {
		fmt.Fprintf(&root, "* [%s](%s/index.md)\n", memtext.OneLine(a.Slug), a.Slug)
	}
	if err := add(z, "index.md", []byte(root.String())); err != nil {
		return err
	}
	for _, a := range all {
		if err := x.writeConcepts(ctx, z, a, secrets); err != nil {
			return err
		}
	}
	return nil
}

func (x *Exporter) writeConcepts(ctx context.Context, z *zip.Writer, a records.Agent, secrets bool) error {
	verified, err := x.verified(ctx, a)
	if err != nil {
		return err
	}
	taken := map[string]bool{"index.md": true, "log.md": true}
	byType := map[memories.Type][]string{}
	err = x.each(ctx, a, secrets, func(m memories.Memory) error {
		if !m.Readable {
			return nil
		}
		raw, err := x.store.Raw(ctx, a, m.ID)
		if err != nil {
			return err
		}
		file := free(taken, fileOf(a, m))
		text, err := conceptOf(a, m, frontmatter.Parse(raw, ""), raw, verified[m.ID])
		if err != nil {
			return err
		}
		line := fmt.Sprintf("* [%s](%s)", linkText(m.Name), strings.ReplaceAll(file, " ", "%20"))
		if m.Description != "" {
			line += " - " + memtext.OneLine(m.Description)
		}
		byType[m.Type] = append(byType[m.Type], line)
		return add(z, path.Join(a.Slug, file), text)
	})
	if err != nil {
		return err
	}
	var index strings.Builder
	for _, t := range append(slices.Clone(memories.Types()), "") {
		if len(byType[t]) == 0 {
			continue
		}
		title := string(t)
		if t == "" {
			title = "other"
		}
		fmt.Fprintf(&index, "# %s\n\n%s\n\n", title, strings.Join(byType[t], "\n"))
	}
	return add(z, path.Join(a.Slug, "index.md"), []byte(index.String()))
}

func linkText(s string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(memtext.OneLine(s))
}

func conceptOf(a records.Agent, m memories.Memory, f frontmatter.File, raw []byte, verified time.Time) ([]byte, error) {
	c := concept{
		Type: string(m.Type), Title: m.Name, Description: m.Description, Generated: act{"memoir/1", m.ModifiedAt.UTC().Truncate(time.Second)},
		StaleAfter: expiresOf(raw), Agent: a.Slug,
	}
	if c.Type == "" {
		c.Type = "note"
	}
	if m.Team {
		c.Scope = string(memories.TeamScope)
	}
	if !verified.IsZero() {
		c.Verified = []act{{"human:owner", verified.UTC().Truncate(time.Second)}}
	}
	if session := f.OriginSession; session != "" && !m.IsQuarantined() {
		c.Sources = []source{{"s1", "session " + session}}
	}
	var text bytes.Buffer
	text.WriteString("---\n")
	encoder := yaml.NewEncoder(&text)
	if err := encoder.Encode(c); err != nil {
		return nil, err
	}
	text.WriteString("---\n\n" + m.Body + "\n")
	return text.Bytes(), nil
}

// expiresOf returns the day on which a memory file says that it expires, or "".
func expiresOf(raw []byte) string {
	head, _ := frontmatter.Split(string(raw))
	var stated struct {
		Expires  string `yaml:"expires"`
		Metadata struct {
			Expires string `yaml:"expires"`
		} `yaml:"metadata"`
	}
	if yaml.Unmarshal([]byte(strings.Trim(head, "-\r\n")), &stated) != nil {
		return ""
	}
	for _, day := range []string{stated.Expires, stated.Metadata.Expires} {
		if len(day) >= len(time.DateOnly) {
			if _, err := time.Parse(time.DateOnly, day[:len(time.DateOnly)]); err == nil {
				return day[:len(time.DateOnly)]
			}
		}
	}
	return ""
}

// verified returns when each memory of an agent was last confirmed.
func (x *Exporter) verified(ctx context.Context, a records.Agent) (map[string]time.Time, error) {
	last := map[string]time.Time{}
	list := records.ActivityList{AgentID: a.ID, Kind: memories.ActivityVerified, Limit: records.MaxLimit}
	for {
		page, err := x.store.Activity(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Activity {
			if last[e.MemoryID].IsZero() {
				last[e.MemoryID] = e.At
			}
		}
		if page.NextCursor == "" {
			return last, nil
		}
		list.Cursor = page.NextCursor
	}
}
