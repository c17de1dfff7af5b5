// Package bench measures Memoir against what the machine can do at all, and writes docs/BENCHMARKS.md. It owns the
// corpus that is measured on and the floors, each the plainest code that does the least a mirror must. It never judges:
// a benchmark reports figures and ratios and fails only when Memoir did not do its work. `make bench` runs it.
//
// Figure and floor are taken in turns in the same run, and the middle one of several rounds counts, because a machine
// is rarely as quiet as one wishes. What the machine's pace would decide is taken in rounds, which wait, within bounds, for the
// pace that it has had before: how fast it works, and how soon it wakes up whoever sleeps.
package bench
