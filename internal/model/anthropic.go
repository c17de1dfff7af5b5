package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// Default is the model that is asked where none is named: the quickest of its family, since somebody waits for the answer.
const Default = string(anthropic.ModelClaudeHaiku5_5)

// Thorough is the model that is asked where none is named for work that nobody waits for.
const Thorough = string(anthropic.ModelClaudeSonnet5_5)

// claude asks over the Messages API.
type claude struct {
	client anthropic.Client
	name   anthropic.Model
	// unstructured means that the endpoint has refused structured output, and answers without it.
	unstructured atomic.Bool
}

// Anthropic returns a model behind the Messages API. name is the model's; empty: Default. key is the API key, and url where the API
// is; empty: Anthropic's own.
func Anthropic(name, key, url string) Model {
	if name == "" {
		name = Default
	}
	// Nothing is read from the environment, so that whoever starts Memoir decides in one place.
	options := []option.RequestOption{option.WithAPIKey(key), option.WithMaxRetries(0)}
	if url != "" {
		options = append(options, option.WithBaseURL(url))
	}
	return &claude{client: anthropic.NewClient(options...), name: anthropic.Model(name)}
}

// Ask asks for structured output. An endpoint that refuses it is asked again without it, and is remembered.
func (c *claude) Ask(ctx context.Context, question Question) (Answer, error) {
	if c.unstructured.Load() {
		return c.ask(ctx, question, false)
	}
	answer, err := c.ask(ctx, question, true)
	if !refusesStructure(err) {
		return answer, err
	}
	answer, err = c.ask(ctx, question, false)
	if err == nil {
		c.unstructured.Store(true)
	}
	return answer, err
}

// ask asks once. Without structured output the instructions have the schema.
func (c *claude) ask(ctx context.Context, question Question, structured bool) (Answer, error) {
	params := anthropic.MessageNewParams{
		Model:     c.name,
		MaxTokens: int64(question.MaxTokens),
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question.Text))},
	}
	system := question.System
	if structured {
		params.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: question.Schema}}
	} else {
		schema, err := json.Marshal(question.Schema)
		if err != nil {
			return Answer{}, &Error{why: "its question has a schema that is none", cause: err}
		}
		system = withSchema(system, schema)
	}
	params.System = []anthropic.TextBlockParam{{Text: system}}
	message, err := c.client.Messages.New(ctx, params)
	if err != nil {
		return Answer{}, failure(ctx, err)
	}
	used := message.Usage
	answer := Answer{
		Model:        string(message.Model),
		InputTokens:  int(used.InputTokens + used.CacheCreationInputTokens + used.CacheReadInputTokens),
		OutputTokens: int(used.OutputTokens),
	}
	if message.StopReason != anthropic.StopReasonEndTurn {
		return answer, &Error{why: fmt.Sprintf("it ended with %q in place of an answer", shortened(string(message.StopReason)))}
	}
	var text strings.Builder
	for _, block := range message.Content {
		text.WriteString(block.Text)
	}
	answer.JSON, err = value(text.String())
	return answer, err
}

// structureWords are in the complaint of an endpoint that does not know structured output.
var structureWords = []string{
	"output_config", "output_format", "response_format", "response_schema", "response schema", "json_schema", "json schema",
	"structured output", "structured_output", "format",
}

// refusesStructure reports whether an endpoint refused a question because it asked for structured output.
func refusesStructure(err error) bool {
	var refused *anthropic.Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusBadRequest && refused.StatusCode != http.StatusUnprocessableEntity {
		return false
	}
	return saysOneOf(refused, structureWords)
}

// modelWords are in the complaint of an endpoint that does not know the model, or is not paid.
var modelWords = []string{
	"model not found", "unknown model", "invalid model", "model does not exist", "unsupported model", "not a valid model", "credit balance",
}

func saysOneOf(refused *anthropic.Error, phrases []string) bool {
	said := strings.ToLower(refused.RawJSON())
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(said, phrase) })
}

// failure words what the library failed with. A caller that stopped waiting gets the context's error.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *anthropic.Error
	if !errors.As(err, &refused) {
		return &Error{why: "it cannot be reached", cause: err, again: true}
	}
	said := &Error{why: fmt.Sprintf("it answered with status %d", refused.StatusCode), cause: err}
	switch status := refused.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden, status == http.StatusNotFound:
		said.misconfigured = true
	case status == http.StatusBadRequest:
		said.misconfigured = saysOneOf(refused, modelWords)
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooManyRequests, status >= 500:
		said.again = true
		if refused.Response != nil {
			said.after = retryAfter(refused.Response.Header.Get("Retry-After"), time.Now())
		}
	}
	return said
}

// longestWait bounds what a server may ask for: nobody remembers a question for longer than a day.
const longestWait = 24 * time.Hour

// retryAfter reads the header of that name: seconds, or a date. What is neither, or lies in the past, is 0.
func retryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(seconds, int(longestWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), longestWait)
}
