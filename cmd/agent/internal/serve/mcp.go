package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/mcp"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	notes "example.com/assay/graph/store/sqlite"
	"example.com/assay/memory"
	mount "example.com/assay/serve/mcp"
	"example.com/assay/serve/runs"
)

func (p *piped) run(ctx context.Context) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o := mcp.Options{Host: host{p.server}, Durability: graph.DurabilityExit} // no page shows the steps of these runs
	if p.root != "" {
		if o.Files, err = mcp.OpenFiles(p.root); err != nil {
			return cli.Usagef("--root: %w", err)
		}
		p.closers = append(p.closers, o.Files.Close)
	}
	if p.write {
		o.Ingest = p.ingest
	}
	defer func() { err = cli.Also(err, p.close()) }()
	if err := os.MkdirAll(p.settings.Home, 0o700); err != nil {
		return err
	}
	if err := p.openDesks(); err != nil {
		return err
	}
	manager := sync.OnceValues(func() (*runs.Manager, error) { return p.manager(context.WithoutCancel(ctx)) }) // opened with the first run
	o.Space = func(tenant string) (*runs.Space, error) {
		m, err := manager()
		if err != nil {
			return nil, err
		}
		return m.Space(tenant), nil
	}
	m, err := mount.New(p.mounting(o))
	if err != nil {
		return err
	}
	if cli.IsTerminal(p.Stdin) {
		p.Warn("this command speaks MCP with the assistant that starts it; docs/mcp.md says how to configure yours")
	}
	in, ok := p.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(p.Stdin)
	}
	return m.Serve(ctx, runs.DefaultTenant, in, kept{p.Stdout.To})
}

// kept is an output that Close leaves open.
type kept struct{ io.Writer }

func (kept) Close() error { return nil }

// manager opens the manager of runs. It keeps them in its own files, since agent serve goes on with
// all runs in its files when it starts.
func (p *piped) manager(ctx context.Context) (*runs.Manager, error) {
	folder := filepath.Join(p.settings.Home, "mcp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	graphs, err := p.graphs(ctx)
	if err != nil {
		return nil, err
	}
	threads, err := sqlite.Open(ctx, filepath.Join(folder, "threads.db"), nil)
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, threads.Close)
	records, err := notes.Open(ctx, filepath.Join(folder, "runs.db"), nil)
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, records.Close)
	events, err := eventlog.OpenFile(ctx, filepath.Join(folder, "events.db"))
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, events.Close)
	m, err := runs.Open(ctx, graphs, runs.Options{
		Checkpointer: threads, Store: records, Log: events, Timeout: p.timeout, Keep: keptFor, Now: p.Now, Warn: func(err error) { p.Warn("%v", err) },
	})
	if err != nil {
		return nil, err
	}
	sweeping, stop := context.WithCancel(ctx)
	var swept sync.WaitGroup
	swept.Go(func() { p.sweep(sweeping, m.Space(runs.DefaultTenant)) })
	p.closers = append(p.closers, func() error {
		stop()
		swept.Wait()
		m.Close(sweeping) // at once: nobody waits for running runs
		return nil
	})
	return m, nil
}

// keptFor is the time for which an answer is kept.
const keptFor = 7 * 24 * time.Hour

// sweep removes the runs of old questions.
func (p *piped) sweep(ctx context.Context, space *runs.Space) {
	all, err := space.Find(ctx, runs.ThreadQuery{})
	for _, t := range all {
		if err == nil && t.Status != runs.Busy && p.Now().Sub(t.Updated) > keptFor {
			err = space.DeleteThread(ctx, t.ID)
		}
	}
	if err != nil && ctx.Err() == nil {
		p.Warn("removing old answers: %v", err)
	}
}

// ingest reads files into a corpus.
func (p *piped) ingest(ctx context.Context, corpus string, paths []string, progress func(phase string, done, total int)) (memory.Report, error) {
	if corpus == open.SampleCorpus || corpus == open.CountyCorpus {
		return memory.Report{}, fmt.Errorf("the corpus %q is the embedded sample: choose another name", corpus)
	}
	if err := config.CheckCorpus("corpus", corpus); err != nil {
		return memory.Report{}, err
	}
	s := p.settings
	s.Corpus = corpus
	found, err := open.NewEmbedder(ctx, p.App, s, p.exchange)
	if err != nil {
		return memory.Report{}, err
	}
	report, err := found.Ingest(ctx, memory.IngestOptions{
		Home: s.Home, Corpus: corpus, Paths: paths, Progress: progress, BM25: s.BM25, Index: s.Index, Servers: config.Servers(p.Env),
	}, nil)
	return report, errors.Join(err, found.Close())
}

// mounting returns what the server offers to assistants.
func (s *server) mounting(o mcp.Options) mount.Options {
	o.Pipelines = open.Abouts()
	return mount.Options{
		Name: "assay", Title: "Assay", Version: s.version, Instructions: mcp.Instructions,
		Tools: mcp.Tools(o), Library: mcp.NewLibrary(o), Prompts: mcp.Prompts(o.Pipelines), Pages: mcp.Pages(),
		Space: func(_ context.Context, tenant string) (*runs.Space, error) { return o.Space(tenant) },
	}
}

// host opens corpora for tools.
type host struct{ *server }

// Corpora implements mcp.Host.
func (h host) Corpora(name string) ([]memory.CorpusInfo, error) {
	t, err := h.tenant(name)
	if err != nil {
		return nil, err
	}
	list, err := h.readable(t)
	for i := range list {
		list[i].Fault = h.told(list[i].Fault)
		if list[i].Generation == "" && list[i].Name == config.DefaultCorpus {
			list[i].Fault = "" // the sample answers for it
		}
	}
	return list, err
}

// Corpus implements mcp.Host.
func (h host) Corpus(ctx context.Context, name, corpus string) (*memory.Corpus, func() error, error) {
	t, err := h.tenant(name)
	if err != nil {
		return nil, nil, err
	}
	var chosen json.RawMessage
	if corpus != "" {
		chosen, _ = json.Marshal(corpus) // a string can be encoded
	}
	at := place{tenant: t.owner()}
	if at.corpus, err = t.corpus(chosen, h.settings.Corpus); err != nil {
		return nil, nil, err
	}
	d, err := h.desks.take(ctx, at)
	if err != nil {
		return nil, nil, h.fault(fmt.Sprintf("opening corpus %q", at.corpus), err)
	}
	return d.Corpus, d.release, nil
}

// Fault implements mcp.Host.
func (h host) Fault(doing string, err error) error { return h.fault(doing, err) }
