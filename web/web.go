// Package web owns what a browser loads besides the pages themselves: the stylesheet, the scripts and the icon, inside
// the binary. It never renders a page and knows of no memory. The templates ask it for addresses, the router mounts its
// handler under Prefix.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// Prefix is the path under which Static is mounted.
const Prefix = "/static/"

// ContentSecurityPolicy is the policy that every page holds to without one violation: nothing inline, nothing foreign,
// nothing framed.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

//go:embed static
var embedded embed.FS

type asset struct {
	version string // of the content: half of its SHA-256 in hex, plenty to tell versions apart
	content string
	packed  string // the content compressed by gzip, once and as small as it gets
}

var assets = func() map[string]asset {
	found := map[string]asset{}
	err := fs.WalkDir(embedded, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		found[strings.TrimPrefix(name, "static/")] = asset{
			version: hex.EncodeToString(sum[:16]), content: string(content), packed: pack(content),
		}
		return nil
	})
	if err != nil {
		panic("web: the embedded files cannot be read: " + err.Error())
	}
	return found
}()

func pack(content []byte) string {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("web: the embedded files cannot be compressed: " + err.Error())
	}
	return packed.String()
}

// Asset returns the address of an embedded file, which changes with its content. It panics on a name that is not
// embedded: that is a misspelling in a template, and the first test that renders it should say so.
func Asset(name string) string {
	a, ok := assets[name]
	if !ok {
		panic("web: no asset named " + name)
	}
	return Prefix + name + "?v=" + a.version
}

// Static serves the embedded files. An address from Asset may be kept for a year without asking again; any other
// address of the same file is asked for each time, and answered with 304 when nothing changed.
func Static() http.Handler {
	return http.StripPrefix(Prefix, http.HandlerFunc(serveAsset))
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD are allowed here.", http.StatusMethodNotAllowed)
		return
	}
	a, ok := assets[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType(r.URL.Path))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Encoding")
	content := a.content
	if takesGzip(r) {
		content = a.packed
		header.Set("Content-Encoding", "gzip")
		header.Set("ETag", `"`+a.version+`-gzip"`) // other bytes than the plain ones
	} else {
		header.Set("ETag", `"`+a.version+`"`)
	}
	header.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == a.version {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
}

// takesGzip reads Accept-Encoding: a list of names, of which one with the quality of 0 is refused.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, parameters, _ := strings.Cut(strings.ToLower(coding), ";")
		if strings.TrimSpace(name) == "gzip" {
			quality, found := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
			return !found || strings.Trim(quality, "0.") != ""
		}
	}
	return false
}

// contentType names the few kinds of file there are. The system's own table, which the standard library asks, differs
// from machine to machine.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return "text/plain; charset=utf-8"
	}
}
