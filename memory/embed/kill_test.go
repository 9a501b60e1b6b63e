package embed

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

const childDir = "ASSAY_TEST_VECTORS"

// TestMain lets a copy of this program be the one that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		putForever(dir)
	}
	os.Exit(m.Run())
}

const childVectors = 3000

// putForever writes vectors in batches until it is killed.
func putForever(dir string) {
	c, err := OpenCache(dir, &CacheOptions{MaxBytes: 1 << 20})
	if err != nil {
		fmt.Println("fault:", err)
		os.Exit(1)
	}
	fmt.Println("started")
	for i := 0; ; i++ {
		var keys []Key
		var vectors [][]float32
		for j := range 40 {
			key, v := vectorOf((i*40 + j) % childVectors)
			keys, vectors = append(keys, key), append(vectors, v)
		}
		if err := c.Put(context.Background(), keys, vectors); err != nil {
			fmt.Println("fault:", err)
			os.Exit(1)
		}
	}
}

// Killed at any moment, a writer leaves whole vectors; another that runs
// meanwhile, and this process, are not disturbed.
func TestKill(t *testing.T) {
	const seed, kills = 7, 12
	t.Logf("seed %d, %d kills", seed, kills)
	rng := rand.New(rand.NewPCG(seed, seed))
	dir := t.TempDir()
	watcher := reopen(t, dir, &CacheOptions{MaxBytes: 1 << 20})
	for range kills {
		var children []*exec.Cmd
		for range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childDir+"="+dir)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			lines.Scan()
			if lines.Text() != "started" {
				t.Errorf("the child says %q", lines.Text())
			}
			children = append(children, cmd)
		}
		time.Sleep(time.Duration(rng.IntN(15_000)) * time.Microsecond)
		for _, cmd := range children {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the child ended by itself")
			}
		}
		held(t, watcher, childVectors)
		if held(t, reopen(t, dir, nil), childVectors) == 0 {
			t.Error("nothing was kept")
		}
		put(t, watcher, rng.IntN(childVectors))
	}
}
