package model_test

import (
	"context"
	"errors"
	"net/http"
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

func TestAnAnswerComesWithWhatItTook(t *testing.T) {
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

func TestAFailureSaysWhetherToAskAgain(t *testing.T) {
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
		"prose":             {modeltest.Says("It is blue."), "no JSON", true, 0},
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
			if again != c.again || after != c.after || !strings.Contains(failed.Plain(), c.why) || strings.Contains(failed.Plain(), modeltest.Secret) {
				t.Errorf("it failed with %q; ask again: %t, after %v", failed.Plain(), again, after)
			}
			if asked := len(server.Requests()); asked != 1 {
				t.Errorf("it was asked %d times", asked)
			}
		})
	}
}

func TestWhatAFailureHasCostIsTold(t *testing.T) {
	t.Parallel()
	answer, err := modeltest.New(t, modeltest.Says("prose")).Model().Ask(t.Context(), question)
	if err == nil || answer.InputTokens != modeltest.InputTokens {
		t.Errorf("prose cost %d tokens: %v", answer.InputTokens, err)
	}
}

func TestNobodyWaitsForAModelPastTheTimeThatHeHas(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := modeltest.New(t, modeltest.Never()).Model().Ask(ctx, question)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}
