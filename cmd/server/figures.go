package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"runtime/metrics"
	"syscall"
)

// figures are what is logged at a SIGUSR1, by the names under which the runtime keeps them. In bytes, where they are no
// numbers of things.
var figures = []struct{ name, metric string }{
	{"goroutines", "/sched/goroutines:goroutines"},
	{"heap_live", "/gc/heap/live:bytes"}, // what the last collection found in use: it grows only if something is kept
	{"heap_objects", "/memory/classes/heap/objects:bytes"},
	{"stacks", "/memory/classes/heap/stacks:bytes"},
	{"total", "/memory/classes/total:bytes"},
}

// logFigures logs what the process holds whenever it gets a SIGUSR1, until ctx ends: `kill -USR1` asks a server that
// seems to grow what it is that grows, without a listener that would have to be guarded.
func logFigures(ctx context.Context, log *slog.Logger) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		defer signal.Stop(asked)
		for {
			select {
			case <-ctx.Done():
				return
			case <-asked:
				log.Info("figures", readFigures()...)
			}
		}
	}()
}

func readFigures() (pairs []any) {
	samples := make([]metrics.Sample, len(figures))
	for i, f := range figures {
		samples[i].Name = f.metric
	}
	metrics.Read(samples)
	for i, f := range figures {
		pairs = append(pairs, f.name, samples[i].Value.Uint64())
	}
	return pairs
}
