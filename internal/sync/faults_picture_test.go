package sync_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"memoir/internal/files"
	"memoir/internal/waittest"
)

// picture is everything that is kept of one agent, on disk and in Postgres, as sorted lines without
// what no two runs have in common: ids and times. Of times it says whether they are old or new.
type picture []string

// rows are what Postgres has of an agent, a line each. $1 is its id, $2 what divides old times from
// new ones.
const rows = `
WITH m AS (SELECT m.*, r.description AS says, r.body FROM memories m LEFT JOIN revisions r ON r.id = m.revision_id WHERE m.agent_id = $1)
SELECT format('memory %s is %s: type %s, at %s of %s, age %s, %s, restoring %s, deleted by %s, keeps lines %s, takes %s (%s), searched %s, says %s | %s',
              name, state, type, path, session, CASE WHEN modified_at > $2 THEN 'new' ELSE 'old' END, problems, restoring, deleted_by,
              (SELECT string_agg(index || ': ' || (line ->> 'text'), ', ') FROM jsonb_each(index_lines) i (index, lines), jsonb_array_elements(lines) line),
              claude_md_chars, claude_md_listed,
              EXISTS (SELECT FROM memory_search s WHERE s.memory_id = m.id AND s.revision_id = m.revision_id), says, body)
FROM m
UNION ALL
SELECT format('revision of %s: %s, at %s of %s, %s bytes, %s | %s', m.name, r.type, r.path, r.session, length(r.raw), r.description, r.body)
FROM revisions r JOIN m ON m.id = r.memory_id
UNION ALL
SELECT format('file %s of %s is %s, carries %s, has problem %s', f.path, f.session, f.status, m.name, f.problem)
FROM files f LEFT JOIN m ON m.id = f.memory_id WHERE f.agent_id = $1 AND f.present
UNION ALL
SELECT format('tombstone of %s: %s', name, encode(fingerprint, 'hex')) FROM tombstones WHERE agent_id = $1
UNION ALL
SELECT format('kept out %s at %s of %s: %s | %s', name, path, session, description, body) FROM blocked_contents WHERE agent_id = $1
UNION ALL
SELECT format('deletion of %s waits, deleted here %s', m.name, c.deleted) FROM deletion_conflicts c JOIN m ON m.id = c.memory_id
UNION ALL
SELECT format('agent: present %s, %s sessions, CLAUDE.md has problem %s', present, sessions, claude_md_problem) FROM agents WHERE id = $1`

// hashes are those of the files that are on record as present.
const hashes = `SELECT path, hash FROM files WHERE agent_id = $1 AND present AND status <> 'removing'`

var anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// picture waits for background work, and returns the state. wrong are faults of that state,
// independently of the operation.
func (s *stage) picture() (p picture, wrong []string) {
	s.Helper()
	waittest.For(s, "the search index", s.engine.Searchable)
	ctx := context.Background()
	agent, err := s.store.Agent(ctx, s.slug)
	if err != nil {
		return picture{"the agent: " + err.Error()}, nil
	}
	found, err := s.direct.Query(ctx, rows, agent.ID, s.began)
	if err != nil {
		s.Fatal(err)
	}
	p, err = pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		s.Fatal(err)
	}
	onDisk, leftovers := s.disk()
	wrong = append(wrong, leftovers...)
	wrong = append(wrong, s.unlikeDisk(agent.ID, onDisk)...)
	wrong = append(wrong, s.unlikeCompiled(onDisk["CLAUDE.md"])...)
	wrong = append(wrong, s.gaps()...)
	for name, text := range onDisk {
		switch {
		case name == "CLAUDE.md":
		case strings.HasSuffix(name, "MEMORY.md"):
			for line := range strings.Lines(text) {
				p = append(p, name+" has the line "+line)
			}
		default:
			p = append(p, fmt.Sprintf("disk has %s: %s", name, text))
		}
	}
	for i, line := range p {
		p[i] = anyTime.ReplaceAllString(strings.TrimSpace(line), "(time)")
	}
	slices.Sort(p)
	return p, wrong
}

// isButForEntries reports whether two states differ at most in entries that MEMORY.md lacks. After
// an interrupted save the memory may be there without its entry: the index lint then names it. No
// line but entry may be new to both p and was, the state before.
func (p picture) isButForEntries(done, was picture, entry string) bool {
	isLine := func(line string) bool { return strings.Contains(line, "MEMORY.md has the line ") }
	rest := func(p picture) picture { return slices.DeleteFunc(slices.Clone(p), isLine) }
	return slices.Equal(rest(p), rest(done)) && !slices.ContainsFunc(p, func(line string) bool {
		return isLine(line) && line != entry && !slices.Contains(done, line) && !slices.Contains(was, line)
	})
}

// disk returns the texts in the agent's directory by path, and the files that Memoir should have
// removed.
func (s *stage) disk() (texts map[string]string, leftovers []string) {
	s.Helper()
	texts = map[string]string{}
	root := s.path(s.slug)
	err := filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreGone(err)
		}
		rel, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		if strings.HasPrefix(entry.Name(), ".memoir-") {
			leftovers = append(leftovers, rel+" is left over")
		}
		raw, err := os.ReadFile(at)
		texts[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return texts, leftovers
}

// unlikeDisk complains of files whose bytes are not those on record.
func (s *stage) unlikeDisk(agent int64, onDisk map[string]string) (wrong []string) {
	s.Helper()
	found, err := s.direct.Query(context.Background(), hashes, agent)
	if err != nil {
		s.Fatal(err)
	}
	var name, hash string
	_, err = pgx.ForEachRow(found, []any{&name, &hash}, func() error {
		if text, there := onDisk[name]; !there || hash != files.Hash([]byte(text)) {
			wrong = append(wrong, fmt.Sprintf("%s is on record with other bytes than it has (there: %t)", name, there))
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return wrong
}

// unlikeCompiled complains of a CLAUDE.md that is not what the memories compile to.
func (s *stage) unlikeCompiled(onDisk string) []string {
	s.Helper()
	preview, err := s.engine.Preview(context.Background(), s.slug, "")
	if err != nil {
		s.Fatal(err)
	}
	if _, err := os.Stat(s.path(s.slug)); err == nil && string(preview.Text) != onDisk {
		return []string{fmt.Sprintf("CLAUDE.md is not what the memories compile to.\n--- is\n%s\n--- should be\n%s\n---", ending(onDisk), ending(string(preview.Text)))}
	}
	return nil
}

// of returns the lines about one item. For an empty item it returns the lines about no item.
func (p picture) of(item string, items []string) picture {
	var lines picture
	for _, line := range p {
		about := ""
		for _, name := range items {
			if strings.Contains(strings.ToLower(line), strings.ToLower(name)) {
				about = name
				break
			}
		}
		if about == item {
			lines = append(lines, line)
		}
	}
	return lines
}

// unlike returns the lines that only p or only other has.
func (p picture) unlike(other picture) string {
	var b strings.Builder
	for _, line := range p {
		if !slices.Contains(other, line) {
			b.WriteString("  + " + line + "\n")
		}
	}
	for _, line := range other {
		if !slices.Contains(p, line) {
			b.WriteString("  - " + line + "\n")
		}
	}
	return b.String()
}
