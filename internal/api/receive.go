package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"memoir/internal/gate"
	"memoir/internal/problem"
)

// maxBody is the largest body of a request, in bytes: a memory of 1 MiB, and room for its JSON escapes.
const maxBody = 2 << 20

// receive reads the whole body before anything is done with the request, so that a slow or endless sender holds
// nothing but its own connection, and that for as long as the gate grants.
func receive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept") // each call has one media type, whatever is asked for
		joinLines(r.Header, "If-Match")
		joinLines(r.Header, "If-None-Match")
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			unreceived(err).Request(gate.RequestID(r.Context())).Write(w)
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

// joinLines makes one of the lines that a list in the head came in: the framework sees the first alone.
func joinLines(header http.Header, name string) {
	if lines := header.Values(name); len(lines) > 1 {
		header.Set(name, strings.Join(lines, ", "))
	}
}

func unreceived(err error) *problem.Problem {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return problem.New(http.StatusRequestEntityTooLarge, "The body is larger than 2 MiB. Nothing was changed. A memory is a note: send a shorter one.")
	}
	return problem.New(http.StatusBadRequest, "The body did not arrive whole. Nothing was changed. Send it again.")
}

// isJSON reports whether a Content-Type header names JSON, with or without parameters.
func isJSON(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == "application/json" || strings.HasSuffix(mediaType, "+json"))
}

// unmarshal reads JSON and refuses what is no Unicode text, which the standard library would change in silence.
func unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New("the text is not valid UTF-8")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	if halvesCharacter(data) {
		return errors.New("the text has half of a character, a surrogate without its pair")
	}
	return nil
}

// halvesCharacter says whether valid JSON escapes one half of a surrogate pair without the other.
func halvesCharacter(data []byte) bool {
	open := rune(0) // the first half that waits for its second
	for len(data) > 0 {
		unit, size := rune(0), 1
		switch {
		case len(data) >= 6 && data[0] == '\\' && data[1] == 'u':
			code, err := strconv.ParseUint(string(data[2:6]), 16, 16)
			if err == nil && utf16.IsSurrogate(rune(code)) {
				unit = rune(code)
			}
			size = 6
		case len(data) >= 2 && data[0] == '\\':
			size = 2
		}
		data = data[size:]
		switch {
		case open != 0 && utf16.DecodeRune(open, unit) == utf8.RuneError, open == 0 && unit >= 0xDC00:
			return true
		case open != 0:
			open = 0
		default:
			open = unit
		}
	}
	return open != 0
}
