// Package bench measures Memoir and the machine's limits, and writes docs/BENCHMARKS.md. It owns
// the test data and the floors: the simplest code for the least work of each task. A benchmark
// reports figures and fails only if Memoir did not do its work. `make bench` runs it.
//
// Figure and floor alternate in one run, and the median of several rounds counts, because the
// machine is rarely idle. Benchmarks that depend on the machine's pace wait, up to a limit, for its
// earlier pace.
package bench
