package api

import (
	"fmt"
	"testing"
)

func TestWhatIsKeptOfAnswersIsBounded(t *testing.T) {
	t.Parallel()
	var k keptAnswers
	for i := range 10 * mostAsked {
		k.keep(&keptAnswer{asked: fmt.Sprint(i), seen: "a snapshot", body: make([]byte, 50_000)})
		k.keep(&keptAnswer{asked: fmt.Sprint("without ", i), seen: "a snapshot"})
		k.keep(&keptAnswer{asked: "too long", seen: "a snapshot", body: make([]byte, longestKept+1)})
		k.keep(&keptAnswer{asked: "of no snapshot", body: make([]byte, 10)})
	}
	if k.bytes > mostKept || k.oldest.Len() > mostAsked || len(k.byQuery) != k.oldest.Len() {
		t.Errorf("%d bytes are kept of %d answers, %d of them to be found", k.bytes, k.oldest.Len(), len(k.byQuery))
	}
	total := 0
	for at := k.oldest.Front(); at != nil; at = at.Next() {
		total += at.Value.(*keptAnswer).room()
	}
	if total != k.bytes {
		t.Errorf("%d bytes are kept, and counted as %d", total, k.bytes)
	}
	if _, ok := k.get(fmt.Sprint(10*mostAsked - 1)); !ok {
		t.Error("what was kept last is not there")
	}
	if known, ok := k.get("too long"); !ok || known.body != nil {
		t.Error("an answer that is too long is kept")
	}
	if _, ok := k.get("of no snapshot"); ok {
		t.Error("an answer is kept of which nobody can tell whether it is true")
	}
}
