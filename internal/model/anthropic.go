package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// Default is the model that is asked where none is named: the quickest of its family, since somebody waits for the answer.
const Default = string(anthropic.ModelClaudeHaiku5_5)

// claude asks over the Messages API.
type claude struct {
	client anthropic.Client
	name   anthropic.Model
}

// Anthropic returns a model behind the Messages API. name is the model's; empty: Default. key is the API key, and url where the API
// is; empty: Anthropic's own.
func Anthropic(name, key, url string) Model {
	if name == "" {
		name = Default
	}
	// Nothing is read from the environment, so that whoever starts Memoir decides in one place.
	options := []option.RequestOption{option.WithAPIKey(key), option.WithMaxRetries(1)}
	if url != "" {
		options = append(options, option.WithBaseURL(url))
	}
	return &claude{anthropic.NewClient(options...), anthropic.Model(name)}
}

func (c *claude) Ask(ctx context.Context, question Question) (Answer, error) {
	message, err := c.client.Messages.New(ctx, anthropic.MessageNewParams{
		Model:        c.name,
		MaxTokens:    int64(question.MaxTokens),
		System:       []anthropic.TextBlockParam{{Text: question.System}},
		Messages:     []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question.Text))},
		OutputConfig: anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: question.Schema}},
	})
	if err != nil {
		return Answer{}, failure(ctx, err)
	}
	if message.StopReason != anthropic.StopReasonEndTurn {
		return Answer{}, &Error{why: fmt.Sprintf("it ended with %q in place of an answer", shortened(string(message.StopReason)))}
	}
	var text strings.Builder
	for _, block := range message.Content {
		text.WriteString(block.Text)
	}
	said, err := value(text.String())
	return Answer{said, int(message.Usage.InputTokens), int(message.Usage.OutputTokens)}, err
}

// failure words what the library failed with. Whoever gave up waiting is told just that.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refused *anthropic.Error
	if errors.As(err, &refused) {
		return &Error{fmt.Sprintf("it answered with status %d", refused.StatusCode), err}
	}
	return &Error{"it cannot be reached", err}
}
