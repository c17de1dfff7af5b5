package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

const (
	// dialPatience is how long it may take to reach a server. One on this machine takes a thousandth of that.
	dialPatience = 5 * time.Second
	// callPatience is how long a call may take in all: longer than the server itself waits for its database.
	callPatience = time.Minute
	// pageSize is how many memories are asked for at a time, of the 500 that the API allows: each may have a megabyte.
	pageSize = 100
	// maxAnswer is the longest answer that is read, in bytes.
	maxAnswer = 256 << 20
)

// caller makes the requests to a server. It follows no redirects: the API has none, and a token is for one address.
var caller = &http.Client{
	Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialPatience}).DialContext,
		TLSHandshakeTimeout:   dialPatience,
		ResponseHeaderTimeout: callPatience,
		ForceAttemptHTTP2:     true,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// authorise shows the server its token.
func (a address) authorise(request *http.Request) {
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
}

// absentError says that no Memoir answers at an address.
type absentError struct {
	url string
	why string
}

func (e *absentError) Error() string { return e.why + " at " + e.url }

// call asks the API. Where body is not nil, it is sent as JSON; the answer is decoded into into, and returned as it came.
//
// It fails with *absentError where no Memoir answers, and with what the server says went wrong.
func (a address) call(ctx context.Context, method, path string, body, into any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.url+"/api/v1"+path, sent)
	if err != nil {
		return nil, err
	}
	if sent != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	a.authorise(request)
	response, err := caller.Do(request)
	if err != nil {
		var unreached *net.OpError
		if errors.As(err, &unreached) && unreached.Op == "dial" {
			return nil, &absentError{a.url, "no server answers"}
		}
		return nil, unanswered(method, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, unanswered(method, err)
	}
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("the server answers more than %d MiB", maxAnswer>>20)
	}
	return answer, a.read(response, answer, into)
}

// unanswered says what is known when a server was reached and did not answer, or not to the end.
func unanswered(method string, err error) error {
	if method == http.MethodGet {
		return fmt.Errorf("the server did not answer: %w", err)
	}
	return fmt.Errorf("the server did not answer, so it is not known whether this was done. Look first, and then try again: %w", err)
}

// read makes values, or an error, of an answer.
func (a address) read(response *http.Response, answer []byte, into any) error {
	switch media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case media == "application/problem+json":
		return problemIn(response, answer)
	case media != "application/json" || response.StatusCode/100 != 2:
		return &absentError{a.url, "something that is no Memoir answers"}
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("the server's answer is not understood; it may be of another version: %w", err)
	}
	return nil
}

// problemIn is what the server says went wrong.
func problemIn(response *http.Response, answer []byte) error {
	var problem struct {
		Detail string `json:"detail"`
	}
	switch err := json.Unmarshal(answer, &problem); {
	case response.StatusCode == http.StatusUnauthorized:
		return errors.New("the server wants a token: set MEMOIR_TOKEN, or give it with --token")
	case err != nil || problem.Detail == "":
		return fmt.Errorf("the server answers %s", response.Status)
	}
	return errors.New(strings.TrimSuffix(problem.Detail, "."))
}

// agents asks for all agents.
func (a address) agents(ctx context.Context) ([]agents.Agent, error) {
	var list struct {
		Agents []struct {
			Slug   string        `json:"slug"`
			Name   string        `json:"name"`
			Layout agents.Layout `json:"layout"`
			Dir    string        `json:"dir"`
		} `json:"agents"`
	}
	if _, err := a.call(ctx, http.MethodGet, "/agents", nil, &list); err != nil {
		return nil, err
	}
	all := make([]agents.Agent, len(list.Agents))
	for i, found := range list.Agents {
		all[i] = agents.Agent{Slug: found.Slug, Layout: found.Layout, Dir: found.Dir, DisplayName: found.Name}
	}
	return all, nil
}

// served are the memories of an agent as a server has them.
type served struct {
	address
	slug string
}

func (s served) path() string { return "/agents/" + url.PathEscape(s.slug) }

func (s served) list(ctx context.Context, t memories.Type) (answer[memoryList], error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if t != "" {
		query.Set("type", string(t))
	}
	var whole answer[memoryList]
	raw := rawList{Memories: []json.RawMessage{}}
	for {
		var page memoryList
		text, err := s.call(ctx, http.MethodGet, s.path()+"/memories?"+query.Encode(), nil, &page)
		if err != nil {
			return whole, err
		}
		var rawPage rawList
		if err := json.Unmarshal(text, &rawPage); err != nil {
			return whole, err
		}
		whole.value.Memories = append(whole.value.Memories, page.Memories...)
		whole.value.Total, raw.Total = page.Total, page.Total
		raw.Memories = append(raw.Memories, rawPage.Memories...)
		if page.NextCursor == nil {
			break
		}
		query.Set("cursor", *page.NextCursor)
	}
	text, err := json.Marshal(raw)
	whole.json = text
	return whole, err
}

// rawList is a list of which the memories are handed on as the server wrote them.
type rawList struct {
	Memories   []json.RawMessage `json:"memories"`
	Total      int               `json:"total"`
	Near       bool              `json:"near"`
	NextCursor *string           `json:"next_cursor"`
}

func (s served) find(ctx context.Context, name string) (answer[memory], error) {
	var found rawList
	query := url.Values{"name": {name}, "limit": {"1"}}
	if _, err := s.call(ctx, http.MethodGet, s.path()+"/memories?"+query.Encode(), nil, &found); err != nil {
		return answer[memory]{}, err
	}
	if len(found.Memories) == 0 {
		return answer[memory]{}, &unknownError{name}
	}
	one := answer[memory]{json: found.Memories[0]}
	return one, json.Unmarshal(one.json, &one.value)
}

func (s served) save(ctx context.Context, d draft) (answer[memory], error) {
	is, err := s.find(ctx, d.name)
	var unknown *unknownError
	switch {
	case errors.As(err, &unknown):
		if d.kind == "" {
			return answer[memory]{}, errNeedsType
		}
		body := map[string]any{"name": d.name, "type": d.kind, "description": d.description, "body": d.body}
		return s.change(ctx, http.MethodPost, s.path()+"/memories", body)
	case err != nil:
		return answer[memory]{}, err
	}
	body := map[string]any{}
	if d.kind != "" {
		body["type"] = d.kind
	}
	if d.description != nil {
		body["description"] = d.description
	}
	if d.body != nil {
		body["body"] = d.body
	}
	return s.change(ctx, http.MethodPatch, s.path()+"/memories/"+is.value.id(), body)
}

func (s served) delete(ctx context.Context, name string) (deletion, error) {
	is, err := s.find(ctx, name)
	if err != nil {
		return deletion{}, err
	}
	at := s.path() + "/memories/" + is.value.id()
	gone, err := s.change(ctx, http.MethodDelete, at, nil)
	if err != nil {
		return deletion{}, err
	}
	d := deletion{answer: gone, trash: true}
	for _, f := range is.value.Files {
		d.files = append(d.files, f.Path)
	}
	return d, nil
}

func (s served) change(ctx context.Context, method, path string, body any) (answer[memory], error) {
	var changed answer[memory]
	text, err := s.call(ctx, method, path, body, &changed.value)
	changed.json = text
	return changed, err
}

func (s served) recall(ctx context.Context, query string, limit int) (answer[recalled], error) {
	var chosen answer[recalled]
	body := map[string]any{"query": query, "session": nil, "limit": limit}
	text, err := s.call(ctx, http.MethodPost, s.path()+"/recall", body, &chosen.value)
	chosen.json = text
	return chosen, err
}
