package api

import (
	"fmt"
	"testing"
)

func TestWhatIsKeptOfAnswersIsBounded(t *testing.T) {
	t.Parallel()
	var k keptLists
	for i := range 10 * mostAsked {
		k.keep(&keptList{asked: fmt.Sprint(i), body: make([]byte, 50_000), pieces: make([]piece, 50)})
		k.keep(&keptList{asked: fmt.Sprint("without ", i)})
		k.keep(&keptList{asked: "too long", body: make([]byte, longestKept+1)})
	}
	if k.bytes > mostKept || k.oldest.Len() > mostAsked || len(k.byQuery) != k.oldest.Len() {
		t.Errorf("%d bytes are kept of %d lists, %d of them to be found", k.bytes, k.oldest.Len(), len(k.byQuery))
	}
	total := 0
	for at := k.oldest.Front(); at != nil; at = at.Next() {
		total += at.Value.(*keptList).room()
	}
	if total != k.bytes {
		t.Errorf("%d bytes are kept, and counted as %d", total, k.bytes)
	}
	if k.get(fmt.Sprint(10*mostAsked-1)) == nil {
		t.Error("what was kept last is not there")
	}
	if known := k.get("too long"); known == nil || known.body != nil {
		t.Error("a list that is too long is kept")
	}
}
