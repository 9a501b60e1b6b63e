//go:build linux

package temporal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
	"example.com/assay/internal/pgtest"
)

var minutes = flag.Int("minutes", 10, "how long TestKilledServers begins runs, with -scale")

// A program is a process that is started again whenever it ends.
type program struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	done bool
}

func keepRunning(t *testing.T, start func() *exec.Cmd) *program {
	t.Helper()
	p := &program{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			p.mu.Lock()
			if p.done {
				p.mu.Unlock()
				return
			}
			p.cmd = start()
			err := p.cmd.Start()
			p.mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			_ = p.cmd.Wait() // it was killed
			time.Sleep(time.Second)
		}
	}()
	t.Cleanup(func() {
		p.mu.Lock()
		p.done = true
		p.mu.Unlock()
		p.kill()
		<-ended
	})
	return p
}

func (p *program) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Kill()
	}
}

// Twenty runs at a time on three workers, while a worker, the Temporal server or
// PostgreSQL is killed with -9 every 20 seconds and started again, and once the network
// between the workers and Temporal is cut for 30 seconds: all runs end, and nothing that
// was recorded is made again.
func TestKilledServers(t *testing.T) {
	if !*scale {
		t.Skip("without -scale")
	}
	const port, atOnce = "7242", 20
	folder, ctx := t.TempDir(), t.Context()
	pg := pgtest.NewServer(t)
	server := keepRunning(t, func() *exec.Cmd {
		return exec.Command("../../.ci/temporal", port, filepath.Join(folder, "temporal.db"))
	})
	wire := pgtest.NewWire(t, "tcp", "127.0.0.1:"+port)
	var conn client.Client
	patiently(t, 5*time.Minute, "reaching Temporal", func() (err error) {
		conn, err = client.Dial(client.Options{HostPort: "127.0.0.1:" + port, Logger: temporaltest.Silent()})
		return err
	})
	defer conn.Close()
	patiently(t, time.Minute, "making attributes", func() error { return temporal.MakeAttributes(ctx, conn, client.DefaultNamespace) })
	var workers []*program
	for range 3 {
		workers = append(workers, keepRunning(t, func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), envQueue+"=kill", envGraph+"=effects", envFolder+"="+folder, temporaltest.Variable+"="+wire.Addr, "ASSAY_POSTGRES="+pg.Address)
			return cmd
		}))
	}
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: "kill"})
	until := time.Now().Add(time.Duration(*minutes) * time.Minute)
	var group sync.WaitGroup
	var mu sync.Mutex
	var threads []string
	for slot := range atOnce {
		group.Go(func() {
			for n := 0; time.Now().Before(until); n++ {
				thread := fmt.Sprintf("run-%d-%d", slot, n)
				mu.Lock()
				threads = append(threads, thread)
				mu.Unlock()
				patiently(t, 5*time.Minute, "starting", func() error {
					err := c.Start(ctx, temporal.Run{Graph: "effects", Thread: thread, Input: encoded(t, update{who.Add(thread)})})
					if errors.Is(err, graph.ErrThreadBusy) { // the answer to the first start was lost
						return nil
					}
					return err
				})
				patiently(t, 5*time.Minute, "waiting for "+thread, func() error {
					s, err := c.Wait(ctx, thread)
					if err == nil && s.Phase != temporal.Ended {
						t.Errorf("%s: %+v", thread, s)
					}
					return err
				})
			}
		})
	}
	kills := 0
	for time.Now().Before(until) {
		time.Sleep(20 * time.Second)
		switch kills++; {
		case kills == 5:
			wire.Cut(true)
			time.Sleep(30 * time.Second)
			wire.Cut(false)
		case kills%3 == 0:
			pg.Kill(t)
			time.Sleep(time.Second)
			pg.Start(t)
		case kills%3 == 1:
			workers[kills%len(workers)].kill()
		default:
			server.kill()
		}
	}
	group.Wait()
	pool, err := pgxpool.New(ctx, pg.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	saver, err := postgres.New(ctx, pool, &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer saver.Close()
	app := compile(t, effects(folder), graph.CompileOptions{Name: "effects", Checkpointer: saver})
	longest := time.Duration(0)
	for _, thread := range threads {
		at, err := app.State(ctx, graph.Key{Thread: thread})
		if err != nil || strings.Join(at.State.Log, " ") != "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9" {
			t.Errorf("%s: log %q, error %v", thread, at.State.Log, err)
			continue
		}
		longest = max(longest, checkEffects(t, folder, thread))
	}
	t.Logf("%d runs, %d times something was killed or cut; the longest pause of a run was %v", len(threads), kills, longest.Round(100*time.Millisecond))
}

// checkEffects reports an effect that was made again after it was recorded, and returns
// the longest time between two nodes of a run.
func checkEffects(t *testing.T, folder, thread string) time.Duration {
	t.Helper()
	var times []time.Time
	for n := range 10 {
		file := filepath.Join(folder, fmt.Sprintf("%s.n%d", thread, n))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			return 0
		}
		if _, after, _ := strings.Cut(string(data), "kept"); strings.Contains(after, "made") {
			t.Errorf("%s: an effect of n%d was made again after it was recorded: %q", thread, n, data)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Error(err)
			return 0
		}
		times = append(times, info.ModTime())
	}
	slices.SortFunc(times, time.Time.Compare)
	longest := time.Duration(0)
	for i := range times[1:] {
		longest = max(longest, times[i+1].Sub(times[i]))
	}
	return longest
}

// patiently tries again what fails while a server is down.
func patiently(t *testing.T, most time.Duration, what string, do func() error) {
	t.Helper()
	var err error
	for until := time.Now().Add(most); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		if err = do(); err == nil {
			return
		}
		if errors.Is(err, context.Canceled) {
			break
		}
	}
	t.Errorf("%s: %v", what, err)
}
