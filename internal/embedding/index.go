package embedding

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"memoir/internal/records"
)

const (
	// defaultMaxBytes is the usual bound of the vectors in memory: 600,000 of 384 dimensions.
	defaultMaxBytes = 256 << 20
	// reloadWait is how long a search waits for changed vectors before it uses the former ones.
	reloadWait = 20 * time.Millisecond
	// loadTimeout limits the reading of an agent's vectors, and loadShare the share of the time in which
	// those of an agent that changes all the time are read again (arbitrary).
	loadTimeout = 30 * time.Second
	loadShare   = 10
	// parallelBytes is the size from which several cores compare vectors.
	parallelBytes = 4 << 20
)

// agentVectors are the vectors of an agent's memories. It does not change once it is loaded.
type agentVectors struct {
	model   int64
	version records.EmbeddingVersion
	// reloadAfter is when changed vectors may be read again.
	reloadAfter time.Time

	dimensions int
	vectors    []int8    // one after another
	inverse    []float32 // 1 divided by the length of each vector
	ids        []uuid.UUID
	first      []int32 // by memory the index of its first vector, and the number of vectors
}

// maxVectors returns how many vectors fit into a number of bytes, if each memory has one.
func maxVectors(bytes int64, dimensions int) int {
	return int(min(max(bytes-4, 0)/int64(dimensions+4+16+4), math.MaxInt32))
}

func (a *agentVectors) bytes() int64 {
	return int64(len(a.vectors) + 4*len(a.inverse) + 16*len(a.ids) + 4*len(a.first))
}

// compare sets similarities to those of the memories from index from on: the highest of a memory's
// vectors.
func (a *agentVectors) compare(query []int32, from int, similarities []float32) {
	for i := range similarities {
		best := float32(math.Inf(-1))
		for v := a.first[from+i]; v < a.first[from+i+1]; v++ {
			at := int(v) * a.dimensions
			best = max(best, float32(dot(query, a.vectors[at:at+a.dimensions]))*a.inverse[v])
		}
		similarities[i] = best
	}
}

// similarities returns the cosine of each memory with the query.
func (a *agentVectors) similarities(query []int32) []float32 {
	all := make([]float32, len(a.ids))
	workers := 1
	if len(a.vectors) >= parallelBytes {
		workers = runtime.GOMAXPROCS(0)
	}
	size := (len(all) + workers - 1) / workers
	var running sync.WaitGroup
	for from := 0; from < len(all); from += size {
		part := all[from:min(from+size, len(all))]
		running.Go(func() { a.compare(query, from, part) })
	}
	running.Wait()
	scale := 1 / lengthOf(query)
	for i := range all {
		all[i] *= scale
	}
	return all
}

// nearest returns the most memories that are nearest to the query.
func nearest(query []int32, all []*agentVectors, most int) records.NearMemories {
	var result records.NearMemories
	var sum, squares float64
	for _, a := range all {
		for i, s := range a.similarities(query) {
			similarity := float64(s)
			sum, squares = sum+similarity, squares+similarity*similarity
			last := len(result.Memories) - 1
			if len(result.Memories) == most && (most == 0 || similarity <= result.Memories[last].Similarity) {
				continue
			}
			at, _ := slices.BinarySearchFunc(result.Memories, similarity, func(m records.NearMemory, s float64) int {
				if m.Similarity >= s {
					return -1
				}
				return 1
			})
			result.Memories = slices.Insert(result.Memories, at, records.NearMemory{ID: a.ids[i], Similarity: similarity})
			result.Memories = result.Memories[:min(len(result.Memories), most)]
		}
		result.Compared += len(a.ids)
	}
	if n := float64(result.Compared); n > 0 {
		result.Mean = sum / n
		result.Deviation = math.Sqrt(max(squares/n-result.Mean*result.Mean, 0))
	}
	return result
}

// index holds the vectors of the agents that were searched last, up to a number of bytes. It is safe
// for concurrent use.
type index struct {
	store    Store
	maxBytes int64
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	held    *simplelru.LRU[int64, *agentVectors] // by agent
	bytes   int64
	loading map[loadKey]*load
}

type loadKey struct{ agent, model int64 }

// load is the reading of an agent's vectors. The results are set when done is closed.
type load struct {
	done   chan struct{}
	result *agentVectors
	err    error
}

func newIndex(store Store, maxBytes int64) *index {
	x := &index{store: store, maxBytes: maxBytes, loading: map[loadKey]*load{}}
	x.ctx, x.stop = context.WithCancel(context.Background())
	x.held, _ = simplelru.NewLRU(math.MaxInt32, func(_ int64, a *agentVectors) { x.bytes -= a.bytes() }) // fails only without a size
	return x
}

// close cancels what is being read, and waits for its end.
func (x *index) close() {
	x.mu.Lock()
	x.stop()
	x.mu.Unlock()
	x.running.Wait()
}

// of returns the vectors of the agents. If those of an agent have changed, it waits for the new ones
// for a short time only, and then returns the former.
func (x *index) of(ctx context.Context, agents []int64, model records.EmbeddingModel) ([]*agentVectors, error) {
	versions, err := x.store.EmbeddingVersions(ctx, agents)
	if err != nil {
		return nil, err
	}
	var all []*agentVectors
	for _, agent := range agents {
		version, exists := versions[agent]
		if !exists {
			continue
		}
		a, err := x.agent(ctx, agent, model, version)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (x *index) agent(ctx context.Context, agent int64, model records.EmbeddingModel, version records.EmbeddingVersion) (*agentVectors, error) {
	x.mu.Lock()
	former, isHeld := x.held.Get(agent)
	isHeld = isHeld && former.model == model.ID
	if isHeld && (former.version == version || time.Now().Before(former.reloadAfter)) {
		x.mu.Unlock()
		return former, nil
	}
	l := x.load(agent, model, version)
	x.mu.Unlock()
	var enough <-chan time.Time
	if isHeld {
		timer := time.NewTimer(reloadWait)
		defer timer.Stop()
		enough = timer.C
	}
	select {
	case <-l.done:
		if l.err != nil && isHeld {
			return former, nil
		}
		return l.result, l.err
	case <-enough:
		return former, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load starts to read the vectors of an agent, unless they are being read. The caller holds x.mu.
func (x *index) load(agent int64, model records.EmbeddingModel, version records.EmbeddingVersion) *load {
	key := loadKey{agent, model.ID}
	if l := x.loading[key]; l != nil {
		return l
	}
	l := &load{done: make(chan struct{})}
	if l.err = x.ctx.Err(); l.err != nil {
		close(l.done)
		return l
	}
	x.loading[key] = l
	x.running.Go(func() {
		l.result, l.err = x.read(agent, model, version)
		x.mu.Lock()
		delete(x.loading, key)
		if l.err == nil {
			x.add(agent, l.result)
		}
		x.mu.Unlock()
		close(l.done)
	})
	return l
}

// add holds the vectors of an agent, and drops those that were not searched for the longest time. The
// caller holds x.mu.
func (x *index) add(agent int64, a *agentVectors) {
	x.held.Remove(agent)
	x.held.Add(agent, a)
	x.bytes += a.bytes()
	for x.bytes > x.maxBytes {
		x.held.RemoveOldest()
	}
}

func (x *index) read(agent int64, model records.EmbeddingModel, version records.EmbeddingVersion) (*agentVectors, error) {
	ctx, cancel := context.WithTimeout(x.ctx, loadTimeout)
	defer cancel()
	started := time.Now()
	a := &agentVectors{model: model.ID, version: version, dimensions: model.Dimensions}
	err := x.store.EachVector(ctx, agent, model.ID, maxVectors(x.maxBytes, model.Dimensions), func(id uuid.UUID, vector []byte) {
		if len(vector) == a.dimensions {
			a.append(id, vector)
		}
	})
	a.first = append(a.first, int32(len(a.inverse)))
	// Growing leaves room for more, which would not count.
	a.vectors, a.inverse, a.ids, a.first = exact(a.vectors), exact(a.inverse), exact(a.ids), exact(a.first)
	a.reloadAfter = time.Now().Add((loadShare - 1) * time.Since(started))
	return a, err
}

// append adds a vector of the last memory or of the next one.
func (a *agentVectors) append(id uuid.UUID, vector []byte) {
	if n := len(a.ids); n == 0 || a.ids[n-1] != id {
		a.ids, a.first = append(a.ids, id), append(a.first, int32(len(a.inverse)))
	}
	from := len(a.vectors)
	for _, b := range vector {
		a.vectors = append(a.vectors, int8(b))
	}
	a.inverse = append(a.inverse, 1/lengthOf(a.vectors[from:]))
}

// exact returns a copy without room for more elements.
func exact[T any](s []T) []T {
	result := make([]T, len(s))
	copy(result, s)
	return result
}
