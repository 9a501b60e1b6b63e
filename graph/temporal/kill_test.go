package temporal_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/client"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
)

// A worker in a process of its own is this program with these variables.
const (
	envQueue  = "ASSAY_TEST_QUEUE"
	envGraph  = "ASSAY_TEST_GRAPH"
	envFolder = "ASSAY_TEST_FOLDER" // of the files of effects
)

func TestMain(m *testing.M) {
	if on := os.Getenv(envQueue); on != "" {
		if err := work(on, os.Getenv(envGraph), os.Getenv(envFolder)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// schema holds the threads of these tests.
const schema = "assay_temporal_test"

func shared(ctx context.Context) (*postgres.Saver, error) {
	pool, err := pgxpool.New(ctx, os.Getenv("ASSAY_POSTGRES"))
	if err != nil {
		return nil, err
	}
	return postgres.New(ctx, pool, &postgres.Options{Schema: schema})
}

func work(on, name, folder string) error {
	conn, err := client.Dial(client.Options{HostPort: os.Getenv(temporaltest.Variable), Logger: temporaltest.Silent()})
	if err != nil {
		return err
	}
	o := temporal.WorkerOptions{Checkpointer: memory.New(), Queue: on, AtOnce: 20, Heartbeat: 2 * time.Second}
	g := slow(1000, on)
	if name == "effects" {
		g = effects(folder)
		if o.Checkpointer, err = shared(context.Background()); err != nil {
			return err
		}
	}
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		return err
	}
	w, err := temporal.NewWorker(conn, temporal.Apps(app.App()), &o)
	if err != nil {
		return err
	}
	return w.Run(context.Background())
}

// process starts a worker in a process of its own.
func process(t *testing.T, variables ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variables...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// effects is a chain of ten nodes. Each makes an effect by Once, and notes it in a file
// before and after it was recorded.
func effects(folder string) *graph.StateGraph[board] {
	g, from := newBoard(), graph.Start
	for i := range 10 {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, func(ctx context.Context, s board) (update, error) {
			file := filepath.Join(folder, s.Who[0]+"."+name)
			time.Sleep(50 * time.Millisecond)
			_, err := graph.Once(ctx, "effect", func(context.Context) (int, error) { return 0, note(file, "made") })
			if err != nil {
				return nil, err
			}
			if err := note(file, "kept"); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
			return update{logged.Add(name)}, nil
		})
		g.AddEdge(from, name)
		from = name
	}
	return g
}

func note(file, what string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, what)
	if late := f.Close(); err == nil {
		err = late
	}
	return err
}

// Twenty runs on three workers, of which one is killed every second: all come to their
// end with the state of an undisturbed run, and no effect that was recorded is made
// again.
func TestKilledWorkers(t *testing.T) {
	if testing.Short() || os.Getenv("ASSAY_POSTGRES") == "" {
		t.Skip("ASSAY_POSTGRES names no server that several workers can share")
	}
	conn, on, folder := temporaltest.Dial(t), temporaltest.Queue(t), t.TempDir()
	saver, err := shared(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { saver.Close() })
	begin := func() *exec.Cmd { return process(t, envQueue+"="+on, envGraph+"=effects", envFolder+"="+folder) }
	workers := []*exec.Cmd{begin(), begin(), begin()}
	t.Cleanup(func() {
		for _, w := range workers {
			kill(w)
		}
	})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	const runs = 20
	thread := func(i int) string { return fmt.Sprintf("%s-%d", strings.ReplaceAll(on, " ", "-"), i) }
	for i := range runs {
		if err := c.Start(t.Context(), temporal.Run{Graph: "effects", Thread: thread(i), Input: encoded(t, update{who.Add(thread(i))})}); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, runs)
	for i := range runs {
		go func() { ended <- conn.GetWorkflow(t.Context(), thread(i), "").Get(t.Context(), nil) }()
	}
	random, kills := rand.New(rand.NewPCG(1, 2)), 0
	next, deadline := time.After(300*time.Millisecond), time.After(3*time.Minute)
	for left := runs; left > 0; {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("a run ended with %v", err)
			}
			left--
		case <-next:
			if kills++; kills < 15 { // then let them end
				next = time.After(time.Second)
			}
			at := random.IntN(len(workers))
			kill(workers[at])
			workers[at] = begin()
		case <-deadline:
			t.Fatalf("%d runs have not ended after %d kills", left, kills)
		}
	}
	if kills == 0 {
		t.Error("all runs ended before a worker was killed: nothing was tested")
	}
	app := compile(t, effects(folder), graph.CompileOptions{Name: "effects", Checkpointer: saver})
	twice := 0
	for i := range runs {
		at, err := app.State(t.Context(), graph.Key{Thread: thread(i)})
		if err != nil || strings.Join(at.State.Log, " ") != "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9" {
			t.Errorf("thread %d: log %q, error %v", i, at.State.Log, err)
		}
		for n := range 10 {
			data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%s.n%d", thread(i), n)))
			if err != nil {
				t.Error(err)
			}
			_, after, _ := bytes.Cut(data, []byte("kept"))
			if bytes.Contains(after, []byte("made")) {
				t.Errorf("thread %d: an effect of n%d was made again after it was recorded: %q", i, n, data)
			}
			twice += bytes.Count(data, []byte("made")) - 1
		}
	}
	t.Logf("%d kills; %d of %d effects were made again, because the worker died before they were recorded", kills, twice, 10*runs)
}
