package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
)

// transferring sends requests whose bodies or answers are files: it has no limit of time.
var transferring = &http.Client{
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, TLSHandshakeTimeout: dialTimeout},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// transfer sends a request with a file as body to the API. A nil body means none.
func (a address) transfer(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, a.url+"/api/v1"+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/octet-stream")
	}
	return a.send(transferring, request)
}

// download writes the file that a call of the API answers with. It fails if the answer is incomplete.
func (a address) download(ctx context.Context, path string, to io.Writer) error {
	response, err := a.transfer(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Disposition") == "" {
		answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		if err != nil {
			return unanswered(http.MethodGet, err)
		}
		return cmp.Or(a.read(response, answer, &struct{}{}), error(&absentError{a.url, "another program answers with " + media}))
	}
	if _, err := io.Copy(to, response.Body); err != nil {
		return fmt.Errorf("the answer was cut short: %w. The server's log has the reason", err)
	}
	return nil
}
