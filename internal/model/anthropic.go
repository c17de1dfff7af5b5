package model

import (
	"cmp"
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

	"memoir/internal/findings/quarantine"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// Default is the default model for recall: the fastest of its family, because a user waits for the
// answer.
const Default = string(anthropic.ModelClaudeHaiku5_5)

// Thorough is the default model for background work.
const Thorough = string(anthropic.ModelClaudeSonnet5_5)

// claude uses the Messages API.
type claude struct {
	client anthropic.Client
	name   anthropic.Model
	// unstructured is set if the endpoint refused structured output and answered without it.
	unstructured atomic.Bool
}

// Endpoint is where and how the Messages API is called.
type Endpoint struct {
	Key       string // API key, sent as X-Api-Key; may be empty
	AuthToken string // sent as Authorization: Bearer; may be empty
	URL       string // empty means Anthropic's; may end in /v1
}

// IsSet reports whether the endpoint has a key or a token.
func (e Endpoint) IsSet() bool { return e.Key != "" || e.AuthToken != "" }

// Anthropic returns the model called name of the Messages API at an endpoint. It sends nothing: a
// wrong name or key makes Ask fail.
func Anthropic(name string, at Endpoint) Model {
	// The library reads nothing from the environment, so that all settings are in one place.
	options := []option.RequestOption{option.WithMaxRetries(0)}
	if at.Key != "" {
		options = append(options, option.WithAPIKey(at.Key))
	}
	if at.AuthToken != "" {
		options = append(options, option.WithAuthToken(at.AuthToken))
	}
	if at.URL != "" {
		// The library adds v1/messages.
		options = append(options, option.WithBaseURL(strings.TrimSuffix(strings.TrimRight(at.URL, "/"), "/v1")+"/"))
	}
	return &claude{client: anthropic.NewClient(options...), name: anthropic.Model(name)}
}

// Ask asks the API for an answer in the question's schema. If the endpoint does not support
// schemas, it asks a second time with the schema in the prompt; if that works, later calls begin
// so. It returns *Error, and ctx.Err() if ctx ends. With an *Error the answer has the used tokens,
// if the API stated them.
func (c *claude) Ask(ctx context.Context, question Question) (Answer, error) {
	question.Text = quarantine.MaskSecrets(question.Text)
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

// ask sends one question to the API, once. If structured is false, the schema is in the system
// prompt. It returns *Error, and ctx.Err() if ctx ends. If the model did not end its answer or
// answered without JSON, the answer has the model and the used tokens next to the *Error.
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
			return Answer{}, &Error{why: "its question has an invalid schema", cause: err}
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

// structureWords are words in the error of an endpoint without structured output.
var structureWords = []string{
	"output_config", "output_format", "response_format", "response_schema", "response schema", "json_schema", "json schema",
	"structured output", "structured_output", "format",
}

// refusesStructure reports whether err is an answer of the API that names structured output as
// invalid. It is false for nil.
func refusesStructure(err error) bool {
	var refused *anthropic.Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusBadRequest && refused.StatusCode != http.StatusUnprocessableEntity {
		return false
	}
	return saysOneOf(refused, structureWords)
}

// questionWords are words in the error of an endpoint that cannot answer this one question. Any
// other bad request is about the configuration, such as the name of the model.
var questionWords = []string{"too long", "too many tokens", "context length", "context window", "content filter", "maximum context"}

// wordsOf returns the endpoint's own words about an error, on one line and shortened, or "".
func wordsOf(refused *anthropic.Error) string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(refused.RawJSON()), &body) != nil {
		return ""
	}
	return shortened(strings.Join(strings.Fields(cmp.Or(body.Error.Message, body.Message)), " "))
}

func saysOneOf(refused *anthropic.Error, phrases []string) bool {
	result := strings.ToLower(refused.RawJSON())
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(result, phrase) })
}

// failure converts an error of the library to an *Error that has whether a retry can help, its
// delay, and whether it is misconfigured. If ctx has ended, it returns ctx.Err() instead.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *anthropic.Error
	if !errors.As(err, &refused) {
		return &Error{why: "it cannot be reached", cause: err, again: true}
	}
	result := &Error{why: fmt.Sprintf("it answered with status %d", refused.StatusCode), cause: err}
	switch status := refused.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden, status == http.StatusNotFound:
		result.misconfigured = true
	case status == http.StatusBadRequest:
		result.misconfigured = !saysOneOf(refused, questionWords)
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooManyRequests, status >= 500:
		result.again = true
		if refused.Response != nil {
			result.after = RetryAfter(refused.Response.Header.Get("Retry-After"), time.Now())
		}
	}
	if words := wordsOf(refused); result.misconfigured && words != "" {
		result.why += ": " + words // they say what to change
	}
	return result
}

// maxWait is the maximum delay that a server can request (arbitrary).
const maxWait = 24 * time.Hour

// RetryAfter returns the delay that a Retry-After header states, in seconds or as a date, at most
// maxWait. It returns 0 for other values and past dates.
func RetryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(seconds, int(maxWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxWait)
}
