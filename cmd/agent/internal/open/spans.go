package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/eval"
	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
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

// newSpans connects to the collector of the settings. It makes no call.
// The client library itself reads further variables, such as OTEL_EXPORTER_OTLP_HEADERS.
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

// Recorder returns the recorder of one run's spans, nil when nobody wants them.
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

// A watchedExporter counts the spans that could not be delivered. Otherwise the library
// would report them on standard error.
type watchedExporter struct {
	sdk.SpanExporter
	mu   sync.Mutex
	lost int
	err  error // the first
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

// tapeName is the file of a case's cassette.
func tapeName(dir string, c eval.Case) string { return filepath.Join(dir, c.Name+".cassette") }

// Tapes is the model of several cases that run at the same time. Each case's calls are
// recorded in, or answered from, a cassette of its own. The context carries the case, so
// that a call of a shared reranker is recorded with the case that made it.
type Tapes struct {
	models  llm.Model       // those of the settings; nil when cassettes answer
	dir     string          // of recordings; empty for none
	label   config.Settings // names the models in recordings
	keys    *Connector
	players map[string]*cassette.Player // by case
}

type tapeKey struct{}

// Generate calls the model of the context's case.
func (t *Tapes) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if m, ok := ctx.Value(tapeKey{}).(llm.Model); ok {
		return m.Generate(ctx, req)
	}
	return llm.Response{}, errors.New("a model was called outside of a case")
}

// Tapes connects the models of cases, or opens the cassettes that answer for them and adds
// the label of their models to the settings. It reports unusable settings before any call.
func (x *Exchange) Tapes(ctx context.Context, cmd *cobra.Command, f *config.Flags, s *config.Settings, cases []eval.Case) (*Tapes, error) {
	recording, replaying := cmd.Flags().Changed("record"), cmd.Flags().Changed("replay")
	switch {
	case recording && replaying:
		return nil, cli.Usagef("--record and --replay are both given; give one")
	case recording && f.Record == "":
		return nil, cli.Usagef("--record is empty: name a directory")
	case replaying && f.Replay == "":
		return nil, cli.Usagef("--replay is empty: name a directory that --record wrote")
	}
	t := &Tapes{dir: f.Record, keys: NewConnector(x.Env, *s)}
	x.given = t
	if replaying {
		return t, t.load(x.App, f.Replay, s, cases)
	}
	var err error
	if t.models, err = x.connect(ctx, *s, t.keys); err != nil {
		return nil, err
	}
	t.label = *s
	for _, c := range cases {
		if t.dir == "" {
			break
		}
		if _, err := os.Lstat(tapeName(t.dir, c)); !errors.Is(err, fs.ErrNotExist) {
			return nil, cmp.Or(err, existsError(tapeName(t.dir, c)))
		}
	}
	return t, nil
}

// load opens the cassettes of all cases.
func (t *Tapes) load(a *cli.App, dir string, s *config.Settings, cases []eval.Case) error {
	t.players = map[string]*cassette.Player{}
	var names []string
	for _, c := range cases {
		player, err := cassette.Replay(tapeName(dir, c))
		if player == nil {
			return cli.Usagef("opening --replay, case %q: %w; --record makes it", c.Name, err)
		}
		if err != nil {
			a.Warn("%v", err) // it was cut
		}
		t.players[c.Name] = player
		if name := cmp.Or(player.Model(), "of a cassette"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	s.Replayed = strings.Join(names, "; ")
	if s.Origins[config.KeyModel].Kind == "flag" {
		s.Replayed = ""
		s.Replayed = s.ModelLabel()
	}
	return nil
}

// Play runs a case with its model.
func (t *Tapes) Play(ctx context.Context, c eval.Case, run func(context.Context) (eval.Run, error)) (eval.Run, error) {
	with := func(m llm.Model) context.Context { return context.WithValue(ctx, tapeKey{}, m) }
	if player := t.players[c.Name]; player != nil {
		out, err := run(with(player))
		if left := player.Unused(); len(left) > 0 {
			out.Faults = append(out.Faults, fmt.Sprintf("recorded calls that were not used: %d, the first %s; this is not the run that was recorded", len(left), left[0]))
		}
		return out, err
	}
	if t.dir == "" {
		return run(with(t.models))
	}
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return eval.Run{}, fmt.Errorf("opening --record: %w", err)
	}
	recorder, err := record(tapeName(t.dir, c), t.label, t.keys)
	if err != nil {
		return eval.Run{}, err
	}
	out, err := run(with(recorder.Wrap(t.models)))
	return out, errors.Join(err, recorder.Close())
}
