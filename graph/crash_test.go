package graph_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/checkpoint/sqlite"
)

// The test binary runs a thread and is killed when crashPart holds its name, a
// file to save it in, a file for notes and a durability. crashSeed sets the seed.
const (
	crashPart = "ASSAY_CRASH_PART"
	crashSeed = "ASSAY_CRASH_SEED"
)

// killedPlan is what is killed: about a tenth of a second of work.
func killedPlan(note func(string)) crashPlan {
	return crashPlan{rounds: 3, pause: time.Millisecond, note: note}
}

// TestCrashChild is the process that TestCrash kills.
func TestCrashChild(t *testing.T) {
	part := strings.Split(os.Getenv(crashPart), "|")
	if len(part) != 4 {
		t.Skip("only TestCrash runs this")
	}
	notes, err := os.OpenFile(part[2], os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	saver, err := sqlite.Open(t.Context(), part[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := killedPlan(func(line string) {
		if _, err := notes.WriteString(line + "\n"); err != nil {
			panic(err)
		}
	})
	mode, _ := strconv.Atoi(part[3])
	fmt.Println("ready")
	_, err = plan.graphs(t, saver).drive(t.Context(), part[0], graph.RunOptions{
		Durability: graph.Durability(mode), Modes: graph.Updates | graph.Checkpoints}, plan.publishes)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("done")
}

// TestCrash kills a process that runs a graph, again and again, at random
// moments, and lets others go on with the thread until it is finished. It looks
// at what is saved after each kill.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	kills := 50
	if os.Getenv("ASSAY_TEST_ALL") != "" {
		kills = 200
	}
	seed := rand.Uint64()
	if set := os.Getenv(crashSeed); set != "" {
		var err error
		if seed, err = strconv.ParseUint(set, 10, 64); err != nil {
			t.Fatalf("reading %s: %v", crashSeed, err)
		}
	}
	t.Logf("seed: %s=%d", crashSeed, seed)
	want, reference := killedPlan(func(string) {}).graphs(t, memory.New()).reference(t, graph.RunOptions{})
	var wg sync.WaitGroup
	const workers = 2
	for i := range uint64(workers) {
		k := &killer{Rand: rand.New(rand.NewPCG(seed, i)), dir: t.TempDir(), want: want, reference: reference}
		wg.Go(func() { k.kill(t, kills/workers) })
	}
	wg.Wait()
}

// A killer kills the processes of one file, one after the other.
type killer struct {
	*rand.Rand
	dir       string
	want      board
	reference found
	span      time.Duration // what a whole run takes; kills come within it
	took      time.Duration // what the last part took
	part      []string      // what the child is told
	read      int           // bytes of the notes that were looked at
}

func (k *killer) path(name string) string { return filepath.Join(k.dir, name) }

func (k *killer) kill(t *testing.T, kills int) {
	k.start(0, graph.DurabilitySync)
	if k.child(t, time.Hour) {
		t.Errorf("a child that nobody kills did not finish")
	}
	k.span = k.took
	k.look(t, found{}, "the first, which nobody killed")
	done, threads, resumed := 0, 1, 0
	for ; done < kills && !t.Failed(); threads++ {
		mode := graph.DurabilitySync
		if k.IntN(4) == 0 {
			mode = graph.DurabilityAsync
		}
		k.start(threads, mode)
		before := found{}
		for parts := 1; !t.Failed(); parts++ {
			killed := k.child(t, time.Duration(k.Int64N(int64(k.span))))
			where := fmt.Sprintf("%s, part %d, durability %d", k.part[0], parts, mode)
			before = k.look(t, before, where)
			if !killed {
				break
			}
			if done++; len(before.rows) > 0 {
				resumed++
			}
		}
	}
	t.Logf("%d kills of %d threads, %d of them after the first checkpoint; a whole run takes %v", done, threads-1, resumed, k.span.Round(time.Millisecond))
	if resumed < done/2 {
		t.Errorf("only %d of %d kills met a thread that had begun", resumed, done)
	}
	whole(t, k.part[1])
}

// whole lets SQLite look for damage to a file.
func whole(t *testing.T, path string) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	var check string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity of the file: %s (%v)", check, err)
	}
}

func (k *killer) start(thread int, mode graph.Durability) {
	name := fmt.Sprintf("thread %d", thread)
	k.part, k.read = []string{name, k.path("x.db"), k.path(name), strconv.Itoa(int(mode))}, 0
}

// child runs the thread in a process of its own, and kills it some time after
// it is ready. It reports whether it did: the child may be faster.
func (k *killer) child(t *testing.T, after time.Duration) bool {
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	cmd.Env = append(os.Environ(), crashPart+"="+strings.Join(k.part, "|"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return false
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Errorf("the child says %q, and not that it is ready", lines.Text())
	}
	began := time.Now()
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
	var said []string
	for lines.Scan() {
		if said = append(said, lines.Text()); lines.Text() == "done" {
			k.took = time.Since(began)
		}
	}
	timer.Stop()
	err = cmd.Wait()
	if err != nil && cmd.ProcessState.ExitCode() >= 0 {
		t.Errorf("the child failed by itself: %v\n%s", err, strings.Join(said, "\n"))
	}
	return !slices.Contains(said, "done")
}

// look checks what the saver has after a part of a run.
func (k *killer) look(t *testing.T, before found, where string) found {
	ctx := context.Background()
	data, err := os.ReadFile(k.part[2])
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data[k.read:]), "\n"), "\n")
	saver, err := sqlite.Open(ctx, k.part[1], nil)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return before
	}
	defer saver.Close()
	g := killedPlan(nil).graphs(t, saver)
	after, err := g.find(ctx, k.part[0])
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return before
	}
	// What finished in an earlier part and was not saved then is lost, so the
	// notes of this part alone count.
	for _, wrong := range wronged(lines, before, after, k.part[3] == "0") {
		t.Errorf("%s: %s", where, wrong)
	}
	k.read = len(data)
	older := len(k.reference.rows) - len(after.rows)
	if older < 0 || !slices.Equal(after.rows, k.reference.rows[older:]) {
		t.Errorf("%s: the history is\n%s\nand not a part of\n%s", where, strings.Join(after.rows, "\n"), strings.Join(k.reference.rows, "\n"))
		return after
	}
	if older > 0 {
		return after
	}
	snap, err := g.root.State(ctx, graph.Key{Thread: k.part[0]})
	if err != nil {
		t.Errorf("%s: %v", where, err)
	} else if diff := differ(k.want, snap.State); diff != "" {
		t.Errorf("%s: final state (-want +got):\n%s", where, diff)
	}
	return after
}
