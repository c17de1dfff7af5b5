package bench

import (
	"io"
	"math/rand/v2"
	"os/exec"
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

// wakes is how often the sleeper is woken to learn the machine's pace: enough that it counts for a third of it.
const wakes = 400

// sleeper is another process, which waits for a byte and gives it back.
var sleeper struct {
	in  io.WriteCloser
	out io.Reader
}

// layToSleep starts the sleeper, and returns what ends it.
func layToSleep() (end func(), err error) {
	process := exec.Command("cat")
	if sleeper.in, err = process.StdinPipe(); err != nil {
		return nil, err
	}
	if sleeper.out, err = process.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	return func() {
		sleeper.in.Close()
		process.Wait() //nolint:errcheck // it has nothing to tell
	}, nil
}

// pace returns how long a fixed piece of work takes: numbers are put in order on all processors, the same ones each time, and a
// process is woken that sleeps. Where the processors are others' as well, they can be fast and yet late: whoever waits for a request is
// woken when theirs have done.
func pace() time.Duration {
	took := timed(sortEverywhere) + wakeAgainAndAgain()
	report.Paces.Seen = append(report.Paces.Seen, took)
	return took
}

func sortEverywhere() {
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
}

// wakeAgainAndAgain returns how long the sleeper takes in all to answer. Between two times all have gone to sleep, as between requests.
func wakeAgainAndAgain() (took time.Duration) {
	one := make([]byte, 1)
	for range wakes {
		time.Sleep(time.Millisecond)
		took += timed(func() {
			if _, err := sleeper.in.Write(one); err != nil {
				panic(err)
			}
			if _, err := io.ReadFull(sleeper.out, one); err != nil {
				panic(err)
			}
		})
	}
	return took
}

// untilUsual waits until the machine is about as fast as it was at its best in this run, but not for ever, and returns its pace.
func untilUsual() time.Duration {
	began := time.Now()
	for {
		asked := time.Now()
		now := pace()
		if isUsual(now) || time.Since(began) > longestWait || report.Paces.Waited+time.Since(began) > longestWaits {
			report.Paces.Waited += asked.Sub(began)
			return now
		}
		time.Sleep(time.Second)
	}
}

func isUsual(pace time.Duration) bool {
	return pace <= time.Duration(usual*float64(report.Paces.Fastest()))
}

// swiftest keeps, of what was taken several times, what was taken while the machine was fastest, by its pace before and after.
type swiftest[T any] struct {
	taken T
	pace  time.Duration
	count int
}

func (s *swiftest[T]) take(do func() T) {
	before := untilUsual()
	taken := do()
	if at := (before + pace()) / 2; s.count == 0 || at < s.pace {
		s.taken, s.pace = taken, at
	}
	s.count++
}

// enough says whether it was taken often enough: some times in any case, and more while the machine was never about as fast as at its
// best in this run.
func (s *swiftest[T]) enough() bool {
	return s.count >= mostRounds || s.count >= rounds && isUsual(s.pace)
}
