package mcp

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// child is a server that is this test binary.
func child(t *testing.T, what string, more ...string) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: what, Command: self, Env: append([]string{"ASSAY_TEST_SERVER=" + what}, more...), Tools: []string{"price"}}
}

func TestChild(t *testing.T) {
	s := open(t, child(t, "shop"), nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			r, err := s.Call(t.Context(), "price", json.RawMessage(`{"item":"tea"}`))
			if err != nil || string(r.Structured) != `{"euro":3.5,"item":"tea"}` {
				t.Errorf("%s, %v", r.Structured, err)
			}
		})
	}
	wg.Wait()
}

// A child gets the variables that are named, and no others.
func TestEnvironmentOfAChild(t *testing.T) {
	t.Setenv("ASSAY_TEST_SECRET", "hidden")
	s := open(t, child(t, "env", "LANG=x", "SHOP_TOKEN=hunter2hunter2"), nil)
	r, err := s.Call(t.Context(), "price", json.RawMessage(`{}`))
	if err != nil || r.Text != "ASSAY_TEST_SERVER=env LANG=x SHOP_TOKEN=[key]" {
		t.Errorf("the environment is %q, %v", r.Text, err)
	}
}

// A child that ends says why, as far as it said something, without what controls a terminal.
func TestChildThatCrashes(t *testing.T) {
	_, err := Open(t.Context(), child(t, "crash"), nil)
	if err == nil || !strings.Contains(err.Error(), "has ended: run it by hand, and name the variables that it needs") || !strings.Contains(err.Error(), `the key[31m is missing`) {
		t.Error(err)
	}
}

// A child that ended is started again by the next call.
func TestChildThatEnds(t *testing.T) {
	s := open(t, child(t, "once"), nil)
	seen := map[string]bool{}
	for range 3 {
		r, err := s.Call(t.Context(), "price", json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		seen[string(r.Structured)] = true
		<-s.link.ended
	}
	if len(seen) != 3 {
		t.Errorf("%d children answered 3 calls: %v", len(seen), seen)
	}
}

// A child that stops reading, and does not end when it is told to, is killed.
func TestDeafChild(t *testing.T) {
	server := child(t, "deaf")
	server.Timeout = 2 * time.Second // for a child's start on a busy machine
	s, err := Open(t.Context(), server, nil)
	if err != nil {
		t.Skipf("the child did not start in %v: %v", server.Timeout, err)
	}
	large, err := json.Marshal(map[string]string{"item": strings.Repeat("x", 5<<20)}) // more than a pipe takes
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Call(t.Context(), "price", large); err == nil || !strings.Contains(err.Error(), "did not answer within 2s") {
		t.Errorf("a call: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
