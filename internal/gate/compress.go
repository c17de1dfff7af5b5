package gate

import (
	"mime"
	"net"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressionLevel makes pages about 3 % smaller than the default level, at 1 ms for 50 KB.
const compressionLevel = 7

// compress returns a handler that calls next and compresses text, JSON and SVG with gzip if the
// client accepts it. It leaves alone event streams, short responses, responses with an ETag, and
// JSON for local clients. Lengths reveal nothing (BREACH), because cross-site requests with the
// cookie are impossible: it is SameSite=Strict, and foreign hosts and origins are refused.
func compress(next http.Handler) http.Handler {
	pack, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.CompressionLevel(compressionLevel), gzhttp.ContentTypeFilter(isText))
	if err != nil {
		panic("gate: invalid settings of the compression: " + err.Error()) // the settings are constant
	}
	return pack(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&uncompressedWriter{ResponseWriter: w, isLocal: isLocalClient(r)}, r)
	}))
}

func isText(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil, media == "text/event-stream":
		return false
	case media == "application/json", strings.HasSuffix(media, "+json"), media == "image/svg+xml":
		return true
	}
	return strings.HasPrefix(media, "text/")
}

// uncompressedWriter excludes responses with an ETag from compression, because a strong ETag
// identifies the exact bytes. It also excludes JSON for a local client.
type uncompressedWriter struct {
	http.ResponseWriter
	isLocal bool
	begun   bool
}

func (w *uncompressedWriter) WriteHeader(status int) {
	w.begun = true
	header := w.Header()
	if header.Get("ETag") != "" || w.isLocal && header.Get("Content-Type") == "application/json" {
		header.Set(gzhttp.HeaderNoCompression, "as it is")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *uncompressedWriter) Write(part []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(part)
}

func (w *uncompressedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// isLocalClient reports whether the request is from this machine and not from a proxy. It takes a
// request with a header Forwarded, X-Forwarded-For or Via for one from a proxy.
func isLocalClient(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !isLoopback(host) {
		return false
	}
	return r.Header.Get("Forwarded") == "" && r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Via") == ""
}
