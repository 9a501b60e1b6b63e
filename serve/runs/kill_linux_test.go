package runs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

const killFolder, killHook = "ASSAY_TEST_RUNS_HOME", "ASSAY_TEST_RUNS_HOOK"

// TestServed is the process that TestKilled kills: it takes up what is there, begins the
// runs that it is told to, and lives until its input ends.
func TestServed(t *testing.T) {
	folder := os.Getenv(killFolder)
	if folder == "" {
		t.Skip("it is a part of TestKilled")
	}
	h := openHome(t, folder)
	h.opts.Waiting = 1 << 20
	telling("127.0.0.1")(&h.opts)
	m := h.open(t, chain(t, "five", "a", "b", "c", "d", "e"))
	s := m.Space(runs.DefaultTenant)
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		r, err := s.Begin(t.Context(), runs.Spec{
			Graph: "five", Thread: in.Text(), Create: true, Modes: graph.Values, Webhook: os.Getenv(killHook),
			Input: json.RawMessage(`[{"channel":"wait","op":"set","value":10}]`),
		})
		fmt.Println("took", r.ID, err)
	}
	m.Close(t.Context())
}

// serving starts the process of TestServed.
func serving(t *testing.T, folder, hook string) (cmd *exec.Cmd, say func(string) string) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "-test.run", "^TestServed$")
	cmd.Env, cmd.Stderr = append(os.Environ(), killFolder+"="+folder, killHook+"="+hook), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	hear := func() string {
		if !lines.Scan() {
			t.Fatal("the process ended by itself")
		}
		return lines.Text()
	}
	if got := hear(); got != "ready" {
		t.Fatalf("the process says %q", got)
	}
	return cmd, func(line string) string {
		fmt.Fprintln(in, line)
		return strings.TrimPrefix(hear(), "took ")
	}
}

// A process with runs is killed again and again. In the end each run has ended, no
// superstep was made twice, the events of each are whole, and each has one notice of its end, which
// may have come twice.
func TestKilled(t *testing.T) {
	kills, each := 5, 10
	if os.Getenv("ASSAY_TEST_KILLS") != "" {
		if _, err := fmt.Sscan(os.Getenv("ASSAY_TEST_KILLS"), &kills); err != nil {
			t.Fatal(err)
		}
		each = 50
	}
	folder, hook := t.TempDir(), receive(t)
	random := rand.New(rand.NewPCG(1, 2))
	var ids []string
	for round := range kills {
		cmd, say := serving(t, folder, hook.URL)
		for i := range each {
			id, ok := strings.CutSuffix(say(fmt.Sprintf("t%d-%d", round, i)), " <nil>")
			if !ok {
				t.Fatal(id)
			}
			ids = append(ids, id)
		}
		time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	h := openHome(t, folder)
	telling("127.0.0.1")(&h.opts)
	m := h.open(t, chain(t, "five", "a", "b", "c", "d", "e"))
	defer m.Close(context.Background())
	s := m.Space(runs.DefaultTenant)
	again := 0
	for _, id := range ids {
		r := wait(t, s, id)
		v, th := state(t, s, r.Thread)
		if r.Status != runs.Success || th.Status != runs.Idle || fmt.Sprint(v.Lines) != "[a b c d e]" {
			t.Errorf("run %s: %+v, its state %v", id, r, v.Lines)
		}
		if r.Attempt > 1 {
			again++
		}
		count := map[string]int{}
		for _, line := range told(t, s, id, 0) {
			if strings.HasPrefix(line, "node_update") || strings.HasPrefix(line, "values") {
				count[line]++
			}
		}
		for line, n := range count {
			if n != 1 {
				var all []string
				for ev := range s.Events(t.Context(), id, 0) {
					all = append(all, fmt.Sprintf("%d %s step %d %s tasks %v checkpoint %s %s %s cached %v", ev.Seq, ev.Kind, ev.Step, ev.Node, ev.Tasks, ev.Checkpoint, ev.Source, ev.State, ev.Cached))
				}
				t.Errorf("run %s is told %d times: %s:\n%s", id, n, line, strings.Join(all, "\n"))
			}
		}
		if len(count) != 11 {
			t.Errorf("run %s is told %v", id, count)
		}
	}
	var notices map[string]map[string]bool
	for deadline := time.Now().Add(30 * time.Second); len(notices) < len(ids) && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		notices = hook.ends(t)
	}
	for _, id := range ids {
		if len(notices[id]) != 1 {
			t.Errorf("run %s has %d notices of its end", id, len(notices[id]))
		}
	}
	t.Logf("%d runs, %d kills; %d runs were taken up again; %d requests", len(ids), kills, again, hook.count())
	if again == 0 {
		t.Error("no run was in the middle when its process was killed")
	}
}
