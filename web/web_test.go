package web_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memoir/web"
)

func get(t *testing.T, method, address string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	web.Static().ServeHTTP(w, r)
	return w
}

func TestStatic_VersionedIsCached(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{
		web.Stylesheet: "text/css; charset=utf-8", web.Script: "text/javascript; charset=utf-8",
		"htmx.min.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
		"fonts/inter-latin-wght-normal.woff2": "font/woff2",
	} {
		w := get(t, http.MethodGet, web.Asset(name))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != kind || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is answered with %d %v", name, w.Code, w.Header())
		}
		if got, want := w.Header().Get("Cache-Control"), "public, max-age=31536000, immutable"; got != want {
			t.Errorf("%s has Cache-Control %q, want %q", name, got, want)
		}
		if name == web.Stylesheet || name == web.Script {
			continue // it has no file of its own
		}
		file, err := os.ReadFile("static/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(w.Body.Bytes(), file) {
			t.Errorf("%s is not the file's content", name)
		}
	}
}

func TestStatic_UnversionedIsValidated(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/static/memoir.css", "/static/memoir.css?v=old"} {
		w := get(t, http.MethodGet, address)
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s is answered with %d %v", address, w.Code, w.Header())
		}
		again := get(t, http.MethodGet, address, "If-None-Match", w.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s asked for again is answered with %d", address, again.Code)
		}
	}
}

func TestStatic_Gzip(t *testing.T) {
	t.Parallel()
	plain := get(t, http.MethodGet, web.Asset("memoir.css"))
	for encodings, packed := range map[string]bool{
		"gzip": true, "br, GZip;q=0.5": true, "deflate,gzip ; q=1": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false, "x-gzip2": false, "": false,
	} {
		w := get(t, http.MethodGet, web.Asset("memoir.css"), "Accept-Encoding", encodings)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != packed {
			t.Errorf("%q is answered with %v", encodings, w.Header())
			continue
		}
		if w.Header().Get("Vary") != "Accept-Encoding" || packed == (w.Header().Get("ETag") == plain.Header().Get("ETag")) {
			t.Errorf("%q is answered with %v", encodings, w.Header())
		}
		if !packed {
			continue
		}
		r, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(content, plain.Body.Bytes()) {
			t.Errorf("%q does not unpack to the asset (%v)", encodings, err)
		}
		again := get(t, http.MethodGet, web.Asset("memoir.css"), "Accept-Encoding", encodings, "If-None-Match", w.Header().Get("ETag"))
		if again.Code != http.StatusNotModified {
			t.Errorf("%q asked for again is answered with %d", encodings, again.Code)
		}
	}
}

func TestStatic_Unknown(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/static/", "/static/nothing.css", "/static/../web.go", "/static/%2e%2e/web.go", "/static/licenses", "/static//memoir.css"} {
		if w := get(t, http.MethodGet, address); w.Code != http.StatusNotFound {
			t.Errorf("%s is answered with %d, want 404", address, w.Code)
		}
	}
}

func TestStatic_OnlyReads(t *testing.T) {
	t.Parallel()
	w := get(t, http.MethodPost, "/static/memoir.css")
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("a POST is answered with %d %v", w.Code, w.Header())
	}
	if w := get(t, http.MethodHead, "/static/memoir.css"); w.Code != http.StatusOK || w.Body.Len() > 0 {
		t.Errorf("a HEAD is answered with %d and %d bytes", w.Code, w.Body.Len())
	}
}

func TestAsset_UnknownPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("an unknown asset has an address")
		}
	}()
	web.Asset("memoire.css")
}

func TestStatic_VendoredScript(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("static/htmx.min.js")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("static/htmx.min.js.sha256")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(script)
	if got, want := hex.EncodeToString(sum[:])+"  htmx.min.js\n", string(recorded); got != want {
		t.Errorf("the script's checksum is %s, recorded is %s", got, want)
	}
}

func TestStatic_Sizes(t *testing.T) {
	// In bytes. The first view has the compressed assets, the font and about 15 KB of compressed page.
	t.Parallel()
	for name, limit := range map[string]int{web.Script: 40_000, web.Stylesheet: 89_500} {
		if size := get(t, http.MethodGet, web.Asset(name)).Body.Len(); size > limit {
			t.Errorf("%s has %d bytes, more than %d", name, size, limit)
		}
	}
	total := 0
	for _, name := range []string{web.Stylesheet, web.Script, "htmx.min.js", "icon.svg", "fonts/inter-latin-wght-normal.woff2"} {
		w := get(t, http.MethodGet, web.Asset(name), "Accept-Encoding", "gzip")
		t.Logf("%s: %d bytes on the wire", name, w.Body.Len())
		total += w.Body.Len()
	}
	if limit := 95_000; total > limit {
		t.Errorf("the assets take %d bytes on the wire, more than %d", total, limit)
	}
}

func TestStatic_PartsAreInBundles(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/static/scripts/live.js", "/static/styles/base.css"} {
		if w := get(t, http.MethodGet, address); w.Code != http.StatusNotFound {
			t.Errorf("%s is answered with %d, want 404", address, w.Code)
		}
	}
	style := get(t, http.MethodGet, web.Asset(web.Stylesheet)).Body.String()
	fonts := fontAddress.FindAllStringSubmatch(style, -1)
	if len(fonts) == 0 {
		t.Fatal("the stylesheet has no font")
	}
	for _, font := range fonts {
		w := get(t, http.MethodGet, font[1], "Accept-Encoding", "gzip")
		if w.Code != http.StatusOK || w.Header().Get("Content-Encoding") != "" || w.Header().Get("Cache-Control") == "no-cache" {
			t.Errorf("%s is answered with %d %v", font[1], w.Code, w.Header())
		}
	}
}

var fontAddress = regexp.MustCompile(`url\(([^)]*\.woff2[^)]*)\)`)

var colour = regexp.MustCompile(`--([a-z0-9-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);`)

func TestStatic_ColourContrast(t *testing.T) {
	// WCAG 2.2, success criterion 1.4.3: 4.5 to 1 for text.
	t.Parallel()
	style, err := os.ReadFile("static/styles/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	schemes := []map[string]string{{}, {}}
	for _, found := range colour.FindAllStringSubmatch(string(style), -1) {
		schemes[0][found[1]], schemes[1][found[1]] = found[2], found[3]
	}
	texts := strings.Fields("text text-2 text-3 accent feedback user project reference good warning danger")
	for i, scheme := range schemes {
		for _, text := range texts {
			for _, ground := range []string{"paper", "surface", "sunken", "selected"} {
				if got := contrast(t, scheme[text], scheme[ground]); got < 4.5 {
					t.Errorf("scheme %d: %s on %s has a contrast of %.2f", i, text, ground, got)
				}
			}
		}
		for _, tone := range []string{"danger", "warning", "good"} {
			if got := contrast(t, scheme[tone], scheme[tone+"-bg"]); got < 4.5 {
				t.Errorf("scheme %d: %s has a contrast of %.2f on its background", i, tone, got)
			}
		}
		if got := contrast(t, scheme["on-accent"], scheme["accent"]); got < 4.5 {
			t.Errorf("scheme %d: primary buttons have a contrast of %.2f", i, got)
		}
	}
}

// contrast returns the contrast ratio of WCAG 2.2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	value, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatalf("no colour %q: %v", hex, err)
	}
	channel := func(shift uint) float64 {
		c := float64(value>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}
