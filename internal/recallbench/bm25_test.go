package recallbench_test

import (
	"slices"
	"testing"

	"memoir/internal/recallbench"
)

func TestBM25_Recall(t *testing.T) {
	t.Parallel()
	x := recallbench.NewBM25([]recallbench.Memory{
		{Answer: "ports", Text: "Ports. The server listens on port 8080."},
		{Answer: "deploy", Text: "Deployments go out on Tuesdays, after the server was tested."},
		{Answer: "long", Text: "A server is a server. Much else is said here about colours, meals, the weather and the garden of the neighbours."},
		{Answer: "tokyo", Text: "東京の会議は月曜日です"},
	})
	for name, c := range map[string]struct {
		prompt string
		want   []string
	}{
		"rare before common":  {"which port has the server?", []string{"ports", "long", "deploy"}},
		"other forms":         {"deploying on a Tuesday", []string{"deploy"}},
		"no spaces":           {"会議", []string{"tokyo"}},
		"function words":      {"what is it about?", nil},
		"unknown words":       {"bicycles", nil},
		"repeated words once": {"garden garden, port", []string{"ports", "long"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := x.Recall(c.prompt); !slices.Equal(got, c.want) {
				t.Errorf("Recall(%q) = %q, want %q", c.prompt, got, c.want)
			}
		})
	}
}

func TestBM25_AtMostFive(t *testing.T) {
	t.Parallel()
	memories := make([]recallbench.Memory, 8)
	for i := range memories {
		memories[i] = recallbench.Memory{Answer: string(rune('a' + i)), Text: "kettle"}
	}
	if got := recallbench.NewBM25(memories).Recall("kettle"); !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("it gives %q", got)
	}
	if got := recallbench.NewBM25(nil).Recall("kettle"); got != nil {
		t.Errorf("without memories it gives %q", got)
	}
}
