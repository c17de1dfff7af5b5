package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"memoir/internal/gate"
	"memoir/internal/problem"
)

// maxBody is the maximum size of a request body, in bytes: a memory of 1 MiB, and space for its
// JSON escapes.
const maxBody = 2 << 20

// receive returns a handler that reads the whole body and then calls next, so that a slow client
// blocks only its own connection. For next, it joins repeated If-Match and If-None-Match headers,
// removes Accept, and replaces JSON media types such as application/merge-patch+json by
// application/json. It answers 413 above maxBody, and 400 for an incomplete body, without next. It
// leaves the body of an import.
func receive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept") // each call has only one media type
		joinHeaderLines(r.Header, "If-Match")
		joinHeaderLines(r.Header, "If-None-Match")
		if r.Body == nil || r.Body == http.NoBody || r.URL.Path == importPath { // it reads its file itself
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			bodyProblem(err).Request(gate.RequestID(r.Context())).Write(w)
			return
		}
		r.Body = http.NoBody
		if len(body) > 0 {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		if isJSON(r.Header.Get("Content-Type")) {
			r.Header.Set("Content-Type", "application/json")
		}
		next.ServeHTTP(w, r)
	})
}

// joinHeaderLines replaces the lines of a repeated header by one line with their values, separated
// by commas. huma reads only the first line.
func joinHeaderLines(header http.Header, name string) {
	if lines := header.Values(name); len(lines) > 1 {
		header.Set(name, strings.Join(lines, ", "))
	}
}

// bodyProblem returns the problem of a body that could not be read: 413 if it is too large, else
// 400.
func bodyProblem(err error) *problem.Problem {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return problem.New(http.StatusRequestEntityTooLarge, "The body is larger than 2 MiB. Nothing was changed. Send a shorter text.")
	}
	return problem.New(http.StatusBadRequest, "The body is incomplete. Nothing was changed. Send it again.")
}

// isJSON reports whether a Content-Type header is application/json or has the suffix +json, with or
// without parameters. It is false if the header is malformed.
func isJSON(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"))
}

// unmarshal parses JSON into v. Besides the errors of encoding/json, it returns one for invalid
// UTF-8 and for half of a surrogate pair, which encoding/json would silently replace.
func unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New("the text is not valid UTF-8")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	if hasLoneSurrogate(data) {
		return errors.New("the text has an unpaired surrogate")
	}
	return nil
}

// escape matches the escape sequence of a character in JSON, or the two sequences of a surrogate
// pair. Its group matches one half of a pair that stands alone.
var escape = regexp.MustCompile(`\\(?:[^u]|u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|u....)`)

// hasLoneSurrogate reports whether data escapes one half of a surrogate pair without the other.
// data must be valid JSON.
func hasLoneSurrogate(data []byte) bool {
	for match := escape.FindSubmatchIndex(data); match != nil; match = escape.FindSubmatchIndex(data) {
		if match[2] >= 0 {
			return true
		}
		data = data[match[1]:]
	}
	return false
}
