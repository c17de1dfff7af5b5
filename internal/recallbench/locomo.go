package recallbench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

// Unit is what becomes one memory of a LoCoMo conversation.
type Unit string

// The units of LoCoMo.
const (
	Sessions Unit = "sessions" // a whole session: long texts, names without meaning
	Facts    Unit = "facts"    // a sentence that the data set states about a session
)

// The kinds of LoCoMo's questions, in the order of tables.
const (
	singleHop   = "single-hop"
	multiHop    = "multi-hop"
	temporal    = "temporal"
	openDomain  = "open-domain"
	Adversarial = "adversarial" // asks one person about the other; in no figure but its own
	Foreign     = "foreign"     // a question about another conversation: silence is right
)

// LoCoMoKinds returns the kinds of questions whose figures are shown apart.
func LoCoMoKinds() []string { return []string{singleHop, multiHop, temporal, openDomain, Adversarial} }

// kindOf has the kinds by the category in the file.
var kindOf = map[int]string{1: multiHop, 2: temporal, 3: openDomain, 4: singleHop, 5: Adversarial}

// maxForeign limits the foreign questions for each conversation. Arbitrary.
const maxForeign = 60

// LoCoMo are the conversations of a file in the format of LoCoMo, as published.
type LoCoMo []conversation

type conversation struct {
	ID          string                                  `json:"sample_id"`
	Said        map[string]json.RawMessage              `json:"conversation"`
	Observation map[string]map[string][]json.RawMessage `json:"observation"`
	Questions   []struct {
		Question string            `json:"question"`
		Evidence []json.RawMessage `json:"evidence"`
		Category int               `json:"category"`
	} `json:"qa"`

	people   [2]string
	sessions []session
}

// session is what was said on one day.
type session struct {
	number int
	date   string
	turns  []turn
}

type turn struct {
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	Picture string `json:"blip_caption"` // a description of the picture that was shared
}

// ParseLoCoMo reads a file of LoCoMo. An error names the conversation and what is wrong with it.
func ParseLoCoMo(raw []byte) (LoCoMo, error) {
	var all LoCoMo
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("a list must be LoCoMo's conversations: %w", err)
	}
	if len(all) == 0 {
		return nil, errors.New("no conversations")
	}
	known := map[string]bool{}
	for i := range all {
		c := &all[i]
		if known[c.slug()] {
			return nil, fmt.Errorf("two conversations are named %q", c.ID)
		}
		known[c.slug()] = true
		if err := c.read(); err != nil {
			return nil, fmt.Errorf("conversation %d (%q) is not as LoCoMo publishes it: %w", i+1, c.ID, err)
		}
	}
	return all, nil
}

var (
	isID       = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
	sessionKey = regexp.MustCompile(`^session_(\d+)$`)
	// turnName is a turn in evidence, such as D3:14. Some entries of the file have several.
	turnName = regexp.MustCompile(`D(\d+):\d+`)
)

// read sets the people and sessions of c, and checks what the benchmark needs.
func (c *conversation) read() error {
	if !isID.MatchString(c.ID) {
		return errors.New("sample_id must be letters, digits and dashes")
	}
	for i, key := range []string{"speaker_a", "speaker_b"} {
		if err := json.Unmarshal(c.Said[key], &c.people[i]); err != nil || c.people[i] == "" {
			return fmt.Errorf("conversation has no %s", key)
		}
	}
	for key, raw := range c.Said {
		match := sessionKey.FindStringSubmatch(key)
		if match == nil {
			continue
		}
		number, err := strconv.Atoi(match[1])
		if err != nil {
			return err
		}
		s := session{number: number}
		if err := json.Unmarshal(raw, &s.turns); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if date, ok := c.Said[key+"_date_time"]; ok {
			if err := json.Unmarshal(date, &s.date); err != nil {
				return fmt.Errorf("%s_date_time: %w", key, err)
			}
		}
		c.sessions = append(c.sessions, s)
	}
	if len(c.sessions) == 0 {
		return errors.New("conversation has no session_1")
	}
	slices.SortFunc(c.sessions, func(a, b session) int { return cmp.Compare(a.number, b.number) })
	for i, q := range c.Questions {
		if _, ok := kindOf[q.Category]; !ok || q.Question == "" {
			return fmt.Errorf("question %d needs a question, and a category from 1 to 5", i+1)
		}
	}
	return nil
}

func (c *conversation) slug() string { return strings.ToLower(c.ID) }

// File is a memory of a conversation.
type File struct {
	Path    string // slash-separated, relative to the agent's directory
	Answer  string // the session that it is about
	Content []byte
}

// Set is the questions about one conversation, for the agent that has its memories.
type Set struct {
	Agent     string // slug
	Files     []File
	Questions []Question
}

// Sets returns the memories and questions of all conversations, in the unit.
func (l LoCoMo) Sets(unit Unit) []Set {
	sets := make([]Set, len(l))
	for i := range l {
		c := &l[i]
		sets[i] = Set{Agent: c.slug() + "-" + string(unit), Files: c.files(unit), Questions: c.questions()}
		if other := &l[(i+1)%len(l)]; other != c {
			sets[i].Questions = append(sets[i].Questions, c.foreign(other)...)
		}
	}
	return sets
}

// files returns the memories of c in the unit.
func (c *conversation) files(unit Unit) (files []File) {
	add := func(stem string, s session, content memories.Content) {
		content.Type = memories.Project
		files = append(files, File{Path: "memory/" + stem + ".md", Answer: answerOf(s.number), Content: frontmatter.Encode(content)})
	}
	for _, s := range c.sessions {
		if unit == Sessions {
			add(fmt.Sprintf("project_s%02d", s.number), s, memories.Content{
				Name: fmt.Sprintf("Session %d", s.number), Description: "Conversation, " + s.date, Body: s.text(),
			})
			continue
		}
		for i, fact := range c.factsOf(s) {
			add(fmt.Sprintf("project_s%02d_%02d", s.number, i+1), s, memories.Content{
				Name: factName(fact, s.number, i+1), Description: fact, Body: fmt.Sprintf("%s (%s)", fact, s.date),
			})
		}
	}
	return files
}

// text returns what was said, one paragraph for each turn.
func (s session) text() string {
	paragraphs := make([]string, len(s.turns))
	for i, t := range s.turns {
		paragraphs[i] = t.Speaker + ": " + t.Text
		if t.Picture != "" {
			paragraphs[i] += " [shares a picture: " + t.Picture + "]"
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// factsOf returns the sentences about a session. In the file each is a list of sentence and source;
// other entries are skipped.
func (c *conversation) factsOf(s session) (facts []string) {
	observed := c.Observation[fmt.Sprintf("session_%d_observation", s.number)]
	for _, speaker := range slices.Sorted(maps.Keys(observed)) {
		for _, raw := range observed[speaker] {
			var entry []json.RawMessage
			var fact string
			if json.Unmarshal(raw, &entry) == nil && len(entry) > 1 && json.Unmarshal(entry[0], &fact) == nil {
				facts = append(facts, fact)
			}
		}
	}
	return facts
}

// factName returns a name as an agent would choose it: the first words that tell the subject. The
// numbers make it unique.
func factName(fact string, session, number int) string {
	const maxWords = 6
	var words []string
	for _, word := range strings.FieldsFunc(strings.ToLower(fact), isNoWord) {
		if !functionWords[word] && len(words) < maxWords {
			words = append(words, word)
		}
	}
	return strings.Join(append(words, fmt.Sprintf("%02d%02d", session, number)), "-")
}

func answerOf(session int) string { return fmt.Sprintf("session %d", session) }

// questions returns the questions of c whose evidence names a session.
func (c *conversation) questions() (found []Question) {
	for _, q := range c.Questions {
		var expected []string
		for _, raw := range q.Evidence {
			for _, match := range turnName.FindAllStringSubmatch(string(raw), -1) {
				number, err := strconv.Atoi(match[1])
				if answer := answerOf(number); err == nil && !slices.Contains(expected, answer) {
					expected = append(expected, answer)
				}
			}
		}
		if len(expected) > 0 {
			found = append(found, Question{Prompt: q.Question, Kind: kindOf[q.Category], Expected: expected})
		}
	}
	return found
}

// foreign returns questions about another conversation, with the names of c's people, spread evenly
// over that conversation. No memory of c answers them.
func (c *conversation) foreign(other *conversation) (found []Question) {
	rename := strings.NewReplacer(other.people[0], c.people[0], other.people[1], c.people[1])
	var plain []string
	for _, q := range other.Questions {
		if kindOf[q.Category] != Adversarial {
			plain = append(plain, q.Question)
		}
	}
	step := max(1, len(plain)/maxForeign)
	for i := 0; i < len(plain) && len(found) < maxForeign; i += step {
		found = append(found, Question{Prompt: rename.Replace(plain[i]), Kind: Foreign})
	}
	return found
}
