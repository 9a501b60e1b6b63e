package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/mcp"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph/store"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/verify"
	"example.com/assay/serve"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

func (s *server) checkFlags(cmd *cobra.Command) error {
	host, _, err := net.SplitHostPort(s.addr)
	own := host == "localhost" || net.ParseIP(host).IsLoopback()
	switch {
	case err != nil:
		return cli.Usagef("--addr is %q: it must be HOST:PORT, such as 127.0.0.1:2024", s.addr)
	case (s.cert == "") != (s.key == ""):
		return cli.Usagef("--tls-cert and --tls-key belong together: give both")
	case s.uploadMiB < 1 || s.uploadMiB > 1<<20:
		return cli.Usagef("--upload-mib is %d: it must be from 1 to %d", s.uploadMiB, 1<<20)
	case cmd.Flags().Changed("upload-mib") && !s.uploading:
		return cli.Usagef("--upload-mib needs --allow-upload")
	case s.atOnce < 1:
		return cli.Usagef("--at-once is %d: it must be at least 1", s.atOnce)
	case s.keep <= 0 || s.drain < 0:
		return cli.Usagef("--keep must be above 0, --drain not below")
	case s.threadTTL < 0:
		return cli.Usagef("--thread-ttl is %s: it must be above 0", s.threadTTL)
	}
	if s.hookSecret != "" {
		data, err := os.ReadFile(s.hookSecret)
		if s.secret = bytes.TrimSpace(data); err != nil || len(s.secret) < 16 {
			return cli.Usagef("--webhook-secret-file is %q: it must be a file with 16 letters or more", s.hookSecret)
		}
	}
	s.own = own && len(s.hosts) == 0
	if err := s.callers.check(cmd, s.addr, own); err != nil {
		return err
	}
	if s.evals != "" {
		if info, err := os.Stat(s.evals); err != nil || !info.IsDir() {
			return cli.Usagef("--evals is %q: it must be a folder; agent eval cases --out makes one", s.evals)
		}
	}
	if s.tokens == "" {
		s.tokens = filepath.Join(s.settings.Home, "serve.token")
	}
	s.tokens = filepath.Clean(s.tokens)
	if s.cert != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return cli.Usagef("--tls-cert and --tls-key: %w", err)
		}
		s.pairs = []tls.Certificate{pair}
	}
	return nil
}

// prepare opens everything that the server needs except the socket. The method close closes it, also
// after an error.
func (s *server) prepare(ctx context.Context, log zerolog.Logger) (options serve.Options, err error) {
	if err := os.MkdirAll(s.settings.Home, 0o700); err != nil {
		return options, err
	}
	if s.tenants, err = s.callers.read(); err != nil {
		return options, err
	}
	if err := s.openDesks(); err != nil {
		return options, err
	}
	graphs, err := s.graphs(ctx)
	if err != nil {
		return options, err
	}
	kept := s.exchange.Store
	threads, err := kept.Threads(ctx)
	if err != nil {
		return options, err
	}
	s.closers = append(s.closers, threads.Close)
	records, err := kept.Served(ctx, nil)
	if err != nil {
		return options, err
	}
	s.closers = append(s.closers, records.Close)
	items, err := s.items(ctx)
	if err != nil {
		return options, err
	}
	events, err := kept.Events(ctx)
	if err != nil {
		return options, err
	}
	s.closers = append(s.closers, events.Close)
	options = serve.Options{
		Graphs: graphs, Checkpointer: threads, Store: records, Items: items, Log: events, Hosts: s.hosts, Origins: s.origins, Version: s.version, Strict: s.strict,
		Runs: runs.Options{
			AtOnce: s.atOnce, Keep: s.keep, Timeout: s.timeout, ThreadTTL: s.threadTTL, WebhookHosts: s.hooks, WebhookSecret: s.secret,
			Warn: func(err error) { log.Warn().Err(err).Msg("serving") },
		},
		Access: func(a serve.Access) { accessed(log, a) },
		Page:   s.page(),
	}
	tools := s.mounting(mcp.Options{Host: host{s}, Space: func(tenant string) (*runs.Space, error) { return s.runs.Space(tenant), nil }})
	options.MCP = &tools
	if err := s.admit(ctx, &options, s.tenants); err != nil {
		return options, err
	}
	return options, options.Check()
}

// items opens the callers' memory. The encoder finds items by meaning.
func (s *server) items(ctx context.Context) (store.Store, error) {
	m, err := open.Encoder(s.settings)
	if m == nil || err != nil {
		return nil, err
	}
	items, err := s.exchange.Store.Served(ctx, m)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, items.Close)
	return items, nil
}

// openDesks opens the exchange, the desks and the skills.
func (s *server) openDesks() (err error) {
	s.exchange = open.PlainExchange(s.App, s.settings)
	s.closers = append(s.closers, s.exchange.Close)
	s.desks = newDesks(s.App, s.settings, s.exchange)
	s.closers = append(s.closers, s.desks.close)
	s.set, err = s.settings.LoadSkills()
	return err
}

// page returns the options of the page. Results of cases hold questions and answers of the person
// who ran them: with tenants, the page shows them only if --evals names a folder.
func (s *server) page() *page.Options {
	o := &page.Options{
		Write: s.write, HowToWrite: "This server changes nothing that has happened: start it with --allow-write.",
		HowToUpload: "Files are added here when the server is started with --allow-upload. Until then, agent ingest adds them.",
		TokenFile:   s.tokenFile(), HowToEnter: s.howToEnter(),
		Checker: verify.About().Name,
		Usual:   open.Usual, Corpora: corpora{s}, Memory: answers{s}, Skills: s.skills, Proof: s.proof,
		Extractor: extract.About().Name, Papers: &papers{server: s},
	}
	questions := newOffers(s)
	o.Examples, s.closers = questions.examples, append(s.closers, questions.close)
	if s.uploading {
		up := newUploads(s)
		o.Uploads, s.closers = up, append(s.closers, up.close)
	}
	if s.evals == "" && !s.shared() {
		s.evals = open.ResultsDir(s.settings.Home)
	}
	if s.evals != "" {
		o.Evals = &results{dir: s.evals}
	}
	return o
}

func (s *server) close() error {
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = cli.Also(err, s.closers[i]())
	}
	return err
}

// accessed logs a request.
func accessed(log zerolog.Logger, a serve.Access) {
	line := log.Info().Str("id", a.ID).Str("tenant", a.Tenant)
	if a.Subject != "" {
		line.Str("subject", a.Subject)
	}
	line.Str("method", a.Method).Str("path", a.Path).Int("status", a.Status).
		Int64("bytes", a.Bytes).Float64("ms", cli.Milliseconds(a.Duration)).Str("remote", a.Remote).Msg("request")
}

// logger writes lines for people on a terminal, and JSON elsewhere.
func (s *server) logger() zerolog.Logger {
	if s.Stderr.TTY {
		return zerolog.New(zerolog.ConsoleWriter{Out: s.Stderr, NoColor: !s.Stderr.Colour, TimeFormat: time.TimeOnly}).With().Timestamp().Logger()
	}
	return zerolog.New(s.Stderr).With().Timestamp().Logger()
}

func (s *server) run(ctx context.Context) (err error) {
	defer func() { err = cli.Also(err, s.close()) }()
	listener, err := s.listen(ctx)
	if err != nil {
		return err
	}
	o, err := s.serve(ctx)
	if err != nil {
		return cli.Also(err, listener.Close())
	}
	web := o.HTTP()
	served := make(chan error, 1)
	go func() {
		if s.pairs != nil {
			web.TLSConfig = &tls.Config{Certificates: s.pairs}
			served <- web.ServeTLS(listener, "", "")
		} else {
			served <- web.Serve(listener)
		}
	}()
	link := s.link(listener.Addr().String(), o)
	s.greet(listener.Addr().String(), link)
	opened := s.browse(link)
	for ctx.Err() == nil {
		select {
		case err := <-opened:
			s.unopened(err)
			opened = nil
		case err = <-served:
			stop(o, s.drain)
			return err
		case <-ctx.Done():
		}
	}
	fmt.Fprintf(s.Stderr, "agent: stopping: runs stop after their current step, within %s\n", s.drain)
	stop(o, s.drain)
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := web.Shutdown(late); err != nil { // there are streams of runs in other processes
		if err := web.Close(); err != nil {
			s.Warn("closing connections: %v", err)
		}
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serve opens the server, without its socket.
func (s *server) serve(ctx context.Context) (*serve.Server, error) {
	options, err := s.prepare(ctx, s.logger())
	if err != nil {
		return nil, err
	}
	o, err := serve.New(ctx, options)
	if err == nil {
		s.runs = o.Runs()
	}
	return o, err
}

// stop ends what the server does, without its socket.
func stop(o *serve.Server, drain time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	o.Close(ctx)
}

// listen opens the socket, or takes the one that systemd has opened.
func (s *server) listen(ctx context.Context) (net.Listener, error) {
	if inherited, err := activated(s.Env); inherited != nil || err != nil {
		return inherited, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return nil, cli.Usagef("listening on %s: %w; choose another with --addr", s.addr, err)
	}
	return l, nil
}

// greet prints what is served, where, and how to call it.
func (s *server) greet(addr, link string) {
	scheme, names := "http", []string(nil)
	if s.pairs != nil {
		scheme = "https"
	}
	for _, p := range append(open.Pipelines(), theAgent) {
		names = append(names, p.Name)
	}
	base := scheme + "://" + addr
	kept := "in " + s.settings.Home
	if s.settings.Store.Shown != "" {
		kept = "in " + s.settings.Store.Shown
	}
	fmt.Fprintf(s.Stdout, "serving %s on %s\ncorpus %s, model %s, kept %s\n", strings.Join(names, ", "), base, s.settings.Corpus, s.settings.ModelLabel(), kept)
	s.greetPage(link)
	key := s.callers.greet(s.App, len(s.tenants))
	question := "Your question"
	if s.sample {
		question = "What must a plaintiff prove for battery?"
	}
	fmt.Fprintf(s.Stdout, "\ncurl -s %s/runs/wait%s -d '{\"assistant_id\":\"research\",\"input\":{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}}'\n\n", base, key, question)
}

// ping asks the server at --addr whether it is ready, for containers without another client.
func (s *server) ping(ctx context.Context) error {
	if s.cert != "" {
		return cli.Usagef("--ping asks without TLS: leave --tls-cert out")
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+"/readyz", nil)
	if err != nil {
		return cli.Usagef("--addr is %q: %w", s.addr, err)
	}
	request.Host = "localhost"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking the server: %w", err)
	}
	if err := response.Body.Close(); err != nil {
		return fmt.Errorf("asking the server: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not ready: %s", s.addr, response.Status)
	}
	fmt.Fprintf(s.Stdout, "ready: %s\n", s.addr)
	return nil
}
