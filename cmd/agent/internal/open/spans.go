package open

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/telemetry"
)

// exportTimeout bounds how long the end of the program waits for a collector.
const exportTimeout = 5 * time.Second

// spans sends spans to a collector. Nil sends nothing.
type spans struct {
	provider *sdk.TracerProvider
	exporter *watchedExporter
	content  bool
}

// newSpans connects to the collector of the settings. It makes no call. The library itself reads
// further variables, such as OTEL_EXPORTER_OTLP_HEADERS.
func newSpans(ctx context.Context, s config.Settings) (*spans, error) {
	if s.Telemetry.Endpoint == "" {
		return nil, nil
	}
	base, err := url.Parse(s.Telemetry.Endpoint)
	if err != nil {
		return nil, cli.Usagef("opening the telemetry: %w", err)
	}
	client, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(base.JoinPath("v1", "traces").String()),
		otlptracehttp.WithTimeout(exportTimeout),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: 200 * time.Millisecond, MaxInterval: time.Second, MaxElapsedTime: 3 * time.Second}))
	if err != nil {
		return nil, fmt.Errorf("opening the telemetry: %w", err)
	}
	exporter := &watchedExporter{SpanExporter: client}
	return &spans{
		exporter: exporter, content: s.Telemetry.Content,
		provider: sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "assay")))),
	}, nil
}

// Recorder returns the recorder of one run's spans, nil without a collector.
func (d *Desk) Recorder(ctx context.Context, runID string) *telemetry.Recorder {
	if d.spans == nil {
		return nil
	}
	o := &telemetry.Options{Content: d.spans.content, RunID: runID}
	if d.Corpus != nil {
		o.Corpus = d.Corpus.Name()
	}
	return telemetry.NewRecorder(ctx, d.spans.provider.Tracer("example.com/assay/telemetry"), o)
}

// close sends the remaining spans, even after an interrupt. The error says why spans were
// lost.
func (t *spans) close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	t.exporter.mu.Lock()
	defer t.exporter.mu.Unlock()
	if t.exporter.lost > 0 || err != nil {
		return fmt.Errorf("sending spans to the collector: %s lost: %w", cli.Count(t.exporter.lost, "span"), undelivered(errors.Join(t.exporter.err, err)))
	}
	return nil
}

// undelivered says why spans were lost. It leaves out the collector's own words, which may
// repeat the headers of the request.
func undelivered(err error) error {
	if at, ok := errors.AsType[*net.OpError](err); ok {
		return at
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("there was no answer within %v", exportTimeout)
	}
	return errors.New("it does not accept them (check telemetry.endpoint and OTEL_EXPORTER_OTLP_HEADERS)")
}

// A watchedExporter counts the spans that could not be delivered. Without it the library would
// report them on standard error.
type watchedExporter struct {
	sdk.SpanExporter
	mu   sync.Mutex
	lost int
	err  error // the first error
}

func (w *watchedExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.lost += len(spans); w.err == nil {
			w.err = err
		}
	}
	return nil
}
