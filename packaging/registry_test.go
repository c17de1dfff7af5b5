package packaging_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// serveRegistry serves the npm packages in dir as npm's registry does, and returns the address.
func serveRegistry(t *testing.T, dir string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no packages in %s: %v", dir, err)
	}
	mux := http.NewServeMux()
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.RawPath = "" // npm sends the slash of a name as %2f
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(registry.Close)
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		manifest := manifestOf(t, path)
		sum := sha512.Sum512(raw)
		manifest["dist"] = map[string]string{
			"tarball":   registry.URL + "/files/" + filepath.Base(path),
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
		}
		name, version := manifest["name"].(string), manifest["version"].(string)
		document, err := json.Marshal(map[string]any{
			"name": name, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: manifest},
		})
		if err != nil {
			t.Fatal(err)
		}
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(document) //nolint:errcheck // npm reports a lost connection
		})
	}
	mux.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(dir))))
	return registry.URL + "/"
}

// manifestOf returns the package.json of a package.
func manifestOf(t *testing.T, path string) map[string]any {
	t.Helper()
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	for entries := tar.NewReader(unpacked); ; {
		header, err := entries.Next()
		if err != nil {
			t.Fatalf("no package.json in %s: %v", path, err)
		}
		if header.Name != "package/package.json" {
			continue
		}
		raw, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		var manifest map[string]any
		if err := json.Unmarshal(raw, &manifest); err != nil {
			t.Fatal(err)
		}
		return manifest
	}
}
