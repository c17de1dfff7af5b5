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

// On a shared machine, others may take half of the speed for minutes. Goals in milliseconds assume
// the full speed. So such measurements wait until the machine is as fast as before.

const (
	// usual is the accepted ratio of the machine's pace to its best of this run.
	usual = 1.25
	// longestWait is the maximum wait of one round, longestWaits of all rounds together.
	longestWait, longestWaits = 3 * time.Minute, 15 * time.Minute
)

// paces contains the machine's measured paces of this run.
type paces struct {
	Seen   []time.Duration
	Waited time.Duration
}

// Fastest, Middle and Slowest return the minimum, the median and the maximum of all paces.
func (p paces) Fastest() time.Duration { return slices.Min(p.Seen) }
func (p paces) Slowest() time.Duration { return slices.Max(p.Seen) }
func (p paces) Middle() time.Duration  { return quantile(slices.Sorted(slices.Values(p.Seen)), 0.5) }

// wakes is the number of wake-ups in one pace, enough to be a third of its time.
const wakes = 400

// sleeper is another process that returns each byte it reads.
var sleeper struct {
	in  io.WriteCloser
	out io.Reader
}

// layToSleep starts the sleeper. The returned function ends it.
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
		process.Wait() //nolint:errcheck // cat has no useful exit code
	}, nil
}

// pace returns the time of a fixed piece of work: all processors sort the same numbers, and the
// sleeper is woken many times. On shared processors, calculations can be fast and wake-ups late.
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

// wakeAgainAndAgain returns the total time of the sleeper's answers. All processes sleep between
// two.
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

// untilUsual waits until the machine's pace is usual, for a limited time, and returns the last
// pace.
func untilUsual() time.Duration {
	start := time.Now()
	for {
		attempt := time.Now()
		now := pace()
		if isUsual(now) || time.Since(start) > longestWait || report.Paces.Waited+time.Since(start) > longestWaits {
			report.Paces.Waited += attempt.Sub(start)
			return now
		}
		time.Sleep(time.Second)
	}
}

func isUsual(pace time.Duration) bool {
	return pace <= time.Duration(usual*float64(report.Paces.Fastest()))
}

// swiftest stores, of several measurements, the one taken at the machine's best pace.
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

// enough reports whether the measurement was repeated often enough: a minimum number of times, and
// longer while the machine was slower than usual.
func (s *swiftest[T]) enough() bool {
	return s.count >= mostRounds || s.count >= rounds && isUsual(s.pace)
}
