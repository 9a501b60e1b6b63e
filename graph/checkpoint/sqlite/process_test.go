package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
)

// The test binary plays another process when this variable says which part.
const partVariable = "ASSAY_SQLITE_TEST_PART"

func TestMain(m *testing.M) {
	if part := os.Getenv(partVariable); part != "" {
		if err := play(part, os.Args[len(os.Args)-1]); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// racedSteps is how many IDs the processes race for.
const racedSteps = 400

func play(part, path string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	in := bufio.NewReader(os.Stdin)
	switch part {
	case "hold":
		if _, err := s.Lock(ctx, "t"); err != nil {
			return err
		}
		fmt.Println("locked")
		_, err := in.ReadString('\n') // nothing comes: the parent kills this process
		return err
	case "race":
		fmt.Println("ready")
		if _, err := in.ReadString('\n'); err != nil {
			return err
		}
		won := 0
		for i := 1; i <= racedSteps; i++ {
			err := s.Commit(ctx, "t", graph.Change{Add: []graph.Checkpoint{step(i)}})
			if err == nil {
				won++
			} else if !errors.Is(err, graph.ErrStale) {
				return err
			}
		}
		fmt.Println(won)
		return nil
	}
	return fmt.Errorf("no part %q", part)
}

func step(i int) graph.Checkpoint {
	c := graph.Checkpoint{ID: fmt.Sprintf("%04d", i), Base: "0001", Step: i}
	if i > 1 {
		c.Parent = fmt.Sprintf("%04d", i-1)
	}
	return c
}

// start starts another process that plays a part, and returns what it prints
// and reads.
func start(t *testing.T, part, path string) (*exec.Cmd, *bufio.Reader, io.Writer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), partVariable+"="+part)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // it may have ended before
	return cmd, bufio.NewReader(out), in
}

func expect(t *testing.T, out *bufio.Reader, want string) {
	t.Helper()
	line, err := out.ReadString('\n')
	if strings.TrimSpace(line) != want {
		t.Fatalf("the other process printed %q (%v); want %q", line, err, want)
	}
}

func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path, nil)
	cmd, out, _ := start(t, "hold", path)
	expect(t, out, "locked")
	if _, err := s.Lock(t.Context(), "t"); !errors.Is(err, graph.ErrThreadBusy) {
		t.Fatalf("error = %v; want ErrThreadBusy", err)
	}
	unlock, err := s.Lock(t.Context(), "another")
	if err != nil {
		t.Fatalf("a thread that nobody holds: %v", err)
	}
	unlock()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	unlock, err = s.Lock(t.Context(), "t")
	if err != nil {
		t.Fatalf("after its holder was killed: %v", err)
	}
	unlock()
}

func TestProcessesRaceToCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	_, outA, inA := start(t, "race", path)
	_, outB, inB := start(t, "race", path)
	expect(t, outA, "ready")
	expect(t, outB, "ready")
	fmt.Fprintln(inA)
	fmt.Fprintln(inB)
	var a, b int
	if _, err := fmt.Fscanln(outA, &a); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(outB, &b); err != nil {
		t.Fatal(err)
	}
	t.Logf("one process added %d, the other %d", a, b)
	if a+b != racedSteps {
		t.Errorf("%d and %d commits succeeded; want %d together", a, b, racedSteps)
	}
	lineage, _, err := open(t, path, nil).Load(t.Context(), graph.Key{Thread: "t"})
	if err != nil || len(lineage) != racedSteps {
		t.Errorf("the lineage has %d checkpoints (%v); want %d", len(lineage), err, racedSteps)
	}
}
