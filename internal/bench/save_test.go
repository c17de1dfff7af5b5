package bench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/sync"
)

// debounce is the quiet time after a change that a server starts with.
const debounce = 200 * time.Millisecond

// saves is how many are measured.
const saves = 50

// saved is how long saves took beside their floor, which has no debounce.
type saved struct {
	visible []time.Duration // shortest first
	Floor   time.Duration   // the median
}

func (s saved) Median() time.Duration { return s.visible[len(s.visible)/2] }
func (s saved) Worst() time.Duration  { return s.visible[len(s.visible)-1] }
func (s saved) Above() time.Duration  { return s.Median() - debounce }

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

func BenchmarkSaveToRow(b *testing.B) {
	for _, layout := range []layout{manySessions, oneAgent} {
		b.Run(layout.name, func(b *testing.B) {
			dir := b.TempDir()
			layout.write(b, dir)
			url, conn := database(b)
			engine, store := start(b, url, dir)
			defer stop(b, engine, store)
			until(b, "the first scan", engine.Ready)
			untilSearchable(b, conn, layout)
			for b.Loop() {
				took := saved{
					visible: saveOneByOne(b, engine, store, dir),
					Floor:   savePlainly(b, conn, filepath.Join(dir, "plain.txt")),
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(milliseconds(took.Median()), "p50-ms")
				b.ReportMetric(milliseconds(took.Worst()), "worst-ms")
				b.ReportMetric(milliseconds(took.Above()), "p50-over-debounce-ms")
				b.ReportMetric(milliseconds(took.Floor), "floor-ms")
				report.Saves = append(report.Saves, named[saved]{layout, took})
			}
		})
	}
}

// saveOneByOne saves memories as agents do, by renaming a written file into place: half of them new, half known. It
// returns, shortest first, how long each took from the rename until the row was read.
func saveOneByOne(b *testing.B, engine *sync.Engine, store *postgres.Store, dir string) []time.Duration {
	b.Helper()
	agent, err := store.Agent(b.Context(), "agent-00")
	if err != nil {
		b.Fatal(err)
	}
	listening := engine.Hub().Subscribe()
	defer listening.Close()
	random := rand.New(rand.NewPCG(3, 4))
	took := make([]time.Duration, saves)
	for i := range took {
		untilQuiet(b, engine, listening)
		name, description := fmt.Sprintf("saved-%d", i/2), fmt.Sprintf("The save number %d", i)
		path := filepath.Join(dir, agent.Slug, "memory", name+".md")
		text := fmt.Sprintf("---\nname: %s\ndescription: %s\ntype: project\n---\n\n%s\n", name, description, sentence(random))
		save(b, path+".tmp", text)
		started := time.Now()
		if err := os.Rename(path+".tmp", path); err != nil {
			b.Fatal(err)
		}
		for event := range listening.Events {
			if event.Kind == sync.KindSaved && event.Name == name {
				break
			}
		}
		page, err := store.Memories(b.Context(), agent, postgres.List{Name: name, Limit: 1})
		if err != nil || len(page.Memories) != 1 || page.Memories[0].Description != description {
			b.Fatalf("no row of %s: %v", name, err)
		}
		took[i] = time.Since(started)
	}
	slices.Sort(took)
	return took
}

// savePlainly is the floor of a save: a file is written and renamed into place, read and parsed, and its row is in a
// plain table. It returns the median of as many saves.
func savePlainly(b *testing.B, conn *pgx.Conn, path string) time.Duration {
	b.Helper()
	execute(b, conn, "CREATE TABLE plain (path text, name text, type text, description text, body text, raw bytea)")
	random := rand.New(rand.NewPCG(3, 4))
	took := make([]time.Duration, saves)
	for i := range took {
		_, text := note(random, i)
		save(b, path+".tmp", text)
		started := time.Now()
		if err := os.Rename(path+".tmp", path); err != nil {
			b.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		file := memories.Parse(raw, "plain")
		_, err = conn.Exec(b.Context(), "INSERT INTO plain VALUES ($1, $2, $3, $4, $5, $6)", path, file.Name, string(file.Type), file.Description, file.Body, raw)
		if err != nil {
			b.Fatal(err)
		}
		took[i] = time.Since(started)
	}
	slices.Sort(took)
	return took[saves/2]
}

// untilQuiet waits for the last save to be published, and passes over what was told of it.
func untilQuiet(b *testing.B, engine *sync.Engine, listening *sync.Subscription) {
	b.Helper()
	until(b, "quiet", func() bool {
		status, err := engine.Status(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		return status.Pending == 0
	})
	for {
		select {
		case <-listening.Events:
		default:
			return
		}
	}
}
