package gate

import (
	"mime"
	"net"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressed packs text for those who take it packed. What the handler packed itself, event streams and short answers
// stay as they are, and so does JSON for a script on this machine: packing takes longer than all else of a list, and
// there is no line between that would be the quicker for it.
//
// That the length of an answer tells something of what is in it (the attack called BREACH) takes a site that makes
// somebody's browser ask for pages of the attacker's choice: such requests come without the cookie, which is of the
// strict kind, and with Host and origin of their own they are refused.
func compressed(next http.Handler) http.Handler {
	pack, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.ContentTypeFilter(isText))
	if err != nil {
		panic("gate: the settings of the compression are not valid: " + err.Error()) // they never change
	}
	return pack(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&asIs{ResponseWriter: w, beside: isBeside(r)}, r)
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

// asIs leaves answers with an ETag alone: a strong one stands for these very bytes, packed ones would need another. And
// JSON, for who is beside the server.
type asIs struct {
	http.ResponseWriter
	beside bool
	begun  bool
}

func (w *asIs) WriteHeader(status int) {
	w.begun = true
	header := w.Header()
	if header.Get("ETag") != "" || w.beside && header.Get("Content-Type") == "application/json" {
		header.Set(gzhttp.HeaderNoCompression, "as it is")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *asIs) Write(part []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(part)
}

func (w *asIs) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// isBeside reports whether the client is on this machine and speaks for itself: a proxy says for whom it asks.
func isBeside(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || !isLoopback(host) {
		return false
	}
	return r.Header.Get("Forwarded") == "" && r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Via") == ""
}
