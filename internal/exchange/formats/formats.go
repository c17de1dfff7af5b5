// Package formats reads the memories that other programs and other formats of Memoir have written:
// Markdown files with or without frontmatter, the projects of Claude Code, bundles of the Open
// Knowledge Format, Memoir's own JSON, and the exports of mem0, OpenMemory and claude-mem. It reads
// bytes and touches no disk.
package formats

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gopkg.in/yaml.v3"

	"memoir/internal/exchange"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/memtext"
)

// File is a file of a directory, by its slash-separated path.
type File struct {
	Path    string
	Raw     []byte
	ModTime time.Time
}

// Options configures the reading.
type Options struct {
	// Type is for memories without a type. Empty means the usual one of the format.
	Type memories.Type
	// Name is the name of the file. It names a single note.
	Name string
	Now  time.Time
}

// Skipped is a part of the input that is no memory.
type Skipped struct {
	Path   string
	Reason string
}

// ErrUnknown means that the input has none of the known formats.
var ErrUnknown = errors.New("the format is unknown")

// namespace makes ids of memories from elsewhere, so that the same input gives the same ids.
var namespace = uuid.MustParse("8a2ff2cf-21f0-4b0d-9f0b-7d1d8f6f6c0a")

// memory returns a memory with one content. raw are its bytes; agent and the key make the id.
func memory(agent string, team bool, raw []byte, at time.Time) exchange.Memory {
	f := frontmatter.Parse(raw, "")
	at = cmp.Or(f.Modified, at).UTC().Truncate(time.Microsecond)
	content := exchange.Fingerprint(f.Fingerprint(raw))
	scope := "private"
	if team {
		scope = "team"
	}
	sum := sha256.Sum256(raw)
	return exchange.Memory{
		ID: uuid.NewSHA1(namespace, []byte(agent+"\x00"+scope+"\x00"+f.Name)), Name: f.Name, Team: team, Readable: true, Type: f.Type,
		Current: content, CreatedAt: at, UpdatedAt: at, ModifiedAt: at, ContentAt: at,
		Revisions: []exchange.Revision{{
			Content: content, Hash: hex.EncodeToString(sum[:]), Type: f.Type, Description: f.Description, Body: f.Body, Raw: raw, SeenAt: at,
		}},
	}
}

// encoded returns the file of a content, with a name and a type that can be saved.
func encoded(c memories.Content, fallback memories.Type) []byte {
	if _, ok := memories.ParseType(string(c.Type)); !ok {
		c.Type = fallback
	}
	c = c.Canonical()
	if !memtext.IsVisible(c.Name) {
		c.Name = TitleOf(c.Body)
	}
	return frontmatter.Encode(c.Canonical())
}

// maxTitle limits a name made from a text, in characters. Arbitrary.
const maxTitle = 70

// TitleOf returns the first line of a text as a name.
func TitleOf(body string) string {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#*->"))
		if line == "" {
			continue
		}
		if short := memtext.CutRunes(line, maxTitle); short != line {
			return strings.TrimSpace(short) + "-" + memtext.ShortHash(body)[:4]
		}
		return line
	}
	return "Untitled " + memtext.ShortHash(body)
}

// collection gathers the memories of agents. Of two with a name, the second gets a number.
type collection struct {
	agents  []exchange.Agent
	taken   map[string][]exchange.Fingerprint
	skipped []Skipped
}

func (c *collection) agent(slug, layout string) *exchange.Agent {
	i := slices.IndexFunc(c.agents, func(a exchange.Agent) bool { return a.Slug == slug })
	if i < 0 {
		c.agents = append(c.agents, exchange.Agent{Slug: slug, Layout: layout, Foreign: true})
		i = len(c.agents) - 1
	}
	return &c.agents[i]
}

func (c *collection) skip(path, reason string) { c.skipped = append(c.skipped, Skipped{path, reason}) }

// bullets are written in place of a secret in masked texts.
const bullets = "••••••••"

// add adds a memory to an agent. The journal gets the entry that a scan of its file would make.
func (c *collection) add(slug, layout string, team bool, raw []byte, file string, at time.Time) {
	switch {
	case len(raw) > memories.MaxFileSize:
		c.skip(file, "is larger than 1 MiB")
		return
	case strings.Contains(string(raw), bullets): // they would replace the secret
		c.skip(file, "has a masked secret; export with secrets")
		return
	}
	if c.taken == nil {
		c.taken = map[string][]exchange.Fingerprint{}
	}
	m := memory(slug, team, raw, at)
	for n := 2; ; n++ {
		key := slug + "\x00" + m.Name
		if team {
			key += "\x00team"
		}
		if slices.Contains(c.taken[key], m.Current) {
			c.skip(file, "has the same name and content as another one")
			return
		}
		if len(c.taken[key]) == 0 {
			c.taken[key] = append(c.taken[key], m.Current)
			break
		}
		c.taken[key] = append(c.taken[key], m.Current)
		f := frontmatter.Parse(raw, "")
		m = memory(slug, team, frontmatter.Renamed(raw, file, f.Name+" "+memtext.ShortHash(string(m.Current[:]))[:4]), at)
	}
	m.Path = file
	state, kind := string(memories.Active), string(m.Type)
	entry := exchange.Entry{
		At: m.ContentAt, Kind: string(memories.ActivityLearned), Actor: memories.ByScript, Memory: &m.ID, Name: m.Name, Team: team, Path: file,
		State: &state, Content: &m.Current, ModifiedAt: &m.ModifiedAt,
	}
	if kind != "" {
		entry.Type = &kind
	}
	m.Revisions[0].Path = file
	a := c.agent(slug, layout)
	a.Memories = append(a.Memories, m)
	a.Journal = append(a.Journal, entry)
}

var projectMemory = regexp.MustCompile(`^(?:.*/)?([^/]+)/memory/(.+)$`)

// Tree reads a directory of Markdown files. Directories {agent}/memory, as in the projects of Claude
// Code and in Memoir's own export, are one agent each. In other directories, all files belong to one
// agent without a slug.
func Tree(files []File, o Options) ([]exchange.Agent, []Skipped, error) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var c collection
	isBundle := slices.ContainsFunc(files, func(f File) bool { return f.Path == "index.md" && isOKF(f.Raw) })
	hasProjects := !isBundle && slices.ContainsFunc(files, func(f File) bool { return projectMemory.MatchString(f.Path) && isMarkdown(f.Path) })
	for _, f := range files {
		base := strings.ToLower(path.Base(f.Path))
		switch {
		case !isMarkdown(f.Path):
			c.skip(f.Path, "is no Markdown file")
		case isBundle:
			if base != "index.md" && base != "log.md" {
				c.addConcept(f, o)
			}
		case base == "memory.md":
			// The agent's MEMORY.md gets an entry for each memory.
		case hasProjects:
			parts := projectMemory.FindStringSubmatch(f.Path)
			if parts == nil || strings.HasPrefix(parts[2], "logs/") {
				c.skip(f.Path, "is in no memory directory")
				continue
			}
			layout := "hive"
			if strings.HasPrefix(parts[1], "-") || strings.Contains(f.Path, "projects/") {
				layout = "claude"
			}
			c.addNote(slugOf(parts[1]), layout, parts[2], f, o)
		default:
			c.addNote("", "", f.Path, f, o)
		}
	}
	if len(c.agents) == 0 {
		return nil, c.skipped, ErrUnknown
	}
	return c.agents, c.skipped, nil
}

var outsideSlug = regexp.MustCompile(`[^A-Za-z0-9._-]`)

func slugOf(name string) string { return outsideSlug.ReplaceAllString(name, "-") }

func isMarkdown(p string) bool {
	ext := strings.ToLower(path.Ext(p))
	return ext == ".md" || ext == ".markdown"
}

// addNote adds a Markdown file. One without a name or a type gets them.
func (c *collection) addNote(slug, layout, rel string, f File, o Options) {
	stem := strings.TrimSuffix(path.Base(rel), path.Ext(rel))
	parsed := frontmatter.Parse(f.Raw, stem)
	if parsed.Unreadable {
		c.skip(f.Path, parsed.Problems[0].Message)
		return
	}
	raw := f.Raw
	team := strings.HasPrefix(rel, "team/")
	if isNamed := frontmatter.FlawsOf(f.Raw, parsed) == 0; !isNamed || parsed.Type == "" {
		content := parsed.Content()
		if title := entryOf(f.Raw, "title"); title != "" && !isNamed {
			content.Name = title
		}
		if content.Type == "" {
			content.Type = cmp.Or(o.Type, memories.Reference)
		}
		if strings.TrimSpace(content.Body) == "" {
			c.skip(f.Path, "has no text")
			return
		}
		if content.Description == "" {
			if title := TitleOf(content.Body); title != content.Name {
				content.Description = title
			}
		}
		raw = frontmatter.Rewrite(f.Raw, content.Canonical(), cmp.Or(parsed.Modified, f.ModTime, o.Now))
	}
	if !strings.HasSuffix(strings.ToLower(rel), ".md") {
		rel = strings.TrimSuffix(rel, path.Ext(rel)) + ".md"
	}
	c.add(slug, layout, team, raw, rel, cmp.Or(f.ModTime, o.Now))
}

// entryOf returns a text of a file's frontmatter, or "".
func entryOf(raw []byte, key string) string {
	head, _ := frontmatter.Split(string(raw))
	var stated map[string]any
	if yaml.Unmarshal([]byte(strings.Trim(head, "-\r\n")), &stated) != nil {
		return ""
	}
	text, _ := stated[key].(string)
	return text
}

func isOKF(raw []byte) bool {
	head, _ := frontmatter.Split(string(raw))
	return strings.Contains(head, "okf_version")
}

// addConcept adds a file of a bundle of the Open Knowledge Format.
func (c *collection) addConcept(f File, o Options) {
	head, body := frontmatter.Split(string(f.Raw))
	var stated struct {
		Type, Title, Description, Agent, Scope string
		StaleAfter                             string `yaml:"stale_after"`
		Generated                              struct{ At time.Time }
	}
	if head == "" || yaml.Unmarshal([]byte(strings.Trim(head, "-\r\n")), &stated) != nil {
		c.skip(f.Path, "has no frontmatter")
		return
	}
	content := memories.Content{
		Name: cmp.Or(stated.Title, strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))), Type: memories.Type(strings.ToLower(stated.Type)),
		Description: stated.Description, Body: body,
	}
	at := cmp.Or(stated.Generated.At, f.ModTime, o.Now)
	raw := encoded(content, cmp.Or(o.Type, memories.Reference))
	if stated.StaleAfter != "" {
		raw = frontmatter.WithMetadata(raw, map[string]string{"expires": stated.StaleAfter})
	}
	rel := f.Path
	if stated.Agent != "" {
		rel = strings.TrimPrefix(rel, stated.Agent+"/")
	}
	layout := ""
	if stated.Agent != "" {
		layout = "hive"
	}
	c.add(stated.Agent, layout, stated.Scope == string(memories.TeamScope), raw, rel, at)
}
