package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const help = `Drives a whole installation, breaks it, and prints a report in Markdown.

	go run ./docs/endurance -for 2h -seed 1        SQLite, then PostgreSQL, an hour each
	go run ./docs/endurance -for 10m -store sqlite
	go run ./docs/endurance -for 3m -o report.md   what the checks of this repository run
	go run ./docs/endurance -for 1h -kill=false    one long life of the server

PostgreSQL is named by ASSAY_POSTGRES or -postgres, such as "host=/run/postgresql user=assay
dbname=postgres"; the tables are in a schema of their own, which stays. Temporal is named by
ASSAY_TEST_TEMPORAL or -temporal. What is not there is left out, and the report says so.
Ctrl-C ends it with a report of what was seen. Exit code 1 means that something did not hold.

`

type options struct {
	duration           time.Duration
	seed               uint64
	clients, disk      int
	store, dir, output string
	postgres, temporal string
	out, log           io.Writer
	every              time.Duration
	kill               bool
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "endurance:", err)
		os.Exit(1)
	}
}

// command is the program: it prints the report on out and its progress on log.
func command(ctx context.Context, args []string, out, log io.Writer) error {
	o := options{out: out, log: log}
	flags := flag.NewFlagSet("endurance", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.DurationVar(&o.duration, "for", 3*time.Minute, "how long, all parts together")
	flags.Uint64Var(&o.seed, "seed", 1, "what decides the operations and the faults, but not their timing in the processes")
	flags.IntVar(&o.clients, "clients", 50, "how many clients there are")
	flags.IntVar(&o.disk, "disk", 1024, "the size in MiB of the disk that is filled; 0 for none")
	flags.BoolVar(&o.kill, "kill", true, "kill processes; -kill=false gives the server one long life, whose levels tell more")
	flags.DurationVar(&o.every, "sample", 5*time.Second, "how often levels are looked at")
	flags.StringVar(&o.store, "store", "both", "sqlite, postgres, or both in turn")
	flags.StringVar(&o.postgres, "postgres", os.Getenv("ASSAY_POSTGRES"), "the PostgreSQL server")
	flags.StringVar(&o.temporal, "temporal", os.Getenv("ASSAY_TEST_TEMPORAL"), "HOST:PORT of a Temporal server")
	flags.StringVar(&o.dir, "dir", "", "the folder for everything, which stays; default: one that is removed unless something did not hold. A home on a disk of its own stays only then, as home-kept")
	flags.StringVar(&o.output, "o", "", "the file for the report; default: standard output")
	flags.Usage = func() { fmt.Fprint(log, help); flags.PrintDefaults() }
	if err := flags.Parse(args); err != nil {
		return err
	}
	parts := map[string][]string{"sqlite": {"sqlite"}, "postgres": {"postgres"}, "both": {"sqlite", "postgres"}}[o.store]
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: there are only flags", flags.Arg(0))
	case parts == nil:
		return fmt.Errorf("-store is %q: it can be sqlite, postgres or both", o.store)
	case o.duration <= 0 || o.clients < 1 || o.every <= 0:
		return errors.New("-for, -clients and -sample must be above 0")
	case o.store == "postgres" && o.postgres == "":
		return errors.New("-store postgres needs a server: set -postgres or ASSAY_POSTGRES")
	}
	missing := ""
	if o.store == "both" && o.postgres == "" {
		parts, missing = parts[:1], "\nSkipped: PostgreSQL and Temporal's worker (neither -postgres nor ASSAY_POSTGRES names a server).\n"
	}
	return o.run(ctx, parts, missing)
}

func (o *options) run(ctx context.Context, parts []string, missing string) (err error) {
	dir, wrong := o.dir, 0
	if dir == "" {
		if dir, err = os.MkdirTemp("", "assay-endurance"); err != nil {
			return err
		}
		defer func() {
			if err == nil {
				err = os.RemoveAll(dir)
			}
		}()
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	fmt.Fprintln(o.log, "building the command")
	agent := filepath.Join(dir, "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", agent, "example.com/assay/cmd/agent").CombinedOutput(); err != nil {
		return fmt.Errorf("building the command: %w: %s", err, text)
	}
	if o.output != "" {
		f, err := os.Create(o.output)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		o.out = f
	}
	fmt.Fprintf(o.out, "# Endurance\n\nSeed %d, %v asked for, %d clients, %s/%s, %d processors, %s.\n%s", o.seed, o.duration, o.clients, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), missing)
	for _, name := range parts {
		if ctx.Err() != nil {
			break
		}
		r, err := o.part(ctx, agent, name, filepath.Join(dir, name), o.duration/time.Duration(len(parts)))
		if r.write(o.out); err != nil {
			return err
		}
		wrong += len(r.violations)
	}
	if wrong > 0 {
		return fmt.Errorf("%d violations; logs and databases are in %s", wrong, dir)
	}
	return nil
}

// part drives one installation.
func (o *options) part(ctx context.Context, agent, store, dir string, span time.Duration) (r *report, err error) {
	r = newReport(store, dir, o.log)
	working, stop := context.WithCancel(ctx)
	defer stop()
	in := &installation{
		ctx: working, report: r, agent: agent, dir: dir, home: filepath.Join(dir, "home"), temp: filepath.Join(dir, "tmp"), docs: filepath.Join(dir, "docs"),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * o.clients}},
		began:  time.Now(), random: rand.New(rand.NewPCG(o.seed, 0)), busy: map[string]time.Time{},
		killing: o.kill,
	}
	if !o.kill {
		in.skip("SIGKILL", "-kill=false: only at the end")
	}
	if store == "postgres" {
		d, err := parse(o.postgres)
		if err != nil {
			return r, fmt.Errorf("reading the address of PostgreSQL: %w", err)
		}
		if in.db, err = newProxy(d); err != nil {
			return r, err
		}
		in.schema = fmt.Sprintf("endurance_%d_%d", o.seed, time.Now().Unix())
		in.store = d.through(in.db.listener.Addr().String(), in.schema)
		in.note("the schema is %s", in.schema)
	}
	if in.temporal = o.temporal; in.db == nil || in.temporal == "" {
		in.temporal = ""
		r.skip("SIGKILL of the worker", cmp.Or(map[bool]string{true: "a worker needs PostgreSQL"}[in.db == nil], "no worker ran: neither -temporal nor ASSAY_TEST_TEMPORAL names a Temporal server"))
	}
	defer func() {
		stop()
		in.close()
		r.ended(in.lives)
	}()
	if err := in.open(o.disk); err != nil {
		return r, err
	}
	clients := make([]*client, o.clients)
	var all sync.WaitGroup
	for i := range clients {
		clients[i] = &client{installation: in, name: fmt.Sprintf("c%d", i), random: rand.New(rand.NewPCG(o.seed, uint64(i)+1)), threads: map[string]*thread{}}
		all.Go(clients[i].live)
	}
	all.Go(in.ingestAll)
	all.Go(func() { in.watch(o.every) })
	if in.worker != nil {
		all.Go(in.workAll)
	}
	in.breakAll(time.Now().Add(span))
	stopped := ctx.Err() != nil
	stop()
	all.Wait()
	if stopped {
		return r, nil
	}
	in.note("the last look: the server is killed once more, and each thread is read")
	in.ctx = context.WithoutCancel(ctx)
	ready, err := in.killServer()
	in.broke("SIGKILL of the server", ready, 0)
	if err != nil {
		in.violate("end", "", "%v", err)
		return r, nil
	}
	for _, c := range clients {
		for _, t := range c.threads {
			if t.made {
				c.audit(t)
			}
		}
	}
	return r, nil
}
