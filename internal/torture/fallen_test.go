package torture

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"memoir/internal/longrun"
)

// fallen counts the blows after which all checks passed.
var fallen count

type count struct {
	mu             sync.Mutex
	blows, moments map[string]int
	struck         longrun.Struck
	handovers      []longrun.Handover
}

func (c *count) addHandover(h longrun.Handover) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handovers = append(c.handovers, h)
}

func (c *count) add(blow, moment string, struck longrun.Struck) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blows == nil {
		c.blows, c.moments = map[string]int{}, map[string]int{}
	}
	c.blows[blow]++
	c.moments[moment]++
	c.struck = c.struck.Plus(struck)
}

// keep stores the counts of this process. The caller calls it only if no test has failed.
func (c *count) keep() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	result := longrun.Killed{Occasion: longrun.Now(seed()), Struck: c.struck, Blows: sorted(c.blows), Moments: sorted(c.moments), Handovers: c.handovers}
	if err := longrun.Keep(result); err != nil {
		return err
	}
	much := fmt.Sprintf("%s blows: %v", longrun.Count(result.All()), c.struck)
	return longrun.PassedAll("kills", much, "")
}

func sorted(times map[string]int) (all []longrun.Counted) {
	for _, name := range slices.Sorted(maps.Keys(times)) {
		all = append(all, longrun.Counted{Name: name, Times: times[name]})
	}
	return all
}
