package gate

import (
	"mime"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressed packs text for those who take it packed. What the handler packed itself, event streams and short answers
// stay as they are.
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
		next.ServeHTTP(&taggedAsIs{w}, r)
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

// taggedAsIs leaves answers with an ETag alone: a strong one stands for these very bytes, packed ones would need another.
type taggedAsIs struct{ http.ResponseWriter }

func (w *taggedAsIs) WriteHeader(status int) {
	if w.Header().Get("ETag") != "" {
		w.Header().Set(gzhttp.HeaderNoCompression, "tagged")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *taggedAsIs) Unwrap() http.ResponseWriter { return w.ResponseWriter }
