package api

import (
	"container/list"
	"sync"
)

const (
	// mostKept bounds what is kept of lists, in bytes: one of 50 memories of 1 KB is 80 KB long.
	mostKept = 2 << 20
	// longestKept is the longest list that is kept.
	longestKept = mostKept / 8
	// mostAsked is how many queries are kept in mind to see which are asked for again.
	mostAsked = 200
	// roomOfPiece is what a piece takes besides its part of the body: its places, and the id and the stamp of its memory.
	roomOfPiece = 150
)

// keptLists are those that were asked for last. The zero value is ready to use, by many at once.
type keptLists struct {
	mu      sync.Mutex
	byQuery map[string]*list.Element
	oldest  list.List // of *keptList, in the order in which they were asked for
	bytes   int
}

// get returns what is known of the list; nil: it was not asked for.
func (k *keptLists) get(asked string) *keptList {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := k.byQuery[asked]
	if !ok {
		return nil
	}
	k.oldest.MoveToBack(at)
	return at.Value.(*keptList)
}

// keepInMind keeps a list unless it is known.
func (k *keptLists) keepInMind(l *keptList) {
	if k.get(l.asked) == nil {
		k.keep(l)
	}
}

// keep keeps a list in place of what is known of it.
func (k *keptLists) keep(l *keptList) {
	if len(l.asked) > longestKept {
		return
	}
	if l.room() > longestKept {
		l = &keptList{asked: l.asked, slug: l.slug, list: l.list, tooLong: true}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, ok := k.byQuery[l.asked]; ok {
		k.drop(before)
	}
	if k.byQuery == nil {
		k.byQuery = map[string]*list.Element{}
	}
	k.byQuery[l.asked] = k.oldest.PushBack(l)
	for k.bytes += l.room(); k.bytes > mostKept || k.oldest.Len() > mostAsked; {
		k.drop(k.oldest.Front())
	}
}

func (k *keptLists) drop(at *list.Element) {
	dropped := k.oldest.Remove(at).(*keptList)
	delete(k.byQuery, dropped.asked)
	k.bytes -= dropped.room()
}

func (l *keptList) room() int { return cap(l.body) + len(l.asked) + roomOfPiece*len(l.pieces) }
