// Package remote is a client of Memoir's API, with errors for users of a terminal.
//
// It owns the time limits of calls, and how to tell that another program, or none, answers.
package remote

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
	"net/netip"
	"net/url"
	"strings"
	"time"
)

const (
	// dialTimeout limits a connection attempt. A server on this machine answers in milliseconds.
	dialTimeout = 5 * time.Second
	// callTimeout limits a call in total. It is longer than the server's database timeout.
	callTimeout = time.Minute
	// maxAnswer limits a response, in bytes. Arbitrary.
	maxAnswer = 256 << 20
)

// Server is the address of a server, with the token to use there.
type Server struct {
	URL   string // without a slash at its end
	Token string // empty if none was given
	// OwnerToken is the owner's token of a server on this machine, for use without a token.
	OwnerToken string
}

// caller sends requests to servers. It follows no redirect, because the API has none and the token
// is for one address only.
var caller = &http.Client{
	Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: callTimeout,
		ForceAttemptHTTP2:     true,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// authorise adds a bearer token to a request: the token, or else the owner's token. It does nothing
// if both are empty.
func (s Server) authorise(request *http.Request) {
	if token := cmp.Or(s.Token, s.OwnerToken); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
}

// AbsentError means that no Memoir server answers at a URL.
type AbsentError struct {
	url string
	why string
}

func (e *AbsentError) Error() string { return e.why + " at " + e.url }

// call is CallPath for a path below /api/v1.
func (s Server) Call(ctx context.Context, method, path string, body, into any) ([]byte, error) {
	return s.CallPath(ctx, method, "/api/v1"+path, body, into)
}

// CallPath sends a request to the server at path, with body as JSON unless it is nil. It decodes
// the response into into and returns the response's bytes. It returns *AbsentError if no Memoir
// server answers. Its other errors are for users: the server's description of a problem, a response
// that is incomplete or not understood, or one larger than maxAnswer.
func (s Server) CallPath(ctx context.Context, method, path string, body, into any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, sent)
	if err != nil {
		return nil, err
	}
	if sent != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := s.send(caller, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, unanswered(method, err)
	}
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("the server answers more than %d MiB", maxAnswer>>20)
	}
	return answer, s.read(response, answer, into)
}

// Do sends a request with the token. Its error is the one of an http.Client.
func (s Server) Do(request *http.Request) (*http.Response, error) {
	s.authorise(request)
	return caller.Do(request)
}

// send sends a request with the token. The error is *AbsentError if no server answers, else one for
// users.
func (s Server) send(client *http.Client, request *http.Request) (*http.Response, error) {
	s.authorise(request)
	response, err := client.Do(request)
	var unreached *net.OpError
	switch {
	case errors.As(err, &unreached) && unreached.Op == "dial":
		return nil, &AbsentError{s.URL, "no server answers"}
	case err != nil:
		return nil, unanswered(request.Method, err)
	}
	return response, nil
}

// unanswered returns the error for users about a request that was sent but got no complete
// response. It wraps err. If the method is not GET, its text warns that the change may have been
// made.
func unanswered(method string, err error) error {
	if method == http.MethodGet {
		return fmt.Errorf("the server did not answer: %w", err)
	}
	return fmt.Errorf("the server did not answer, so the result is unknown. Check it before you retry: %w", err)
}

// read decodes a successful JSON response with the body answer into into. For a problem response it
// returns an error with the problem's detail; for status 401, the error asks for a token. It
// returns *AbsentError if the response is not from Memoir's API.
func (s Server) read(response *http.Response, answer []byte, into any) error {
	switch media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case media == "application/problem+json" && response.StatusCode == http.StatusUnauthorized:
		return errors.New("the server needs a token: set MEMOIR_TOKEN or --token")
	case media == "application/problem+json":
		var problem struct {
			Detail string `json:"detail"`
		}
		if err := json.Unmarshal(answer, &problem); err != nil || problem.Detail == "" {
			return fmt.Errorf("the server answers %s", response.Status)
		}
		return errors.New(strings.TrimSuffix(problem.Detail, "."))
	case media != "application/json" || response.StatusCode/100 != 2:
		return &AbsentError{s.URL, "another program answers"}
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("unexpected answer, maybe of another version of Memoir: %w", err)
	}
	return nil
}

// IsLocal reports whether the URL's host is localhost or a loopback address. It is false for all
// other names, even if they lead to this machine, and for an invalid URL.
func (s Server) IsLocal() bool {
	u, err := url.Parse(s.URL)
	if err != nil {
		return false
	}
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}
