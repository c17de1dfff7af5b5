// Package web owns the stylesheet, scripts, fonts and icons, embedded in the binary. It never renders a
// page. Package templates asks it for addresses; package pages mounts its handler under Prefix.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// Prefix is the path under which Static is mounted.
const Prefix = "/static/"

//go:embed static
var embedded embed.FS

type asset struct {
	version string // first half of the content's SHA-256, in hex
	content string
	packed  string // gzip, at the highest level; empty for a format that is compressed itself
}

// Stylesheet and Script are the names of the assets that have the rules and the behaviour of all pages.
// They are minified.
const (
	Stylesheet = "memoir.css"
	Script     = "memoir.js"
)

// bundle is an asset made of the files of one directory, in their order.
type bundle struct {
	directory, extension string
	parts                []string
	minify               func(*minify.M, io.Writer, io.Reader, map[string]string) error
}

var bundles = map[string]bundle{
	Stylesheet: {
		// Later rules override earlier ones.
		directory: "static/styles", extension: ".css", minify: css.Minify,
		parts: []string{
			"tokens", "base", "controls", "frame", "rows", "diff", "home", "palette", "memory", "pane", "editor", "review",
			"context", "timeline", "settings", "small",
		},
	},
	Script: {
		// Listeners are called in the order in which they were added.
		directory: "static/scripts", extension: ".js", minify: js.Minify,
		parts: []string{
			"live", "memories", "list", "draft", "focus", "select", "keys", "undo", "review", "theme", "palette", "context",
			"timeline",
		},
	},
}

// assets returns the embedded files by their names below static, and the bundles in place of their
// parts. It prepares them at the first call, because most commands need none.
var assets = sync.OnceValue(func() map[string]asset {
	found := map[string]asset{}
	err := fs.WalkDir(embedded, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || isPart(name) {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		name = strings.TrimPrefix(name, "static/")
		found[name] = newAsset(name, content)
		return nil
	})
	for name, b := range bundles {
		content, problem := b.content()
		err = errors.Join(err, problem)
		found[name] = newAsset(name, fontURL.ReplaceAllFunc(content, func(url []byte) []byte {
			font := string(fontURL.FindSubmatch(url)[1])
			return []byte("url(" + address(font, found[font]) + ")")
		}))
	}
	if err != nil {
		panic("web: the embedded files cannot be prepared: " + err.Error())
	}
	return found
})

func isPart(name string) bool {
	for _, b := range bundles {
		if path.Dir(name) == b.directory {
			return true
		}
	}
	return false
}

// fontURL matches the address of a font in the minified stylesheet.
var fontURL = regexp.MustCompile(`url\(["']?(fonts/[^"')]+)["']?\)`)

// content returns the minified parts as one text. A file of the directory that is no part is an error.
func (b bundle) content() ([]byte, error) {
	files, err := embedded.ReadDir(b.directory)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if !slices.Contains(b.parts, strings.TrimSuffix(file.Name(), b.extension)) {
			return nil, fmt.Errorf("%s/%s is in no bundle", b.directory, file.Name())
		}
	}
	var all, minified bytes.Buffer
	for _, name := range b.parts {
		part, err := embedded.ReadFile(b.directory + "/" + name + b.extension)
		if err != nil {
			return nil, err
		}
		all.Write(part)
		all.WriteByte('\n')
	}
	err = b.minify(minify.New(), &minified, &all, nil)
	return minified.Bytes(), err
}

func newAsset(name string, content []byte) asset {
	sum := sha256.Sum256(content)
	a := asset{version: hex.EncodeToString(sum[:16]), content: string(content)}
	if path.Ext(name) != ".woff2" {
		a.packed = pack(content)
	}
	return a
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
	a, ok := assets()[name]
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
	a, ok := assets()[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType(r.URL.Path))
	header.Set("X-Content-Type-Options", "nosniff")
	content := a.content
	if a.packed != "" {
		header.Set("Vary", "Accept-Encoding")
	}
	if a.packed != "" && acceptsGzip(r) {
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
