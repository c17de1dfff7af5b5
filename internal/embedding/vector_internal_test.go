package embedding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"

	"memoir/internal/records"
)

// randomVector returns a vector with components around 0.
func randomVector(random *rand.Rand, dimensions int) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

func exactCosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func TestQuantise_Precision(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, dimensions := range []int{1, 7, 384, 1024} {
		worst := 0.0
		for range 500 {
			a, b := randomVector(random, dimensions), randomVector(random, dimensions)
			for i := range b {
				b[i] += a[i] // similar to some degree
			}
			worst = max(worst, math.Abs(exactCosine(a, b)-cosine(quantise(a), quantise(b))))
		}
		if worst > 0.02 {
			t.Errorf("a cosine of %d dimensions is wrong by %f", dimensions, worst)
		}
	}
}

func TestDot_AgainstPlainLoop(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for _, dimensions := range []int{1, 7, 16, 31, 384, maxDimensions} {
		raw, v := quantise(randomVector(random, dimensions)), make([]int8, dimensions)
		want := int32(0)
		for i := range v {
			v[i] = int8(random.IntN(255) - 127)
			want += int32(v[i]) * int32(int8(raw[i]))
		}
		if got := dot(wide(raw), v); got != want {
			t.Errorf("%d dimensions: %d, want %d", dimensions, got, want)
		}
	}
}

// randomAgent returns n memories with one vector each.
func randomAgent(random *rand.Rand, n, dimensions int) *agentVectors {
	a := &agentVectors{dimensions: dimensions}
	for range n {
		a.append(uuid.UUID{byte(len(a.ids)), byte(len(a.ids) >> 8), byte(len(a.ids) >> 16), 1}, quantise(randomVector(random, dimensions)))
	}
	a.first = append(a.first, int32(len(a.inverse)))
	a.vectors, a.inverse, a.ids, a.first = exact(a.vectors), exact(a.inverse), exact(a.ids), exact(a.first)
	return a
}

func TestNearest_AgainstPlainLoop(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	// Large enough for several cores.
	for _, n := range []int{1, 3, 12_000} {
		agents := []*agentVectors{randomAgent(random, n, 384), randomAgent(random, 5, 384), {dimensions: 384, first: []int32{0}}}
		query := wide(quantise(randomVector(random, 384)))
		var want []records.NearMemory
		var sum, squares float64
		for _, a := range agents {
			for i, id := range a.ids {
				s := float64(dot(query, a.vectors[i*384:(i+1)*384])) * float64(a.inverse[i]) / float64(lengthOf(query))
				sum, squares = sum+s, squares+s*s
				want = append(want, records.NearMemory{ID: id, Similarity: s})
			}
		}
		got := nearest(query, agents, 4)
		count := float64(len(want))
		mean := sum / count
		if got.Compared != len(want) || math.Abs(got.Mean-mean) > 1e-6 || math.Abs(got.Deviation-math.Sqrt(squares/count-mean*mean)) > 1e-4 {
			t.Errorf("%d memories: %+v, want the mean %f", n, got, mean)
		}
		if len(got.Memories) != 4 {
			t.Fatalf("%d memories: %d found", n, len(got.Memories))
		}
		for _, m := range want {
			if m.Similarity > got.Memories[3].Similarity+1e-5 {
				found := false
				for _, g := range got.Memories {
					found = found || math.Abs(g.Similarity-m.Similarity) < 1e-5
				}
				if !found {
					t.Errorf("%d memories: one with %f is missing in %v", n, m.Similarity, got.Memories)
				}
			}
		}
	}
	if none := nearest([]int32{1}, nil, 3); none.Compared != 0 || none.Mean != 0 {
		t.Errorf("no memories: %+v", none)
	}
}

func TestTextsOf_Limits(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]records.UnembeddedMemory{
		"empty":       {Name: "n"},
		"short":       {Name: "n", Description: "d", Body: "b"},
		"one word":    {Name: "n", Body: strings.Repeat("x", 5000)},
		"chinese":     {Name: strings.Repeat("名", 300), Description: strings.Repeat("述", 300), Body: strings.Repeat("清理表之前先备份数据库。", 400)},
		"many spaces": {Name: "n", Body: strings.Repeat("word \n\n\n", 3000)},
	} {
		texts, ok := textsOf(m)
		if !ok || len(texts) == 0 || len(texts) > maxTexts {
			t.Errorf("%s: %d texts", name, len(texts))
		}
		for _, text := range texts {
			if len(text) > maxText || !utf8.ValidString(text) || !strings.HasPrefix(text, cut(m.Name, 200)) {
				t.Errorf("%s: text of %d bytes: %.60q", name, len(text), text)
			}
		}
	}
	short, _ := textsOf(records.UnembeddedMemory{Name: "name", Description: "about", Body: "body"})
	if len(short) != 1 || short[0] != "name\nabout\nbody" {
		t.Errorf("a short memory: %q", short)
	}
}

func TestQueryText_KeepsBothEnds(t *testing.T) {
	t.Parallel()
	long := "the question " + strings.Repeat("錯誤 log line ", 1000) + " the end"
	got := queryText(long)
	if len(got) > maxText+1 || !utf8.ValidString(got) || !strings.HasPrefix(got, "the question") || !strings.HasSuffix(got, "the end") {
		t.Errorf("%d bytes: %.60q", len(got), got)
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"http://host:1", "http://host:1/", "http://host:1/v1", "http://host:1/v1/"} {
		if got := Endpoint(base); got != "http://host:1/v1/embeddings" {
			t.Errorf("%s leads to %s", base, got)
		}
	}
}

func TestMarkersOf(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"nomic-embed-text:v1.5": "search_query: ", "intfloat/multilingual-E5-small": "query: ", "multilingual-e5-large-instruct": "", "all-minilm": "",
	} {
		if got, _ := markersOf(model); got != want {
			t.Errorf("%s expects %q, want %q", model, got, want)
		}
	}
}

// BenchmarkNearest compares a query with all memories of an agent.
func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			random := rand.New(rand.NewPCG(5, 6))
			agents := []*agentVectors{randomAgent(random, n, 384)}
			query := wide(quantise(randomVector(random, 384)))
			for b.Loop() {
				nearest(query, agents, 50)
			}
			b.ReportMetric(float64(agents[0].bytes()), "held-B")
		})
	}
}
