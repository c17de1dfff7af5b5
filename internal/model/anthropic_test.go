package model_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"memoir/internal/model"
	"memoir/internal/model/modeltest"
)

// question asks for one word.
var question = model.Question{
	System: "Answer in one word.", Text: "What colour is the sky?", MaxTokens: 50,
	Schema: map[string]any{
		"type": "object", "properties": map[string]any{"word": map[string]any{"type": "string"}},
		"required": []string{"word"}, "additionalProperties": false,
	},
}

func TestAsk_Cost(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t, modeltest.Says(`{"word":"blue"}`))
	answer, err := server.Model().Ask(t.Context(), question)
	if err != nil || string(answer.JSON) != `{"word":"blue"}` || answer.Model != model.Default ||
		answer.InputTokens != modeltest.InputTokens || answer.OutputTokens != modeltest.OutputTokens {
		t.Errorf("it answered %+v, %v", answer, err)
	}
	asked := server.Requests()[0]
	if asked.System != question.System || asked.Text != question.Text || asked.MaxTokens != 50 || !strings.Contains(string(asked.Schema), `"word"`) {
		t.Errorf("it was asked %+v", asked)
	}
}

func TestAsk_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply modeltest.Reply
		why   string
		again bool
		after time.Duration
	}{
		"malformed":         {modeltest.Status(http.StatusBadRequest), "status 400", false, 0},
		"no key":            {modeltest.Status(http.StatusUnauthorized), "status 401", false, 0},
		"not allowed":       {modeltest.Status(http.StatusForbidden), "status 403", false, 0},
		"no such model":     {modeltest.Status(http.StatusNotFound), "status 404", false, 0},
		"too many requests": {modeltest.RetryAfter(30 * time.Second), "status 429", true, 30 * time.Second},
		"for a week":        {modeltest.RetryAfter(7 * 24 * time.Hour), "status 429", true, 24 * time.Hour},
		"broken":            {modeltest.Status(http.StatusInternalServerError), "status 500", true, 0},
		"overloaded":        {modeltest.Status(529), "status 529", true, 0},
		"cut":               {modeltest.Cut(), "cannot be reached", true, 0},
		"gone":              {modeltest.Gone(), "cannot be reached", true, 0},
		"a page":            {modeltest.Page(), "cannot be reached", true, 0},
		"prose":             {modeltest.Says("It is blue."), "not JSON", true, 0},
		"half an answer":    {modeltest.TooLong(`{"word":"bl`), `"max_tokens"`, false, 0},
		"a refusal":         {modeltest.Refuses(), `"refusal"`, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t, c.reply)
			_, err := server.Model().Ask(t.Context(), question)
			var failed *model.Error
			if !errors.As(err, &failed) {
				t.Fatalf("it failed with %v", err)
			}
			again, after := failed.Again()
			if again != c.again || after != c.after || !strings.Contains(failed.Plain(), c.why) || strings.Contains(failed.Plain(), modeltest.Secret) != failed.Misconfigured() {
				t.Errorf("it failed with %q; ask again: %t, after %v", failed.Plain(), again, after)
			}
			if asked := len(server.Requests()); asked != 1 {
				t.Errorf("it was asked %d times", asked)
			}
		})
	}
}

func TestAsk_EndpointWithoutStructuredOutput(t *testing.T) {
	t.Parallel()
	server := modeltest.Answering(t, modeltest.Unstructured(modeltest.Says("```json\n{\"word\":\"blue\"}\n```")))
	m := server.Model()
	for range 2 {
		if answer, err := m.Ask(t.Context(), question); err != nil || string(answer.JSON) != `{"word":"blue"}` {
			t.Fatalf("it answered %s, %v", answer.JSON, err)
		}
	}
	asked := server.Requests()
	if len(asked) != 3 || asked[0].Schema == nil || asked[1].Schema != nil || asked[2].Schema != nil {
		t.Fatalf("it was asked %+v, want structured output once", asked)
	}
	if !strings.HasPrefix(asked[1].System, question.System) || !strings.Contains(asked[1].System, `"word"`) {
		t.Errorf("its instructions were %q", asked[1].System)
	}
}

func TestAsk_OtherRefusalsAreFinal(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t, modeltest.Complains(http.StatusBadRequest, "messages: text is too long"))
	_, err := server.Model().Ask(t.Context(), question)
	var failed *model.Error
	if !errors.As(err, &failed) || failed.Misconfigured() || len(server.Requests()) != 1 {
		t.Errorf("asked %d times: %v", len(server.Requests()), err)
	}
}

func TestAsk_Misconfigured(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]modeltest.Reply{
		"wrong key":     modeltest.Status(http.StatusUnauthorized),
		"not allowed":   modeltest.Status(http.StatusForbidden),
		"no such model": modeltest.Status(http.StatusNotFound),
		"unknown model": modeltest.Complains(http.StatusBadRequest, "Unknown model: x"),
		"no credit":     modeltest.Complains(http.StatusBadRequest, "Your credit balance is too low"),
	} {
		_, err := modeltest.New(t, reply).Model().Ask(t.Context(), question)
		var failed *model.Error
		if !errors.As(err, &failed) || !failed.Misconfigured() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAsk_CostOfFailure(t *testing.T) {
	t.Parallel()
	answer, err := modeltest.New(t, modeltest.Says("prose")).Model().Ask(t.Context(), question)
	if err == nil || answer.InputTokens != modeltest.InputTokens {
		t.Errorf("prose cost %d tokens: %v", answer.InputTokens, err)
	}
}

func TestAsk_Timeout(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := modeltest.New(t, modeltest.Never()).Model().Ask(ctx, question)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}

func TestAnthropic_Endpoint(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at           func(url string) model.Endpoint
		path, header string
		value        string
	}{
		"key":           {func(url string) model.Endpoint { return model.Endpoint{Key: "k", URL: url} }, "/v1/messages", "X-Api-Key", "k"},
		"token":         {func(url string) model.Endpoint { return model.Endpoint{AuthToken: "t", URL: url} }, "/v1/messages", "Authorization", "Bearer t"},
		"version":       {func(url string) model.Endpoint { return model.Endpoint{Key: "k", URL: url + "/v1"} }, "/v1/messages", "X-Api-Key", "k"},
		"version/":      {func(url string) model.Endpoint { return model.Endpoint{Key: "k", URL: url + "/proxy/v1/"} }, "/proxy/v1/messages", "X-Api-Key", "k"},
		"path":          {func(url string) model.Endpoint { return model.Endpoint{Key: "k", URL: url + "/proxy"} }, "/proxy/v1/messages", "X-Api-Key", "k"},
		"no second key": {func(url string) model.Endpoint { return model.Endpoint{AuthToken: "t", URL: url} }, "/v1/messages", "X-Api-Key", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var path, value string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				path, value = r.URL.Path, r.Header.Get(tt.header)
				http.Error(w, "{}", http.StatusUnauthorized)
			}))
			defer server.Close()
			if _, err := model.Anthropic("m", tt.at(server.URL)).Ask(t.Context(), question); err == nil {
				t.Error("a refusal is no error")
			}
			if path != tt.path || value != tt.value {
				t.Errorf("called %s with %s %q, want %s with %q", path, tt.header, value, tt.path, tt.value)
			}
		})
	}
}
