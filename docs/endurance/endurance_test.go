package endurance

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/internal/pgtest"
)

var (
	span    = flag.Duration("for", 0, "how long each store is driven; 0 drives none")
	seed    = flag.Uint64("seed", 1, "what decides the operations and the faults, but not their timing in the processes")
	killing = flag.Bool("kill", true, "kill processes; -kill=false gives the server one long life, whose levels tell more")
)

const (
	clients = 50
	disk    = 1024 // MiB of the disk that is filled
	every   = 5 * time.Second
)

// TestEndurance drives an installation over SQLite and one over PostgreSQL, and prints a report in
// Markdown for each. Logs and databases of an installation in which something did not hold stay.
func TestEndurance(t *testing.T) {
	if *span == 0 {
		t.Skip("-for says how long an installation is driven and broken")
	}
	agent := filepath.Join(t.TempDir(), "agent")
	if text, err := exec.Command("go", "build", "-o", agent, "example.com/assay/cmd/agent").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v: %s", err, text)
	}
	fmt.Printf("# Endurance\n\nSeed %d, %v each, %d clients, %s/%s, %d processors, %s.\n", *seed, *span, clients, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) { drive(t, agent, store) })
	}
}

// drive drives one installation.
func drive(t *testing.T, agent, store string) {
	schema := fmt.Sprintf("endurance_%d_%d", *seed, time.Now().Unix())
	var wire *pgtest.Wire
	var database string
	if store == "postgres" {
		wire, database = wired(t, schema)
	}
	dir, err := os.MkdirTemp("", "assay-endurance")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt) // which ends it with a report
	defer stop()
	in := &installation{
		ctx: ctx, report: newReport(store, dir), agent: agent, dir: dir,
		home: filepath.Join(dir, "home"), temp: filepath.Join(dir, "tmp"), docs: filepath.Join(dir, "docs"),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * clients}},
		began:  time.Now(), random: rand.New(rand.NewPCG(*seed, 0)), busy: map[string]time.Time{},
	}
	if !*killing {
		in.skip("SIGKILL", "-kill=false: only at the end")
	}
	if in.db, in.store = wire, database; wire != nil {
		in.note("the schema is %s", schema)
		in.temporal = os.Getenv("ASSAY_TEST_TEMPORAL")
	}
	if in.temporal == "" {
		in.skip("SIGKILL of the worker", cmp.Or(map[bool]string{true: "a worker needs PostgreSQL"}[in.db == nil], "ASSAY_TEST_TEMPORAL names no Temporal server"))
	}
	err = in.work(t)
	stop()
	in.close()
	in.ended(in.lives)
	in.write(os.Stdout)
	if err != nil || len(in.violations) > 0 {
		t.Fatalf("%d violations, %v; logs and databases are in %s", len(in.violations), err, dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// wired returns a wire to PostgreSQL, and the URL of a schema behind it.
func wired(t *testing.T, schema string) (*pgtest.Wire, string) {
	u, err := url.Parse(pgtest.URL(t, schema))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	host, port := query.Get("host"), query.Get("port")
	network, server := "tcp", net.JoinHostPort(host, port)
	if strings.HasPrefix(host, "/") {
		network, server = "unix", filepath.Join(host, ".s.PGSQL."+port)
	}
	wire := pgtest.NewWire(t, network, server)
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	query.Set("connect_timeout", "5")
	u.Host, u.RawQuery = wire.Addr, query.Encode()
	return wire, u.String()
}

// work lets the clients work and breaks one thing after the other. At the end it kills the server
// once more and reads each thread.
func (in *installation) work(t *testing.T) error {
	if err := in.open(); err != nil {
		return err
	}
	asked := in.ctx
	working, stop := context.WithCancel(asked)
	defer stop()
	in.ctx = working
	list := make([]*client, clients)
	var all sync.WaitGroup
	for i := range list {
		list[i] = &client{installation: in, name: fmt.Sprintf("c%d", i), random: rand.New(rand.NewPCG(*seed, uint64(i)+1)), threads: map[string]*thread{}}
		all.Go(list[i].live)
	}
	all.Go(in.ingestAll)
	all.Go(func() { in.watch(every) })
	if in.worker != nil {
		all.Go(in.workAll)
	}
	in.breakAll(time.Now().Add(*span))
	stop()
	all.Wait()
	if asked.Err() != nil {
		return nil // it was interrupted
	}
	in.note("the last look: the server is killed once more, and each thread is read")
	in.ctx = t.Context()
	ready, err := in.killServer()
	in.broke("SIGKILL of the server", ready, 0)
	if err != nil {
		return err
	}
	for _, c := range list {
		for _, t := range c.threads {
			if t.made {
				c.audit(t)
			}
		}
	}
	return nil
}
