package remote

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
)

// uploader sends requests whose bodies are files. It waits for the answer without a limit, because
// the server answers after it has read the file.
var uploader = &http.Client{
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, TLSHandshakeTimeout: dialTimeout},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Upload posts a file to path, which is below /api/v1. It decodes the response into into and returns
// the response's bytes.
func (s Server) Upload(ctx context.Context, path string, file io.Reader, into any) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1"+path, file)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	response, err := s.send(uploader, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, unanswered(http.MethodPost, err)
	}
	return answer, s.read(response, answer, into)
}

// Download writes the file that the server answers with at path, which is below /api/v1. It fails if
// the answer is incomplete.
func (s Server) Download(ctx context.Context, path string, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1"+path, nil)
	if err != nil {
		return err
	}
	response, err := s.send(caller, request)
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
		return cmp.Or(s.read(response, answer, &struct{}{}), error(&AbsentError{s.URL, "another program answers with " + media}))
	}
	if _, err := io.Copy(to, response.Body); err != nil {
		return fmt.Errorf("the answer was cut short: %w. The server's log has the reason", err)
	}
	return nil
}
