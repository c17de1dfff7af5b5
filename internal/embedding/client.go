package embedding

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"memoir/internal/findings/quarantine"
	"memoir/internal/model"
)

const (
	// maxAnswer limits an answer, in bytes. 32 vectors of 4,096 dimensions take 3 MB.
	maxAnswer = 32 << 20
	// maxDimensions limits a vector (arbitrary): the largest known models have 4,096 to 8,192.
	maxDimensions = 16_384
	// maxWords limits the endpoint's own words about an error, in characters.
	maxWords = 200
)

// client calls an endpoint of the OpenAI-compatible API.
type client struct {
	http  *http.Client
	url   string // of /v1/embeddings
	model string
	key   string // empty: none is sent
}

func newClient(o Options) *client {
	return &client{
		// A redirect would send texts of memories to an address outside of the settings.
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		url:  Endpoint(o.URL), model: o.Model, key: o.Key,
	}
}

// Endpoint returns the address that is called for a base URL, which may end in /v1.
func Endpoint(base string) string {
	return strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1") + "/v1/embeddings"
}

// Error is the reason why there are no vectors. It does not contain the key or a text that was sent.
type Error struct {
	why    string // for users
	cause  error  // may be nil
	status int    // 0 without an answer
	again  bool   // a retry may succeed
	after  time.Duration
}

func (e *Error) Error() string {
	if e.cause == nil {
		return e.why
	}
	return e.why + ": " + e.cause.Error()
}

func (e *Error) Unwrap() error { return e.cause }

// Plain returns the reason in a few words for users.
func (e *Error) Plain() string { return e.why }

// isAboutTexts reports whether the endpoint may have refused single texts, such as too long ones.
// llama.cpp answers 500 then.
func (e *Error) isAboutTexts() bool {
	switch e.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		return true
	}
	return false
}

// answered is the endpoint's answer: a vector for each text, all of the same size and finite.
type answered struct {
	vectors [][]float32
	tokens  int64 // 0 if the endpoint did not state them
}

// embed asks for the vectors of texts, once. It fails with *Error, or with ctx.Err() if ctx ends.
// withWords adds the endpoint's own words to an error; they can repeat a text.
func (c *client) embed(ctx context.Context, texts []string, withWords bool) (answered, error) {
	body, err := json.Marshal(map[string]any{"model": c.model, "input": texts})
	if err != nil {
		return answered{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return answered{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answered{}, unreachable(ctx, err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return answered{}, unreachable(ctx, err)
	case len(raw) > maxAnswer:
		return answered{}, &Error{why: fmt.Sprintf("it answered with more than %d MiB", maxAnswer>>20)}
	case response.StatusCode != http.StatusOK:
		return answered{}, c.refusal(response, raw, withWords)
	}
	return read(raw, len(texts))
}

func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{why: "it cannot be reached", cause: err, again: true}
}

// refusal returns the error for an answer with another status than 200.
func (c *client) refusal(response *http.Response, raw []byte, withWords bool) error {
	e := &Error{why: fmt.Sprintf("it answered with status %d", response.StatusCode), status: response.StatusCode}
	switch e.status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		e.again = true
	default:
		e.again = e.status >= http.StatusInternalServerError && e.status != http.StatusNotImplemented
	}
	if e.again {
		e.after = model.RetryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	if words := c.wordsOf(raw); withWords && words != "" {
		e.why += ": " + words
	}
	return e
}

// wordsOf returns the endpoint's own words in an error, on one line, cut and without secrets.
func (c *client) wordsOf(raw []byte) string {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return ""
	}
	var text string
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body.Error, &text) != nil {
		_ = json.Unmarshal(body.Error, &object) // an error without a message has no words
	}
	words := strings.Join(strings.Fields(cmp.Or(text, object.Message, body.Message)), " ")
	if c.key != "" {
		words = strings.ReplaceAll(words, c.key, "…")
	}
	words = quarantine.MaskSecrets(words)
	if characters := []rune(words); len(characters) > maxWords {
		words = string(characters[:maxWords]) + "…"
	}
	return words
}

// read returns the vectors in an answer to n texts, in the order of the texts. It fails with *Error
// if they are not n finite vectors of one size.
func read(raw []byte, n int) (answered, error) {
	var body struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt int64 `json:"prompt_tokens"`
			Total  int64 `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return answered{}, &Error{why: "its answer was not a list of vectors", cause: errors.New(kindOf(err))}
	}
	if len(body.Data) != n {
		return answered{}, &Error{why: fmt.Sprintf("it answered with %d vectors to %d texts", len(body.Data), n)}
	}
	result := answered{vectors: make([][]float32, n), tokens: max(cmp.Or(body.Usage.Prompt, body.Usage.Total), 0)}
	size := len(body.Data[0].Embedding)
	for i, d := range body.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		switch {
		case at < 0 || at >= n || result.vectors[at] != nil:
			return answered{}, &Error{why: fmt.Sprintf("it answered with index %d twice or out of range, to %d texts", at, n)}
		case len(d.Embedding) != size:
			return answered{}, &Error{why: fmt.Sprintf("it answered with vectors of %d and %d dimensions", size, len(d.Embedding))}
		case size == 0 || size > maxDimensions:
			return answered{}, &Error{why: fmt.Sprintf("it answered with a vector of %d dimensions", size)}
		}
		vector, length := make([]float32, size), 0.0
		for j, x := range d.Embedding {
			vector[j] = float32(x)
			length += float64(vector[j]) * float64(vector[j])
		}
		if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
			return answered{}, &Error{why: "it answered with a vector without a finite length"}
		}
		result.vectors[at] = vector
	}
	return result, nil
}

// kindOf returns a description of an error in JSON, without any part of the JSON.
func kindOf(err error) string {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		return fmt.Sprintf("%s in the field %q", wrongType.Value, wrongType.Field)
	}
	return "malformed JSON"
}
