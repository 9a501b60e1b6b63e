package serve

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/assay/serve/runs"
)

// metrics holds the figures of /metrics, in Prometheus's format.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	runs     *prometheus.CounterVec
	ran      *prometheus.HistogramVec
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "assay_requests_total", Help: "Requests that were answered, by the first part of their path and the status."}, []string{"path", "status"}),
		took:     prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "assay_request_seconds", Help: "How long requests took, streams to their end.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 10)}, []string{"path"}),
		runs:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "assay_runs_total", Help: "Runs that have ended here, by graph and status."}, []string{"graph", "status"}),
		ran:      prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "assay_run_seconds", Help: "How long runs took, without waiting.", Buckets: prometheus.ExponentialBuckets(0.01, 4, 10)}, []string{"graph"}),
	}
	count := func(name, help string, pick func(running, waiting int) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(pick(s.runs.Counts())) })
	}
	m.registry.MustRegister(m.requests, m.took, m.runs, m.ran, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		count("assay_runs_running", "Runs that go on here.", func(n, _ int) int { return n }),
		count("assay_runs_waiting", "Runs that wait here for their turn.", func(_, n int) int { return n }))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// request counts a request. Only existing paths become labels.
func (m *metrics) request(a Access) {
	first, _, _ := strings.Cut(strings.TrimPrefix(a.Path, "/"), "/")
	switch first {
	case "assistants", "threads", "runs", "store", "info", "ok", "metrics", "healthz", "readyz", "v1", "a2a", "mcp", "ui":
	default:
		first = "other"
	}
	m.requests.WithLabelValues(first, strconv.Itoa(a.Status)).Inc()
	m.took.WithLabelValues(first).Observe(a.Duration.Seconds())
}

// run counts a run that begins, and returns a function that counts its end.
func (m *metrics) run() func(runs.Run) {
	began := time.Now()
	return func(r runs.Run) {
		m.runs.WithLabelValues(r.Graph, string(r.Status)).Inc()
		m.ran.WithLabelValues(r.Graph).Observe(time.Since(began).Seconds())
	}
}
