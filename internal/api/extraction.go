package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"memoir/internal/extraction"
	"memoir/internal/jobs"
	"memoir/internal/memories"
	"memoir/internal/problem"
	"memoir/internal/records"
	"memoir/internal/transcript"
	"memoir/internal/wire"
)

// Extraction is the state and the result of reading one conversation.
type Extraction struct {
	Key          string `json:"key" doc:"Key of the background job; see GET /agents/{slug}/jobs."`
	Session      string `json:"session" doc:"Name of the conversation."`
	State        string `json:"state" enum:"waiting,done"`
	Said         string `json:"said" doc:"The result as a sentence; empty while the job waits."`
	InputTokens  int    `json:"input_tokens"`
	OutputTokens int    `json:"output_tokens"`
}

// Proposal is a memory that was found in a conversation.
type Proposal struct {
	ID          string         `json:"id" format:"uuid"`
	Agent       string         `json:"agent" doc:"The agent's slug."`
	State       string         `json:"state" enum:"waiting,accepting,accepted,refused"`
	Name        string         `json:"name"`
	Type        string         `json:"type" enum:"feedback,user,project,reference"`
	Description *string        `json:"description"`
	Body        *string        `json:"body" doc:"Markdown."`
	Quote       string         `json:"quote" doc:"The source: what was said."`
	QuotedAt    *time.Time     `json:"quoted_at" doc:"Time of the quoted message."`
	Session     *string        `json:"session"`
	ProposedAt  time.Time      `json:"proposed_at"`
	DecidedAt   *time.Time     `json:"decided_at"`
	DecidedBy   *string        `json:"decided_by" doc:"browser, script or extraction."`
	Changes     *ProposedState `json:"changes" doc:"The current memory of that name, which accepting changes; null if the memory would be new, or the proposal is decided."`
	Doubt       *string        `json:"doubt" doc:"What a person should check first, such as a relative date. Null if there is nothing, or the proposal is decided."`
	Memory      *string        `json:"memory" doc:"Id of the accepted memory."`
	ETag        string         `json:"etag" doc:"For If-Match: covers the proposal and the memory that it would change."`
}

// ProposedState is the current content of the memory that a proposal would change.
type ProposedState struct {
	ID          string  `json:"id" format:"uuid"`
	Type        *string `json:"type"`
	Description *string `json:"description"`
	Body        *string `json:"body"`
}

// Schema returns the schema of the struct, or null. huma never adds the null for objects.
func (ProposedState) Schema(huma.Registry) *huma.Schema {
	text := func() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Nullable: true} }
	state := &huma.Schema{
		Type: huma.TypeObject, Required: []string{"id", "type", "description", "body"},
		Properties: map[string]*huma.Schema{"id": {Type: huma.TypeString, Format: "uuid"}, "type": text(), "description": text(), "body": text()},
	}
	return &huma.Schema{AnyOf: []*huma.Schema{state, {Type: "null"}}}
}

// ProposalList is one page of an agent's proposals.
type ProposalList struct {
	Proposals  []Proposal `json:"proposals" nullable:"false" doc:"Newest first."`
	Total      int        `json:"total" doc:"Number of proposals in that state."`
	NextCursor *string    `json:"next_cursor" doc:"Cursor of the next page; null on the last one."`
}

// ProposalPath contains the path parameters for a proposal.
type ProposalPath struct {
	AgentPath
	ID string `path:"id" doc:"The proposal's id."`
}

// proposalAnswer is the response with one proposal and its entity tag.
type proposalAnswer struct {
	ETag string `header:"ETag" doc:"Strong; covers the proposal and the memory that it would change."`
	Body Proposal
}

func (a *api) registerExtraction() {
	op := post("/agents/{slug}/extract", "extract", "Find memories in a conversation", http.StatusConflict)
	op.DefaultStatus = http.StatusOK
	op.Responses = map[string]*huma.Response{"202": {
		Description: "The conversation is read in the background: wait is 0, or has passed.",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/Extraction"}}},
	}}
	register(a, op, a.extract)
	const proposals = "/agents/{slug}/proposals"
	register(a, get(proposals, "list-proposals", "List proposals, newest first"), a.listProposals)
	register(a, get(proposals+"/{id}", "get-proposal", "Get one proposal"), a.getProposal)
	register(a, post(proposals+"/{id}/accept", "accept-proposal", "Accept a proposal: save it as a memory",
		http.StatusConflict, http.StatusPreconditionFailed), a.acceptProposal)
	register(a, post(proposals+"/{id}/refuse", "refuse-proposal", "Refuse a proposal, so that it is not repeated", http.StatusConflict,
		http.StatusPreconditionFailed), a.refuseProposal)
}

type extractInput struct {
	AgentPath
	Wait int `query:"wait" minimum:"0" maximum:"60" doc:"Seconds to wait for the result. A slower conversation is still read, and the answer is 202. 0: do not wait."`
	Body struct {
		Messages []struct {
			Role      string     `json:"role" enum:"user,assistant" doc:"The speaker."`
			Content   string     `json:"content"`
			Timestamp *time.Time `json:"timestamp,omitempty" doc:"Time of the message; relative dates are resolved from it."`
		} `json:"messages,omitempty" doc:"The conversation. If it begins like an earlier one, only the new messages are read."`
		Session        string `json:"session,omitempty" maxLength:"200" doc:"Name of the conversation, for the memory file."`
		Transcript     string `json:"transcript,omitempty" doc:"Instead of messages: JSON lines of Claude Code."`
		TranscriptPath string `json:"transcript_path,omitempty" doc:"Instead of messages: a .jsonl file below projects/ of the server's --claude-dir."`
	} `nameHint:"Extract"`
}

type extractAnswer struct {
	Status int
	Body   Extraction
}

// extract queues a conversation to be read. If the reading ends within in.Wait seconds, it answers
// 200 with the result, else 202; with a Wait of 0, always 202. If the reading fails within that
// time, it returns a 503 problem that states whether Memoir tries again. It returns
// *memories.InvalidError unless exactly one of messages, transcript and path is given.
func (a *api) extract(ctx context.Context, in *extractInput) (*extractAnswer, error) {
	request := extraction.Request{Agent: in.Slug, Session: in.Body.Session, Transcript: in.Body.Transcript, Path: in.Body.TranscriptPath}
	for _, m := range in.Body.Messages {
		message := transcript.Message{Role: m.Role, Text: m.Content}
		if m.Timestamp != nil {
			message.At = m.Timestamp.UTC()
		}
		request.Messages = append(request.Messages, message)
	}
	given := 0
	for _, isGiven := range []bool{len(request.Messages) > 0, request.Transcript != "", request.Path != ""} {
		if isGiven {
			given++
		}
	}
	if given != 1 {
		return nil, &memories.InvalidError{Field: "messages", Reason: "or transcript or transcript_path is required, exactly one of them"}
	}
	if strings.ContainsRune(request.Session, 0) {
		return nil, &memories.InvalidError{Field: "session", Reason: "contains a NUL character"}
	}
	deferred, err := a.options.Extractor.Ask(ctx, request)
	if err != nil {
		return nil, err
	}
	shown := Extraction{Key: deferred.Key, Session: deferred.Name(), State: "waiting"}
	if in.Wait == 0 {
		return &extractAnswer{http.StatusAccepted, shown}, nil
	}
	job, done, err := a.options.Extractor.Wait(ctx, deferred, time.Duration(in.Wait)*time.Second)
	switch {
	case err != nil:
		return nil, err
	case !done:
		return &extractAnswer{http.StatusAccepted, shown}, nil
	case job.State == jobs.Done:
		shown.State, shown.Said, shown.InputTokens, shown.OutputTokens = "done", job.Message, job.InputTokens, job.OutputTokens
		return &extractAnswer{http.StatusOK, shown}, nil
	case job.State == jobs.Waiting:
		return nil, problem.New(http.StatusServiceUnavailable, "Conversation not read yet: "+job.Problem+". It is kept. Memoir tries again.").RetryAfter(problem.RetrySeconds)
	default:
		return nil, problem.New(http.StatusServiceUnavailable, "Conversation not read: "+job.Problem+". Memoir does not try again.")
	}
}

type listProposalsInput struct {
	AgentPath
	State  string `query:"state" enum:"waiting,accepting,accepted,refused" doc:"Default: all."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

func (a *api) listProposals(ctx context.Context, in *listProposalsInput) (*answer[ProposalList], error) {
	page, err := a.options.Extractor.Proposals(ctx, in.Slug, records.ProposalState(in.State), in.Limit, in.Cursor)
	proposals := wire.List(page.Proposals, func(p extraction.Proposed) Proposal { return proposalOf(in.Slug, p) })
	return ok(ProposalList{Proposals: proposals, Total: page.Total, NextCursor: wire.Text(page.NextCursor)}), err
}

func (a *api) getProposal(ctx context.Context, in *ProposalPath) (*proposalAnswer, error) {
	p, err := a.options.Extractor.Proposal(ctx, in.Slug, in.ID)
	return &proposalAnswer{p.ETag(), proposalOf(in.Slug, p)}, err
}

type acceptProposalInput struct {
	ProposalPath
	IfMatch string `header:"If-Match" doc:"The ETag of the proposal as you read it; 412 if the proposal, or the memory that it changes, has changed since."`
	Body    *struct {
		Name        optional `json:"name" required:"false" nullable:"false" doc:"Edit of the proposal."`
		Type        optional `json:"type" required:"false" nullable:"false" enum:"feedback,user,project,reference"`
		Description optional `json:"description" required:"false"`
		Body        optional `json:"body" required:"false"`
	} `nameHint:"AcceptProposal"`
}

func (a *api) acceptProposal(ctx context.Context, in *acceptProposalInput) (*memoryAnswer, error) {
	match, err := onlyTag(in.IfMatch)
	if err != nil {
		return nil, err
	}
	var edits extraction.Edits
	if in.Body != nil {
		for field, value := range map[string]optional{"name": in.Body.Name, "type": in.Body.Type} {
			if err := value.notNull(field); err != nil {
				return nil, err
			}
		}
		edits = extraction.Edits{
			Name: in.Body.Name.value, Type: (*memories.Type)(in.Body.Type.value), Description: in.Body.Description.value, Body: in.Body.Body.value,
		}
	}
	return written(a.options.Extractor.Accept(ctx, in.Slug, in.ID, match, memories.ByScript, edits))
}

type refuseProposalInput struct {
	ProposalPath
	IfMatch string `header:"If-Match" doc:"The ETag of the proposal as you read it."`
}

func (a *api) refuseProposal(ctx context.Context, in *refuseProposalInput) (*proposalAnswer, error) {
	match, err := onlyTag(in.IfMatch)
	if err != nil {
		return nil, err
	}
	p, err := a.options.Extractor.Refuse(ctx, in.Slug, in.ID, match, memories.ByScript)
	return &proposalAnswer{p.ETag(), proposalOf(in.Slug, p)}, err
}

// onlyTag returns the entity tag of an If-Match header. It is empty if the header is empty or *. It
// returns memories.ErrChanged if the header has no tag or several.
func onlyTag(header string) (string, error) {
	switch tags := entityTags(header); {
	case header == "" || header == "*":
		return "", nil
	case len(tags) == 1:
		return tags[0], nil
	default:
		return "", memories.ErrChanged
	}
}

func proposalOf(slug string, p extraction.Proposed) Proposal {
	shown := Proposal{
		ID: p.ID.String(), Agent: slug, State: string(p.State), Name: p.Name, Type: string(p.Type), Description: wire.Text(p.Description), Body: wire.Text(p.Body),
		Quote: p.Quote, QuotedAt: wire.Moment(p.QuotedAt), Session: wire.Text(p.Session), ProposedAt: p.ProposedAt, DecidedAt: wire.Moment(p.DecidedAt),
		DecidedBy: wire.Text(p.DecidedBy), Doubt: wire.Text(p.Doubt()), Memory: wire.Text(p.MemoryID), ETag: p.ETag(),
	}
	if m := p.Present; m != nil {
		shown.Changes = &ProposedState{m.ID, wire.Text(m.Type), wire.Text(m.Description), wire.Text(m.Body)}
	}
	return shown
}
