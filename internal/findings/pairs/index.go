// Package pairs finds memories of one agent that say the same, contradict each other, or replace
// each other. It is pure: it gets texts and times, and returns pairs.
//
// An Index holds no texts. It holds for each memory the weights of its words, so that the nearest
// memories of each are found without comparing all pairs. Only those are then read and compared.
package pairs

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"memoir/internal/findings"
)

const (
	// nearestCount is the number of nearest memories that each memory is compared with.
	nearestCount = 4
	// maxVisits limits the entries that are read to find the nearest memories of one.
	maxVisits = 4096
	// maxPostings is the number of memories from which a term is too common to search by.
	maxPostings = 1024
	// rescored is the number of memories whose exact similarity is computed for each memory.
	rescored = 32
	// minCount is the number of memories below which the frequency of words says little. Smaller
	// sets are treated as if they had this many.
	minCount = 200
	// seriesShare is the share of the similarity of two memories from which nearestCount others are
	// about as similar: all are one series, such as the reports of each week (arbitrary).
	seriesShare = 0.9
	// loadCount is the number of pairs whose texts are loaded at once.
	loadCount = 128
	// minBody is the length in bytes below which equal texts are no duplicates.
	minBody = 24
	// maxTerm is the number of terms that fit into a term.
	maxTermID = 1 << 24
)

// Index finds pairs among the memories of one agent. It is not safe for concurrent use. Results
// depend on the memories in it, not on the order of calls.
type Index struct {
	vocabulary
	docs     []doc
	links    map[int32][]link // by place
	places   map[string]int32 // by ID
	free     []int32
	prepared bool

	// The following is computed by prepare.
	idf      []uint16
	isProper []bool   // by term: memories write it with a capital letter inside sentences
	offsets  []uint32 // of the postings of each term
	postings []int32
	scores   []uint32 // scratch of nearest, one for each doc, all 0 between calls
}

// doc is a memory in an Index. It is unused if id is "".
type doc struct {
	id     string
	vector []term
	name   uint64  // hash of the folded name
	file   uint64  // hash of the folded name of the file, or 0
	text   uint64  // hash of the normalised text, or 0 if it is too short
	norm   float32 // length of the vector
	// copyOf is the place of the memory with the same text and the smallest ID, or -1. Only that
	// one is compared with others.
	copyOf int32
	// hasCue means that the text can say that it replaces something or is replaced.
	hasCue bool
}

// NewIndex returns an empty Index.
func NewIndex() *Index {
	return &Index{vocabulary: newVocabulary(), places: map[string]int32{}, links: map[int32][]link{}}
}

// Len returns the number of memories.
func (x *Index) Len() int { return len(x.places) }

// Add adds a memory, or replaces the one with its ID. It does nothing if ID is "".
func (x *Index) Add(m findings.Memory) {
	if m.ID == "" {
		return
	}
	x.Remove(m.ID)
	hash := textHash(m.Text)
	m.Text = shortened(m.Text)
	d := doc{
		id: strings.Clone(m.ID), vector: x.vectorOf(m.Text), copyOf: -1,
		name: hashOf(foldedName(m.Name)), text: hash, hasCue: hasCue(m.Text),
	}
	if m.File != "" {
		d.file = hashOf(foldedName(m.File))
	}
	place := int32(len(x.docs))
	if n := len(x.free); n > 0 {
		place = x.free[n-1]
		x.free = x.free[:n-1]
		x.docs[place] = d
	} else {
		x.docs = append(x.docs, d)
	}
	x.places[d.id] = place
	if links := linksOf(m.Text); len(links) > 0 {
		x.links[place] = links
	}
}

// Remove removes a memory. It does nothing if the ID is unknown.
func (x *Index) Remove(id string) {
	x.prepared = false
	if place, ok := x.places[id]; ok {
		delete(x.places, id)
		delete(x.links, place)
		x.docs[place] = doc{}
		x.free = append(x.free, place)
	}
}

// Neighbour is a memory that is similar to another one. Score is from 0 to 1.
type Neighbour struct {
	ID    string
	Score float64
}

// Nearest returns the k memories that are most similar to a memory, the most similar first. It is
// empty if the ID is unknown. Copies of one text count once.
func (x *Index) Nearest(id string, k int) []Neighbour {
	place, ok := x.places[id]
	if !ok {
		return nil
	}
	x.prepare()
	var found []Neighbour
	for _, n := range x.nearest(place, k) {
		found = append(found, Neighbour{ID: x.docs[n.place].id, Score: n.score})
	}
	return found
}

// Loader returns the memories with these IDs, in any order. It may omit ones that are deleted.
type Loader func(ctx context.Context, ids []string) ([]findings.Memory, error)

// Pairs returns the pairs that the memories with these IDs are in, or all pairs without IDs, sorted
// by their IDs. Each memory is compared with its nearest ones. load must return the texts that were
// added; it is called several times. An error is that of load or ctx.
func (x *Index) Pairs(ctx context.Context, load Loader, ids ...string) ([]findings.Pair, error) {
	x.prepare()
	var found []findings.Pair
	todo, err := x.candidates(ctx, ids)
	for len(todo) > 0 && err == nil {
		part := todo[:min(loadCount, len(todo))]
		todo = todo[len(part):]
		var texts map[string]findings.Memory
		if texts, err = x.load(ctx, load, part); err != nil {
			break
		}
		for _, c := range part {
			a, isA := texts[x.docs[c.a].id]
			b, isB := texts[x.docs[c.b].id]
			if !isA || !isB {
				continue
			}
			a.Text, b.Text = shortened(a.Text), shortened(b.Text)
			if p, ok := compare(a, b, c, x.isName); ok {
				found = append(found, p)
			}
		}
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(p, q findings.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return found, nil
}

// isName reports whether memories write a stem like a name, with a capital letter.
func (x *Index) isName(stem string) bool {
	id, ok := x.ids[hashOf(stem)]
	return ok && x.isProper[id]
}

func (x *Index) load(ctx context.Context, load Loader, of []candidate) (map[string]findings.Memory, error) {
	texts := map[string]findings.Memory{}
	var ids []string
	for _, c := range of {
		for _, place := range [2]int32{c.a, c.b} {
			if _, ok := texts[x.docs[place].id]; !ok {
				texts[x.docs[place].id] = findings.Memory{}
				ids = append(ids, x.docs[place].id)
			}
		}
	}
	clear(texts)
	loaded, err := load(ctx, ids)
	for _, m := range loaded {
		texts[m.ID] = m
	}
	return texts, err
}

// candidate is two memories that are to be compared. The ID of a is smaller than that of b.
type candidate struct {
	a, b  int32
	score float32
	// same means that the texts are equal; linked, that one names the other as its successor or
	// predecessor.
	same, linked bool
	// hasCue means that one text can say that it replaces something or is replaced.
	hasCue bool
	// isMutual means that each is the most similar memory to the other.
	isMutual bool
	// isSeries means that each has several other memories that are about as similar to it.
	isSeries bool
}

// candidates returns the candidates with a memory of ids, or all if there are no ids. They are
// sorted by a, then b.
func (x *Index) candidates(ctx context.Context, ids []string) ([]candidate, error) {
	var found []candidate
	add := func(a, b int32, c candidate) {
		c.a, c.b = a, b
		if x.docs[a].id > x.docs[b].id {
			c.a, c.b = b, a
		}
		found = append(found, c)
	}
	places := make([]int32, 0, max(len(ids), 1))
	for _, id := range ids {
		if place, ok := x.places[id]; ok {
			places = append(places, place)
		}
	}
	known := map[int32]surroundings{}
	all := len(ids) == 0
	if all {
		for place := range x.docs {
			if x.docs[place].id != "" {
				places = append(places, int32(place))
			}
		}
	}
	for i, place := range places {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if original := x.docs[place].copyOf; original >= 0 {
			add(place, original, candidate{score: 1, same: true})
			continue
		}
		count := nearestCount
		if !all {
			count = rescored
		}
		near := x.nearest(place, count)
		known[place] = surroundingsOf(near)
		for rank, n := range near {
			hasCue := x.docs[place].hasCue || x.docs[n.place].hasCue
			if n.score < mutualScore && (!hasCue || n.score < replaceScore) {
				continue
			}
			if rank < nearestCount || x.isAmongNearest(place, n.place) {
				add(place, n.place, candidate{score: float32(n.score), hasCue: hasCue})
			}
		}
	}
	x.addCopies(places, all, add)
	x.addLinked(places, all, add)
	found = x.sorted(found)
	for i := range found {
		c := &found[i]
		if c.same {
			continue
		}
		a, b := x.surroundings(known, c.a), x.surroundings(known, c.b)
		c.isMutual = a.first == c.b && b.first == c.a
		c.isSeries = min(a.last, b.last) >= seriesShare*c.score
	}
	return found, nil
}

// surroundings are the most similar memory to one, or -1, and the similarity of the last one of its
// nearest, or 0.
type surroundings struct {
	first int32
	last  float32
}

func surroundingsOf(near []neighbour) surroundings {
	s := surroundings{first: -1}
	if len(near) > 0 {
		s.first = near[0].place
	}
	if len(near) >= nearestCount {
		s.last = float32(near[nearestCount-1].score)
	}
	return s
}

// surroundings returns those of a memory, and remembers them in known.
func (x *Index) surroundings(known map[int32]surroundings, of int32) surroundings {
	s, ok := known[of]
	if !ok {
		s = surroundingsOf(x.nearest(of, nearestCount))
		known[of] = s
	}
	return s
}

// isAmongNearest reports whether a memory is among the nearest ones of another.
func (x *Index) isAmongNearest(place, of int32) bool {
	return slices.ContainsFunc(x.nearest(of, nearestCount), func(n neighbour) bool { return n.place == place })
}

// addCopies adds the copies of the places that are the first of their text. If all is set, each
// copy has added itself already.
func (x *Index) addCopies(places []int32, all bool, add func(a, b int32, c candidate)) {
	if all {
		return
	}
	for place := range x.docs {
		if first := x.docs[place].copyOf; first >= 0 && slices.Contains(places, first) {
			add(int32(place), first, candidate{score: 1, same: true})
		}
	}
}

// addLinked adds the memories that say which other one they replace, or are replaced by.
func (x *Index) addLinked(places []int32, all bool, add func(a, b int32, c candidate)) {
	named := map[uint64][]int32{}
	for _, links := range x.links {
		for _, l := range links {
			named[l.name] = nil
		}
	}
	if len(named) == 0 {
		return
	}
	for place := range x.docs {
		d := &x.docs[place]
		if d.id == "" {
			continue
		}
		if _, ok := named[d.name]; ok {
			named[d.name] = append(named[d.name], int32(place))
		}
		if _, ok := named[d.file]; ok && d.file != d.name {
			named[d.file] = append(named[d.file], int32(place))
		}
	}
	wanted := map[int32]bool{}
	for _, place := range places {
		wanted[place] = true
	}
	for place, links := range x.links {
		for _, l := range links {
			for _, other := range named[l.name] {
				if other != place && (all || wanted[other] || wanted[place]) {
					add(place, other, candidate{score: float32(x.cosine(place, other)), linked: true, hasCue: x.docs[place].hasCue})
				}
			}
		}
	}
}

// sorted returns the candidates sorted by their places, each pair once.
func (x *Index) sorted(all []candidate) []candidate {
	slices.SortFunc(all, func(c, d candidate) int { return cmp.Or(cmp.Compare(c.a, d.a), cmp.Compare(c.b, d.b)) })
	kept := all[:0]
	for _, c := range all {
		if n := len(kept); n > 0 && kept[n-1].a == c.a && kept[n-1].b == c.b {
			kept[n-1].linked = kept[n-1].linked || c.linked
			kept[n-1].same = kept[n-1].same || c.same
			kept[n-1].hasCue = kept[n-1].hasCue || c.hasCue
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

// prepare computes what depends on all memories: the frequencies of the terms, the lengths of the
// vectors, the lists of memories by term, and the copies.
func (x *Index) prepare() {
	if x.prepared {
		return
	}
	x.prepared = true
	frequency := make([]uint32, len(x.ids))
	capitals := make([]int32, len(x.ids))
	for i := range x.docs {
		for _, t := range x.docs[i].vector {
			frequency[t.id()]++
			if t&capital != 0 {
				capitals[t.id()]++
			}
			if t&small != 0 {
				capitals[t.id()] -= 4 // a word with a capital letter now and then is no name
			}
		}
	}
	x.isProper = make([]bool, len(capitals))
	for id, n := range capitals {
		x.isProper[id] = n > 0
	}
	count := float64(max(x.Len(), minCount))
	x.idf = make([]uint16, len(frequency))
	x.offsets = make([]uint32, len(frequency)+1)
	for id, n := range frequency {
		if n > 0 {
			x.idf[id] = uint16(math.Round(16 * math.Log((count+1)/float64(n))))
		}
		x.offsets[id+1] = x.offsets[id]
		if n > 1 && n <= maxPostings {
			x.offsets[id+1] += n
		}
	}
	x.postings = make([]int32, x.offsets[len(frequency)])
	filled := slices.Clone(x.offsets)
	for place := range x.docs {
		d := &x.docs[place]
		var sum uint64
		for _, t := range d.vector {
			id := t.id()
			value := uint64(t.weight()) * uint64(x.idf[id])
			sum += value * value
			if x.offsets[id+1] > x.offsets[id] {
				x.postings[filled[id]] = int32(place)
				filled[id]++
			}
		}
		d.norm = float32(math.Sqrt(float64(sum)))
	}
	x.scores = make([]uint32, len(x.docs))
	x.findCopies()
}

func (x *Index) findCopies() {
	first := map[uint64]int32{}
	for place := range x.docs {
		d := &x.docs[place]
		if d.text == 0 {
			continue
		}
		if other, ok := first[d.text]; !ok || d.id < x.docs[other].id {
			first[d.text] = int32(place)
		}
	}
	for place := range x.docs {
		d := &x.docs[place]
		d.copyOf = -1
		if other, ok := first[d.text]; ok && d.text != 0 && other != int32(place) {
			d.copyOf = other
		}
	}
}

type neighbour struct {
	place int32
	score float64
}

// nearest returns the k memories with the highest cosine to a memory, among those that share its
// rarest terms. Copies are omitted. Of equal ones, those with the smallest ID are first.
func (x *Index) nearest(place int32, k int) []neighbour {
	var touched []int32
	for _, t := range x.rarest(place) {
		id := t.id()
		idf := uint32(x.idf[id])
		value := t.weight() * idf / 16 * idf / 16
		for _, other := range x.postings[x.offsets[id]:x.offsets[id+1]] {
			if x.scores[other] == 0 {
				touched = append(touched, other)
			}
			x.scores[other] += value + 1
		}
	}
	best := make([]neighbour, 0, rescored+1)
	for _, other := range touched {
		score := float64(x.scores[other]) / float64(x.docs[other].norm)
		x.scores[other] = 0
		if other != place && x.docs[other].copyOf < 0 {
			best = x.insert(best, neighbour{other, score}, rescored)
		}
	}
	for i := range best {
		best[i].score = x.cosine(place, best[i].place)
	}
	slices.SortFunc(best, x.compareNeighbours)
	return best[:min(k, len(best))]
}

// rarest returns the terms of a memory by which its nearest ones are searched, the rarest first.
// Their lists have at most maxVisits entries. Terms of one frequency are used all or not at all, so
// that the order of calls makes no difference.
func (x *Index) rarest(place int32) []term {
	length := func(t term) int { return int(x.offsets[t.id()+1] - x.offsets[t.id()]) }
	terms := slices.DeleteFunc(slices.Clone(x.docs[place].vector), func(t term) bool { return length(t) == 0 })
	slices.SortFunc(terms, func(a, b term) int { return length(a) - length(b) })
	visits := 0
	for i := 0; i < len(terms); {
		end := i
		for end < len(terms) && length(terms[end]) == length(terms[i]) {
			end++
		}
		if visits += (end - i) * length(terms[i]); visits > maxVisits && i > 0 {
			return terms[:i]
		}
		i = end
	}
	return terms
}

func (x *Index) compareNeighbours(a, b neighbour) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Compare(x.docs[a.place].id, x.docs[b.place].id)
}

// insert adds n to the sorted list best, which keeps its first most elements.
func (x *Index) insert(best []neighbour, n neighbour, most int) []neighbour {
	if len(best) == most && x.compareNeighbours(n, best[most-1]) > 0 {
		return best
	}
	at, _ := slices.BinarySearchFunc(best, n, x.compareNeighbours)
	best = slices.Insert(best, at, n)
	return best[:min(most, len(best))]
}

// cosine returns the similarity of two memories. The sum is of whole numbers, so that their order
// makes no difference.
func (x *Index) cosine(a, b int32) float64 {
	va, vb := x.docs[a].vector, x.docs[b].vector
	var sum uint64
	for i, j := 0, 0; i < len(va) && j < len(vb); {
		switch ta, tb := va[i].id(), vb[j].id(); {
		case ta < tb:
			i++
		case ta > tb:
			j++
		default:
			idf := uint64(x.idf[ta])
			sum += uint64(va[i].weight()) * idf * uint64(vb[j].weight()) * idf
			i, j = i+1, j+1
		}
	}
	if sum == 0 {
		return 0
	}
	return min(1, float64(sum)/(float64(x.docs[a].norm)*float64(x.docs[b].norm)))
}
