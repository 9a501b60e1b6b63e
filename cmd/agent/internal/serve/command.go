// Package serve is agent serve and agent mcp: the pipelines behind the wires of LangGraph's clients,
// chat clients and assistants.
//
//	agent serve --corpus handbook --origin http://localhost:3000
//
// The wires, runs and pages are packages below serve; this one opens what they serve, for each
// tenant.
package serve

import (
	"crypto/tls"
	"time"
	_ "time/tzdata" // crons have zones, and a container may have no files of them

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/serve/runs"
	"example.com/assay/skills"
)

// Command is agent serve.
func Command(a *cli.App, version string) *cobra.Command {
	var asked bool
	var flags config.Flags
	s := &server{App: a, version: version}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the agent and the pipelines to LangGraph's clients, to chat clients and to assistants",
		Long: `Serve puts the agent of agent chat and the pipelines (agent graph lists them) behind the
wire that clients of LangGraph speak: its SDK, useStream, agent-chat-ui, RemoteGraph.
Assistants have the pipelines as tools at /mcp. Threads, runs and their events are kept, so that a client may leave and
come back, and a server that was killed goes on with its runs when it starts again.

A caller needs the token, which is made at the first start. With --tenants each token has
its own threads and memory, and the corpora that the file names. With --oidc-issuer
callers have tokens of your own sign-in. Papers whose fields are read on the page are
kept in ASSAY_HOME/papers. Nothing else that is served writes files or corpora, unless
--allow-upload lets the page take files.

Its page shows runs while they go on and afterwards, with the evidence of each answer. With
--allow-write it edits states and runs again from them.

On SIGTERM or Ctrl-C the server takes no more runs. Running ones stop after their current
step, and the next start continues them.`,
		Example: `  agent serve --open
  agent serve --corpus handbook --origin http://localhost:3000
  agent serve --addr 0.0.0.0:443 --host assay.example.com --tls-cert cert.pem --tls-key key.pem --tenants tenants.yaml
  agent serve --oidc-issuer https://login.example.com --oidc-audience assay --tenant-per-minute 30
  agent serve --check`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := config.Resolve(a, cmd, &flags)
			if err != nil {
				return err
			}
			s.settings, s.timeout = settings, flags.Timeout
			if err := s.checkFlags(cmd); err != nil {
				return err
			}
			if asked {
				return s.ping(cmd.Context())
			}
			if s.check {
				return s.examine(cmd.Context())
			}
			return s.run(cmd.Context())
		},
	}
	flags.Register(cmd, true)
	flags.RegisterTimeout(cmd)
	s.register(cmd)
	f := cmd.Flags()
	f.StringVar(&s.addr, "addr", "127.0.0.1:2024", "`HOST:PORT` to listen on")
	f.StringArrayVar(&s.hosts, "host", nil, "`NAME` under which callers reach the server, besides localhost; may be repeated")
	f.StringArrayVar(&s.origins, "origin", nil, "`URL` of a page that may call from a browser, such as http://localhost:3000; may be repeated")
	f.StringVar(&s.cert, "tls-cert", "", "`FILE` with the certificate (PEM); serves HTTPS")
	f.StringVar(&s.key, "tls-key", "", "`FILE` with the certificate's key (PEM)")
	f.IntVar(&s.atOnce, "at-once", 8, "how many runs go on at the same time")
	f.DurationVar(&s.keep, "keep", 7*24*time.Hour, "how long runs that have ended are kept with their events, a `DURATION`")
	f.DurationVar(&s.threadTTL, "thread-ttl", 0, "how long a new thread is kept without a run or an edit, a `DURATION` such as 720h; callers may choose another; by default it stays")
	f.StringArrayVar(&s.hooks, "webhook-host", nil, "`NAME` or address inside the network that webhooks may call, such as hooks.example.com; may be repeated")
	f.StringVar(&s.hookSecret, "webhook-secret-file", "", "`FILE` with the secret that signs the calls of webhooks; by default they are not signed")
	f.DurationVar(&s.drain, "drain", 30*time.Second, "how long to wait for the current steps when the server is stopped, a `DURATION`")
	f.BoolVar(&s.write, "allow-write", false, "let the page change what has happened: edit states, fork threads, run again with another prompt, forget")
	f.BoolVar(&s.uploading, "allow-upload", false, "let the page add files to corpora, and remove those; with --tenants only to a corpus that one tenant alone may read")
	f.IntVar(&s.uploadMiB, "upload-mib", 1024, "with --allow-upload, how many MiB of files are kept for a corpus")
	f.BoolVar(&s.strict, "strict", false, "refuse fields, channels and settings that the server does not know, with status 422; by default they are kept with the run")
	f.StringVar(&s.evals, "evals", "", "`DIR` with results of agent eval cases, files of --json or folders of --out, that the page shows over time; without --tenants, by default what --keep keeps")
	f.BoolVar(&s.browser, "open", false, "open the page in the browser, signed in")
	f.BoolVar(&asked, "ping", false, "ask the server that listens on --addr whether it is ready: exit code 0 or 1")
	f.BoolVar(&s.check, "check", false, "say what would keep the server from starting, and do not start it")
	return cmd
}

// A server is one run of agent serve.
type server struct {
	*cli.App
	settings config.Settings
	version  string
	timeout  time.Duration
	callers
	addr       string
	hosts      []string
	own        bool // only this machine reaches it
	origins    []string
	cert, key  string
	pairs      []tls.Certificate // nil for plain HTTP
	atOnce     int
	keep       time.Duration
	threadTTL  time.Duration
	hooks      []string
	hookSecret string
	secret     []byte // what hookSecret has
	drain      time.Duration
	write      bool
	uploading  bool // the page takes files
	uploadMiB  int
	strict     bool
	evals      string
	check      bool
	browser    bool // open it

	exchange *open.Exchange
	desks    *desks
	set      *skills.Set
	tenants  []tenant // never empty
	closers  []func() error
	sample   bool // the embedded sample answers
	runs     *runs.Manager
	placings placings
}
