// Package web owns the stylesheet, scripts, fonts and icons, embedded in the binary. It never renders a
// page. Package templates asks it for addresses; package pages mounts its handler under Prefix.
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
	"regexp"
	"strings"
	"time"
)

// Prefix is the path under which Static is mounted.
const Prefix = "/static/"

//go:embed static
var embedded embed.FS

type asset struct {
	version string // first half of the content's SHA-256, in hex
	content string
	packed  string // gzip, at the highest level
}

// styles are the parts of Stylesheet, in their order. Later rules override earlier ones.
var styles = []string{
	"tokens", "base", "controls", "frame", "rows", "diff", "home", "palette", "memory", "pane", "editor", "review",
	"context", "timeline", "settings", "small",
}

// Stylesheet is the name of the asset that has the rules of all pages.
const Stylesheet = "memoir.css"

var assets = func() map[string]asset {
	found := map[string]asset{}
	err := fs.WalkDir(embedded, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Dir(name) == "static/styles" {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		found[strings.TrimPrefix(name, "static/")] = newAsset(content)
		return nil
	})
	if err != nil {
		panic("web: the embedded files cannot be read: " + err.Error())
	}
	found[Stylesheet] = newAsset(stylesheet(found))
	return found
}()

func newAsset(content []byte) asset {
	sum := sha256.Sum256(content)
	return asset{version: hex.EncodeToString(sum[:16]), content: string(content), packed: pack(content)}
}

// fontURL matches the address of a font in a stylesheet.
var fontURL = regexp.MustCompile(`url\("(fonts/[^"]+)"\)`)

// stylesheet returns the parts of Stylesheet as one text, with the addresses of the fonts in found.
func stylesheet(found map[string]asset) []byte {
	var all bytes.Buffer
	for _, name := range styles {
		part, err := embedded.ReadFile("static/styles/" + name + ".css")
		if err != nil {
			panic("web: a part of the stylesheet cannot be read: " + err.Error())
		}
		all.Write(part)
		all.WriteByte('\n')
	}
	return fontURL.ReplaceAllFunc(all.Bytes(), func(url []byte) []byte {
		name := string(fontURL.FindSubmatch(url)[1])
		return []byte(`url("` + address(name, found[name]) + `")`)
	})
}

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

// Asset returns the address of an embedded file, with Prefix. The address changes with the file's
// content. Asset panics for an unknown name, which is a mistake in a template.
func Asset(name string) string {
	a, ok := assets[name]
	if !ok {
		panic("web: no asset named " + name)
	}
	return address(name, a)
}

func address(name string, a asset) string { return Prefix + name + "?v=" + a.version }

// Static returns a handler of GET and HEAD for the embedded files under Prefix. Browsers may cache
// an address from Asset for a year. They check other addresses each time, with a 304 if the file is
// unchanged. An unknown file gives a 404.
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
	if acceptsGzip(r) {
		content = a.packed
		header.Set("Content-Encoding", "gzip")
		header.Set("ETag", `"`+a.version+`-gzip"`) // differs from the uncompressed bytes
	} else {
		header.Set("ETag", `"`+a.version+`"`)
	}
	header.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == a.version {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
}

// acceptsGzip reports whether the Accept-Encoding of r names gzip, without a quality of 0.
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, parameters, _ := strings.Cut(strings.ToLower(coding), ";")
		if strings.TrimSpace(name) == "gzip" {
			quality, found := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
			return !found || strings.Trim(quality, "0.") != ""
		}
	}
	return false
}

// contentType returns the media type of a file by its extension: .css, .js, .svg or .woff2. Others are
// plain text. The table of the standard library depends on the machine.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	default:
		return "text/plain; charset=utf-8"
	}
}
