package qa

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// childFile names, for a process of this test, the memory that it is to store
// answers in until it is killed.
const childFile = "ASSAY_QA_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := storeForever(path); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// storeForever stores answers and prints the question of each once it is
// stored.
func storeForever(path string) error {
	ctx := context.Background()
	m, err := Open(ctx, path, nil)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		question := fmt.Sprintf("Question %d of process %d?", i, os.Getpid())
		if _, err := m.Store(ctx, Entry{Question: question, Answer: strings.Repeat("x", 3000), Conditions: now}); err != nil {
			return err
		}
		fmt.Println(question)
	}
}

// A process that is killed while it writes loses nothing that was stored, and
// leaves a memory that the next one writes to. Two write at a time.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "law.db")
	var stored []string
	for round := range 4 {
		var wg sync.WaitGroup
		lines := make([][]string, 2)
		for i := range lines {
			child := exec.Command(os.Args[0], "-test.run=^$")
			child.Env = append(os.Environ(), childFile+"="+path)
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				for in := bufio.NewScanner(out); in.Scan(); {
					if strings.HasPrefix(in.Text(), "failed") {
						t.Error(in.Text())
					}
					if lines[i] = append(lines[i], in.Text()); len(lines[i]) == 3+2*round+i {
						if err := child.Process.Kill(); err != nil {
							t.Error(err)
						}
					}
				}
				if err := child.Wait(); err == nil {
					t.Error("the process ended by itself")
				}
			})
		}
		wg.Wait()
		stored = append(stored, append(lines[0], lines[1]...)...)
	}
	m := openAt(t, path, nil)
	if err := CheckFile(t.Context(), path); err != nil {
		t.Error(err)
	}
	for _, question := range stored {
		if got := lookup(t, m, question, now).Kind; got != Exact {
			t.Errorf("%q was stored and is %q", question, got)
		}
	}
	list, err := m.List(t.Context(), 0)
	if err != nil || len(stored) < 40 || len(list) > len(stored)+8 {
		t.Errorf("%d entries of %d that were told, %v", len(list), len(stored), err)
	}
}

// A file that is no memory is told apart from one that is damaged, and neither
// is changed.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.db")
	m, err := Open(t.Context(), whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		store(t, m, fmt.Sprintf("Who owns house %d?", i), strings.Repeat("x", 5000), now)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	made := func(name, content string) string {
		path := filepath.Join(dir, name+".db")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	execute(t, foreign, "CREATE TABLE mine (x)")
	newer := filepath.Join(dir, "newer.db")
	execute(t, newer, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; CREATE TABLE x (y)", FileSchema.Application, len(FileSchema.Steps)+1))
	overwritten := strings.Repeat("garbage ", len(data)/8)
	for _, c := range []struct {
		path    string
		want    string
		damaged bool
	}{
		{dir, "directory", false},
		{foreign, "another program", false},
		{newer, "later version", false},
		{made("text", overwritten), "is damaged", true},
		{made("middle", string(data[:4096])+overwritten[4096:]), "is damaged", true},
		{made("short", string(data[:len(data)/2])), "is damaged", true},
	} {
		err := CheckFile(t.Context(), c.path) // what is damaged further behind shows when it is read
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, new(*DamagedError)) != c.damaged {
			t.Errorf("%s: %v", filepath.Base(c.path), err)
		}
	}
	if err := Remove(made("gone", overwritten)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "gone.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Remove: %v", err)
	}
	if err := Remove(filepath.Join(dir, "never.db")); err != nil {
		t.Errorf("removing what is not there: %v", err)
	}
}

func execute(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(query); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
