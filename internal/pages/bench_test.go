package pages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/pages"
	"memoir/internal/postgres/masked"
)

// BenchmarkMemoryTab renders whole pages of an agent with 2,000 memories of 1 KB.
func BenchmarkMemoryTab(b *testing.B) {
	files := memoirtest.Files{}
	text := strings.Repeat("A sentence of what was learned, at some length. ", 20)
	for i := range 2000 {
		t := memories.Types()[i%4]
		files[fmt.Sprintf("ada/memory/%s_%04d.md", t, i)] = memoirtest.Note(fmt.Sprintf("Fact %04d", i), t, text)
	}
	m := memoirtest.Start(b, files)
	b.ReportAllocs()
	handler := pages.New(m.Engine, masked.Store{Store: m.Store}, m.Recaller, pages.Options{Places: agents.Settings{AgentsDir: m.Dir}})
	for _, tab := range []struct{ name, path string }{
		{"whole", adaList}, {"one type", adaList + "?type=project"}, {"search", adaList + "?q=learn"}, {"search rare", adaList + "?q=1234"},
	} {
		b.Run(tab.name, func(b *testing.B) {
			request := httptest.NewRequest(http.MethodGet, tab.path, nil)
			size := 0
			for b.Loop() {
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				if recorder.Code != http.StatusOK {
					b.Fatalf("%s answers %d", tab.path, recorder.Code)
				}
				size = recorder.Body.Len()
			}
			b.ReportMetric(float64(size), "bytes/page")
		})
	}
}
