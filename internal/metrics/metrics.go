// Package metrics gives the figures of a server to Prometheus: requests, scans, queues, models,
// backups, and the process. It measures requests itself and asks other packages for the rest when it
// is read.
package metrics

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"memoir/internal/backup"
	"memoir/internal/metrics/route"
	"memoir/internal/postgres/figures"
	engine "memoir/internal/sync"
	"memoir/internal/version"
)

// Path is where Prometheus reads the figures.
const Path = "/metrics"

const (
	// readTimeout limits the queries of one reading. Arbitrary, below Prometheus' own 10 s.
	readTimeout = 5 * time.Second
	// readEvery is how long figures of the database are used again. It limits the load if several
	// programs read them.
	readEvery = 5 * time.Second
)

// Sources are where figures come from.
type Sources struct {
	Status  func(context.Context) (engine.Status, error)
	Figures func(context.Context) (figures.Figures, error)
	Backups func() backup.Status // nil without scheduled backups
}

// Metrics measures one server. It is safe for concurrent use.
type Metrics struct {
	requests *prometheus.HistogramVec
	handler  http.Handler
}

// New returns the metrics of a server.
func New(sources Sources) *Metrics {
	m := &Metrics{requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "memoir_http_request_duration_seconds", Help: "Time of requests, by route, method and status. Event streams and backups do not count.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"route", "method", "code"})}
	build := version.Current()
	about := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "memoir_build_info", Help: "The version of the program.", ConstLabels: prometheus.Labels{"version": build.Version, "commit": build.Commit},
	})
	about.Set(1)
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, about, &collector{sources: sources},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true}) // the gate compresses
	return m
}

// ServeHTTP answers with all figures, in the text format of Prometheus.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET is allowed.", http.StatusMethodNotAllowed)
		return
	}
	m.handler.ServeHTTP(w, r)
}

// Measure returns a handler that calls next and measures its requests.
func (m *Metrics) Measure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, pattern := route.Hold(r.Context())
		answer := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		started := time.Now()
		next.ServeHTTP(answer, r.WithContext(ctx))
		label := labelOf(r.URL.Path, *pattern)
		if label == "/api/v1/events" || label == "/api/v1/backup" {
			return // their time depends on the client
		}
		code := answer.Status()
		if code == 0 {
			code = http.StatusOK
		}
		m.requests.WithLabelValues(label, methodOf(r.Method), strconv.Itoa(code)).Observe(time.Since(started).Seconds())
	})
}

// labelOf returns the route of a request: the API's pattern, else the part of the server. There are
// few of them, whatever clients send.
func labelOf(path, pattern string) string {
	switch {
	case pattern != "" && !strings.HasSuffix(pattern, "*"):
		return pattern
	case path == "/mcp", path == Path:
		return path
	case strings.HasPrefix(path, "/hooks/"):
		return "hooks"
	case strings.HasPrefix(path, "/api"):
		return "unknown"
	case strings.HasPrefix(path, "/static/"):
		return "static"
	}
	return "pages"
}

func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return method
	}
	return "other"
}

// collector reads the figures that other packages have.
type collector struct {
	sources Sources

	mu   sync.Mutex
	at   time.Time
	last reading
}

// reading is what was read at one moment.
type reading struct {
	status  engine.Status
	figures figures.Figures
	err     error
}

// Describe describes nothing: the metrics depend on the data.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

func (c *collector) read() reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.at) < readEvery {
		return c.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	var r reading
	if r.status, r.err = c.sources.Status(ctx); r.err == nil {
		r.figures, r.err = c.sources.Figures(ctx)
	}
	c.at, c.last = time.Now(), r
	return r
}

// Collect sends all figures. Without the database it sends only that, and what needs none.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := sender{to}
	if c.sources.Backups != nil {
		s.backups(c.sources.Backups())
	}
	r := c.read()
	s.gauge("memoir_database_up", "Whether the database answers.", boolean(r.err == nil))
	if r.err != nil {
		return
	}
	s.status(r.status)
	s.figures(r.figures)
}

// sender sends metrics to Prometheus.
type sender struct{ to chan<- prometheus.Metric }

// gauge sends a value with labels: names and values in turn.
func (s sender) gauge(name, help string, value float64, labels ...string) {
	s.send(prometheus.GaugeValue, name, help, value, labels)
}

func (s sender) counter(name, help string, value float64, labels ...string) {
	s.send(prometheus.CounterValue, name, help, value, labels)
}

func (s sender) send(kind prometheus.ValueType, name, help string, value float64, labels []string) {
	var names, values []string
	for i := 0; i < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	s.to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, values...)
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (s sender) status(t engine.Status) {
	s.gauge("memoir_files_on_disk", "Memory files of all agents on disk.", float64(t.FilesOnDisk))
	s.gauge("memoir_files_mirrored", "Memory files of all agents in the database.", float64(t.Mirrored))
	s.gauge("memoir_memories_needing_attention", "Memories without a type, or that could not be read.", float64(t.NeedsAttention))
	s.gauge("memoir_pending_paths", "Paths that wait for a scan.", float64(t.Pending))
	s.counter("memoir_watch_overflows_total", "Times that file events were lost. Each starts a full scan.", float64(t.Overflows))
	s.gauge("memoir_polling", "Whether directories are polled, because file events do not suffice.", boolean(t.WatchNote != ""))
	s.gauge("memoir_scan_lag_seconds", "Time from the last change on disk to the end of its scan.", t.Lag.Seconds())
	s.gauge("memoir_scan_problems", "Agents and directories that cannot be scanned.", float64(len(t.Problems)))
	if !t.LastFullScan.IsZero() {
		s.gauge("memoir_last_full_scan_timestamp_seconds", "When the last full scan ended.", seconds(t.LastFullScan))
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func (s sender) figures(f figures.Figures) {
	for _, m := range f.Memories {
		s.gauge("memoir_memories", "Memories of all agents, by state and type.", float64(m.N), "state", m.State, "type", m.Type)
	}
	for _, i := range f.Review {
		s.gauge("memoir_review_items", "Items that wait for a person, by kind.", float64(i.N), "kind", i.Kind)
	}
	tokens := map[string][2]int64{}
	for _, j := range f.Jobs {
		s.gauge("memoir_jobs", "Background jobs of the last 30 days, by kind and state of the queue.", float64(j.N), "kind", j.Kind, "state", j.State)
		t := tokens[j.Kind]
		tokens[j.Kind] = [2]int64{t[0] + j.Input, t[1] + j.Output}
	}
	for kind, t := range tokens {
		const name, help = "memoir_model_tokens", "Model tokens that the jobs of the last 30 days have used."
		s.gauge(name, help, float64(t[0]), "kind", kind, "direction", "input")
		s.gauge(name, help, float64(t[1]), "kind", kind, "direction", "output")
	}
	for _, r := range f.Recalls {
		given := strconv.FormatBool(r.Given)
		s.counter("memoir_recalls_total", "Recalls, by the asker, and whether they gave a memory.", float64(r.N), "asked_by", r.AskedBy, "given", given)
		if r.Given {
			s.counter("memoir_recalled_memories_total", "Memories that recalls have given, by the asker.", float64(r.Delivered), "asked_by", r.AskedBy)
		}
	}
	s.gauge("memoir_database_bytes", "Size of the database.", float64(f.Bytes))
}

func (s sender) backups(b backup.Status) {
	s.gauge("memoir_backup_problem", "Whether the last scheduled backup failed or is overdue.", boolean(b.IsOverdue(time.Now())))
	if !b.LastAt.IsZero() {
		s.gauge("memoir_backup_last_timestamp_seconds", "When the newest backup was made.", seconds(b.LastAt))
		s.gauge("memoir_backup_bytes", "Size of the newest backup.", float64(b.LastSize))
	}
}
