package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// dialPatience is how long it may take to reach a server. One on this machine takes a thousandth of that.
	dialPatience = 5 * time.Second
	// callPatience is how long a call may take in all: longer than the server itself waits for its database.
	callPatience = time.Minute
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
	if token := cmp.Or(a.token, a.ownerToken); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
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
