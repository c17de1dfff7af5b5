package bench

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// What a goal in milliseconds is set for is the speed that the machine has by itself. Where others take half of it for minutes, as on
// shared ones, whoever measures meanwhile measures them. So the machine is asked for its pace, and the figures that hang on it wait
// for the one that it has had before.

const (
	// usual is how much slower than at its best in this run the machine may be to count as being as fast as ever.
	usual = 1.25
	// longestWait is how long one round waits for that, and longestWaits, how long all rounds of a run do.
	longestWait, longestWaits = 3 * time.Minute, 15 * time.Minute
)

// paces is what is known of the machine in this run.
type paces struct {
	Seen   []time.Duration
	Waited time.Duration
}

// Fastest, Middle and Slowest are of all the times that the machine was asked.
func (p paces) Fastest() time.Duration { return slices.Min(p.Seen) }
func (p paces) Slowest() time.Duration { return slices.Max(p.Seen) }
func (p paces) Middle() time.Duration  { return quantile(slices.Sorted(slices.Values(p.Seen)), 0.5) }

// pace returns how long a fixed piece of work takes that keeps all processors busy: numbers are put in order, the same ones each time.
func pace() time.Duration {
	took := timed(func() {
		var all sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			all.Go(func() {
				random := rand.New(rand.NewPCG(17, 18))
				numbers := make([]uint64, 200_000)
				for range 3 {
					for i := range numbers {
						numbers[i] = random.Uint64()
					}
					slices.Sort(numbers)
				}
			})
		}
		all.Wait()
	})
	report.Paces.Seen = append(report.Paces.Seen, took)
	return took
}

// untilUsual waits until the machine is about as fast as it was at its best in this run, but not for ever, and returns its pace.
func untilUsual() time.Duration {
	began := time.Now()
	for {
		now := pace()
		if now <= time.Duration(usual*float64(report.Paces.Fastest())) || time.Since(began) > longestWait || report.Paces.Waited+time.Since(began) > longestWaits {
			report.Paces.Waited += time.Since(began) - now
			return now
		}
		time.Sleep(time.Second)
	}
}

// swiftest keeps, of what was taken several times, what was taken while the machine was fastest, by its pace before and after.
type swiftest[T any] struct {
	taken T
	pace  time.Duration
}

func (s *swiftest[T]) take(do func() T) {
	before := untilUsual()
	taken := do()
	if at := before + pace(); s.pace == 0 || at < s.pace {
		s.taken, s.pace = taken, at
	}
}
