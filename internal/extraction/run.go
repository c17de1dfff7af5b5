package extraction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"memoir/internal/findings"
	"memoir/internal/findings/quarantine"
	"memoir/internal/findings/secrets"
	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
	"memoir/internal/model"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
	"memoir/internal/transcript"
)

// Outcome is the result of reading a conversation.
type Outcome struct {
	Message                   string // a sentence for users
	Proposals                 []uuid.UUID
	Questions                 int
	Model                     string
	InputTokens, OutputTokens int
}

// A conversation is worth a question to the model if a person wrote this many messages, or this many
// Unicode characters in all. The values are arbitrary: a shorter one seldom has a durable fact.
const (
	minPrompts     = 3
	minPromptChars = 600
)

// isWorthwhile reports whether a person said enough, or asked to remember something. It also reports
// true if no person wrote, because nothing will follow.
func isWorthwhile(messages []transcript.Message) bool {
	prompts, chars := 0, 0
	for _, m := range messages {
		if m.AsksToRemember() {
			return true
		}
		if m.Role == "user" {
			prompts++
			chars += utf8.RuneCountInString(m.Text)
		}
	}
	return prompts == 0 || prompts >= minPrompts || chars >= minPromptChars
}

// modelTimeout is the timeout of one question (arbitrary). No one waits for it.
const modelTimeout = 2 * time.Minute

// Run reads the unread part of a conversation and asks the model. It stores proposals and the new
// position together, so that a repeated Run is safe, and emits an event if there are proposals. In
// mode Auto it also saves the memories of proposals that need no decision. If extraction or the
// agent's memory is off, in Memoir or Claude Code, it reads nothing, Message reports this, and the
// error is nil. The Outcome
// has the used tokens, also with an error. It returns memories.ErrNotFound, *memories.InvalidError
// for a wrong transcript, and *model.Error.
func (x *Extractor) Run(ctx context.Context, task Task) (Outcome, error) {
	return x.run(ctx, task, true)
}

// run is Run. If nobody asked for the reading, it leaves a conversation unread for which isWorthwhile
// is false, and messages of programs such as claude -p are left out.
func (x *Extractor) run(ctx context.Context, task Task, isAsked bool) (Outcome, error) {
	out := Outcome{}
	if !x.Reads() {
		out.Message = "Extraction is off, or has no model. Nothing was read."
		return out, nil
	}
	agent, err := x.agent(ctx, task.AgentID)
	if err != nil {
		return out, err
	}
	switch err := x.checkOn(ctx, agent); {
	case errors.Is(err, errMemoryOff):
		out.Message = "The agent's memory is off. Nothing was read."
		return out, nil
	case errors.Is(err, errClaudeMemoryOff):
		out.Message = "Claude Code's memory is off for this agent. Nothing was read."
		return out, nil
	case err != nil:
		return out, err
	}
	c, err := x.store.Conversation(ctx, task.AgentID, task.Session)
	if err != nil {
		return out, err
	}
	began := records.Now()
	s, err := x.read(ctx, agent, c, isAsked)
	if err != nil {
		return out, err
	}
	if !isAsked && len(s.Messages) > 0 && !isWorthwhile(s.Messages) {
		out.Message = fmt.Sprintf("Too little was said by a person so far (fewer than %d messages and %d characters). It is read with what follows.", minPrompts, minPromptChars)
		return out, nil
	}
	proposals, err := x.find(ctx, agent, task.Session, s, &out)
	if err != nil {
		return out, err
	}
	finding := records.Finding{AgentID: agent.ID, Session: task.Session, From: c.TranscriptPosition, To: s.to, ReadAt: began, Texts: s.texts, Proposals: proposals}
	out.Proposals, err = x.store.SaveFinding(ctx, finding)
	if errors.Is(err, memories.ErrChanged) {
		out.Message = "This part was already read."
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if len(out.Proposals) > 0 {
		x.engine.Emit(agent.Slug, events.Proposed)
	}
	if x.options.Mode == Auto {
		err = x.acceptAll(ctx, agent, out.Proposals)
	}
	return out, err
}

func (x *Extractor) agent(ctx context.Context, id int64) (records.Agent, error) {
	all, err := x.store.AgentsUncounted(ctx)
	if err != nil {
		return records.Agent{}, err
	}
	i := slices.IndexFunc(all, func(a records.Agent) bool { return a.ID == id })
	if i < 0 {
		return records.Agent{}, memories.ErrNotFound
	}
	return all[i], nil
}

// find asks the model about an unread part of a conversation and returns at most maxPerRun
// proposals. If no person wrote, or the agent saved memories in each turn, it does not ask and
// returns nil. It leaves out candidates that fail a check. It sets Message and adds the used
// tokens in out. It stores nothing.
func (x *Extractor) find(ctx context.Context, agent records.Agent, session string, s stretch, out *Outcome) ([]records.Proposal, error) {
	if !slices.ContainsFunc(s.Messages, func(m transcript.Message) bool { return m.Role == "user" }) {
		out.Message = "No new messages by a person."
		if len(s.Wrote) > 0 {
			out.Message = fmt.Sprintf("Skipped: the agent itself saved to its memory here (%s).", shortList(s.Wrote))
		}
		return nil, nil
	}
	filter, err := x.newDuplicateFilter(ctx, agent)
	if err != nil {
		return nil, err
	}
	parts, omitted := split(s.Messages)
	omitted += s.LeftOut
	var findings []finding
	var rejected []string
	for i, piece := range parts {
		if len(findings) == maxPerRun {
			break
		}
		candidates, err := x.ask(ctx, questionAbout(piece, filter.existing(findings), omitted+len(parts)-1-i), out)
		if err != nil {
			return nil, err
		}
		for _, c := range candidates {
			if len(findings) == maxPerRun {
				break
			}
			f, why := c.check(piece)
			if why == "" {
				why, err = filter.reject(ctx, &f, findings)
			}
			if err != nil {
				return nil, err
			}
			if why != "" {
				rejected = append(rejected, why)
				continue
			}
			findings = append(findings, f)
		}
	}
	out.Message = jobSummary(len(s.Messages), omitted, s.Unread, len(findings), rejected)
	if len(s.Wrote) > 0 {
		out.Message += fmt.Sprintf(" Turns in which the agent itself saved were left out (%s).", shortList(s.Wrote))
	}
	return x.proposalsOf(ctx, agent, sessionOf(session, s), findings)
}

// sessionOf returns the name of the session to record in the memory's file. For a submitted
// conversation it is the session in its transcript, else the name that the script submitted, or ""
// without one.
func sessionOf(session string, s stretch) string {
	if name, isGiven := strings.CutPrefix(session, givenPrefix); isGiven {
		if s.Session != "" {
			return s.Session
		}
		if strings.HasPrefix(name, "#") {
			return ""
		}
		return name
	}
	return session
}

// ask asks the model one question and returns the candidates in its answer, unchecked. It adds the
// used tokens to out, also after an error. It returns the model's error, or an error for an answer
// of another shape.
func (x *Extractor) ask(ctx context.Context, question model.Question, out *Outcome) ([]candidate, error) {
	askCtx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	answer, err := x.options.Model.Ask(askCtx, question)
	out.Questions++
	out.InputTokens, out.OutputTokens = out.InputTokens+answer.InputTokens, out.OutputTokens+answer.OutputTokens
	if answer.Model != "" {
		out.Model = answer.Model
	}
	if err != nil {
		return nil, err
	}
	var found struct {
		Memories []candidate `json:"memories"`
	}
	if err := json.Unmarshal(answer.JSON, &found); err != nil {
		return nil, fmt.Errorf("parse the model's answer: %w", err)
	}
	return found.Memories, nil
}

// proposalsOf returns a new proposal for each element of found, in state waiting. In mode Auto, a proposal
// for which needsDecision is false is in state accepting instead, unless it has a secret or gives
// orders to the agent. Secrets are replaced. Its target is the memory of the
// same name, if there is one. It stores nothing.
func (x *Extractor) proposalsOf(ctx context.Context, agent records.Agent, session string, found []finding) ([]records.Proposal, error) {
	now := records.Now()
	var proposals []records.Proposal
	for _, f := range found {
		held := isHeld(f.Content)
		f.Name, f.Description, f.Body, f.quote = secrets.Redact(f.Name), secrets.Redact(f.Description), secrets.Redact(f.Body), secrets.Redact(f.quote)
		p := records.Proposal{
			ID: uuid.New(), AgentID: agent.ID, State: records.ProposalWaiting, Content: f.Content, Fingerprint: memories.FingerprintOf(f.Type, f.Name+"\x00"+f.Description, f.Body),
			Quote: f.quote, QuotedAt: f.at, Session: session, ProposedAt: now,
		}
		if x.options.Mode == Auto && !held {
			present, err := x.memoryNamed(ctx, agent, p.Name)
			if err != nil {
				return nil, err
			}
			if seen := (Proposed{p, present}); seen.Doubt() == "" && (present == nil || !present.Team) {
				p.State, p.DecidedAt, p.DecidedBy = records.ProposalAccepting, now, memories.ByExtraction
				if present != nil {
					p.TargetID, p.BaseETag = uuid.MustParse(present.ID), engine.ETag(*present)
				}
			}
		}
		proposals = append(proposals, p)
	}
	return proposals, nil
}

// isHeld reports whether agents must not receive a content until a person lets it in.
func isHeld(c memories.Content) bool {
	return len(quarantine.Examine(findings.Text{Name: c.Name, Description: c.Description, Body: c.Body})) > 0
}

// jobSummary returns a text for users about a run. It has the numbers of messages read and left
// out, of unreadable lines and of findings, and the reasons for rejected candidates. It sorts
// rejected in place.
func jobSummary(read, omitted, unread, found int, rejected []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Read %s", memtext.Counted(read, "message", "messages"))
	if omitted > 0 {
		fmt.Fprintf(&b, "; %s left out, because there were too many", memtext.Counted(omitted, "older one was", "older ones were"))
	}
	if unread > 0 {
		fmt.Fprintf(&b, "; %s too long, or not understood", memtext.Counted(unread, "line was", "lines were"))
	}
	if found == 0 {
		b.WriteString(". Nothing in it is worth keeping.")
	} else {
		fmt.Fprintf(&b, ". Found %s.", memtext.Counted(found, "memory", "memories"))
	}
	if len(rejected) > 0 {
		slices.Sort(rejected)
		fmt.Fprintf(&b, " Not taken: %s.", shortList(slices.Compact(rejected)))
	}
	return b.String()
}

// shortList returns the elements of a list, separated by commas. Instead of the elements after the
// fifth it adds "and others".
func shortList(all []string) string {
	const maxShown = 5
	if len(all) > maxShown {
		return strings.Join(all[:maxShown], ", ") + " and others"
	}
	return strings.Join(all, ", ")
}
