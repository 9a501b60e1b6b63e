package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
)

var (
	soakFor  = flag.Duration("for", 8*time.Second, "how long TestTwoProcesses works")
	soakSeed = flag.Uint64("seed", 1, "what TestTwoProcesses does")
	soakKill = flag.Int("kill", 6, "of so many commands TestTwoProcesses kills one")
)

// A soaker is one of two users of a home. Each of its commands is a process. It has its own
// threads and shares the corpora.
type soaker struct {
	t     *testing.T
	name  string
	place string
	agent string
	docs  string
	rand  *rand.Rand

	did     map[string]int
	took    map[string]time.Duration // by kind of command: the last one that was not killed
	killed  int
	threads map[string]int  // by name: checkpoints that a command has seen, which must stay
	cut     map[string]bool // threads whose last command was killed, so that a question may wait
	waiting map[string]bool // threads that said that a question waits
	backups []string
	next    int
}

// Two processes use one home for a while, and some commands are killed. No reported result is
// lost, no lock stays, and every backup is whole.
//
//	go test ./cmd/agent -run TwoProcesses -for 1h -seed 7 -timeout 70m -v
//	go test ./cmd/agent -run TwoProcesses -for 15m -seed 8 -kill 1 -timeout 70m -v
func TestTwoProcesses(t *testing.T) {
	base := t.TempDir()
	place, docs := filepath.Join(base, "home"), filepath.Join(base, "docs")
	for i := range 6 {
		page := fmt.Sprintf("<h1>Harbour fees %d</h1><p>A lantern permit of kind %d costs %d dollars.</p>", i, i, 40+i)
		if err := cli.WriteFile(filepath.Join(docs, fmt.Sprintf("fees%d.html", i)), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, place, "ingest", docs, "--corpus", "stays")
	until := time.Now().Add(*soakFor)
	var both sync.WaitGroup
	soakers := make([]*soaker, 2)
	for i := range soakers {
		s := &soaker{
			t: t, name: string(rune('a' + i)), place: place, agent: faultAgent(t), docs: docs,
			rand: rand.New(rand.NewPCG(*soakSeed, uint64(i))), did: map[string]int{}, took: map[string]time.Duration{}, threads: map[string]int{}, cut: map[string]bool{}, waiting: map[string]bool{},
		}
		soakers[i] = s
		both.Go(func() {
			for time.Now().Before(until) && !t.Failed() {
				s.step(filepath.Join(base, "backups"))
			}
		})
	}
	both.Wait()
	did := map[string]int{}
	for _, s := range soakers {
		for what, n := range s.did {
			did[what] += n
		}
		did["killed"] += s.killed
		s.checkThreads(place)
		for _, file := range s.backups {
			restored := filepath.Join(t.TempDir(), "home")
			must(t, restored, "restore", file)
			must(t, restored, "doctor", "--deep")
			must(t, restored, "ask", "What does a lantern permit of kind 2 cost?", "--corpus", "stays")
			did["backups checked"]++
		}
	}
	must(t, place, "doctor", "--deep")
	// A killed process leaves no lock: each store can be written at once.
	must(t, place, "ingest", docs, "--corpus", "stays")
	must(t, place, "ingest", docs, "--corpus", "shared")
	for _, s := range soakers {
		for thread := range s.threads {
			if s.cut[thread] { // its question may have been answered before the kill
				_, _, _ = outside(t.Context(), place, s.agent, "resume", thread)
			}
			must(t, place, "ask", "What does a lantern permit of kind 1 cost?", "--corpus", "stays", "--thread", thread)
		}
	}
	t.Logf("seed %d, %v: %v", *soakSeed, *soakFor, did)
	for _, what := range []string{"ask", "ingest", "backup", "killed"} {
		if did[what] == 0 {
			t.Errorf("%s never happened", what)
		}
	}
}

// step runs one command, and now and then kills it.
func (s *soaker) step(backups string) {
	s.next++
	thread := fmt.Sprintf("%s-%d", s.name, s.rand.IntN(4))
	kind := s.rand.IntN(6)
	what, args, allowed := "", []string(nil), ""
	switch n := s.rand.IntN(20); {
	case n < 8 && s.waiting[thread]:
		what, args = "resume", []string{"resume", thread}
	case n < 8:
		what, args = "ask", []string{"ask", fmt.Sprintf("What does a lantern permit of kind %d cost?", kind), "--corpus", "stays", "--thread", thread, "--memory"}
	case n < 12:
		what, args, allowed = "ingest", []string{"ingest", filepath.Join(s.docs, fmt.Sprintf("fees%d.html", kind)), "--corpus", "shared"}, "is being ingested by"
	case n < 14:
		what, args, allowed = "remove", []string{"corpus", "remove", "shared", "--yes"}, "corpus"
	case n < 16:
		what, args, allowed = "ask shared", []string{"ask", "What does a lantern permit cost?", "--corpus", "shared"}, "corpus"
	case n < 17:
		what, args = "sweep", []string{"threads", "sweep", "--older-than", "1h"}
	case n < 18:
		what, args = "list", []string{"threads", "list", "--json"}
	case n < 19:
		what, args = "deep", []string{"doctor", "--deep"}
	default:
		file := filepath.Join(backups, fmt.Sprintf("%s-%d.zip", s.name, s.next))
		if err := os.MkdirAll(backups, 0o700); err != nil {
			s.t.Error(err)
			return
		}
		what, args = "backup", []string{"backup", file}
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	kill := s.rand.IntN(*soakKill) == 0
	share := s.rand.Float64() * 1.25 // of the command's time, so that every moment is equally likely
	if kill {
		ctx, cancel = context.WithTimeout(s.t.Context(), time.Duration(share*float64(cmp.Or(s.took[what], time.Second)))) // SIGKILL at the end
		defer cancel()
	}
	began := time.Now()
	code, out, err := outside(ctx, s.place, s.agent, args...)
	if err != nil {
		if ctx.Err() != nil && kill { // killed before it began
			return
		}
		s.t.Error(err)
		return
	}
	s.did[what]++
	ended := code == 128+9
	if !ended {
		s.took[what] = time.Since(began)
	}
	switch {
	case ended && kill:
		s.killed++
		if what == "ask" || what == "resume" {
			s.cut[thread], s.waiting[thread] = true, false
		}
	case ended:
		s.t.Errorf("seed %d: agent %s hung and was killed after two minutes", *soakSeed, strings.Join(args, " "))
	case code == cli.ExitDone || code == cli.ExitNoEvidence && what == "ask shared":
		if what == "ask" || what == "resume" {
			s.threads[thread]++
			s.cut[thread], s.waiting[thread] = false, false
		}
		if what == "backup" {
			s.backups = append(s.backups, args[1])
			if len(s.backups) > 6 { // remove the second oldest, so that disks do not fill
				if err := os.Remove(s.backups[1]); err != nil {
					s.t.Error(err)
				}
				s.backups = append(s.backups[:1], s.backups[2:]...)
			}
		}
	case what == "ask" && s.cut[thread] && strings.Contains(out, "agent resume "+thread):
		s.did["ask refused"]++
		s.waiting[thread] = true
	case allowed != "" && strings.Contains(out, allowed) && !strings.Contains(out, "damaged"):
		s.did[what+" refused"]++
	default:
		s.t.Errorf("seed %d: agent %s: exit code %d\n%s", *soakSeed, strings.Join(args, " "), code, out)
	}
	if strings.Contains(out, "panic:") {
		s.t.Errorf("seed %d: agent %s panicked:\n%s", *soakSeed, strings.Join(args, " "), out)
	}
}

// checkThreads looks for every thread in which a command has answered.
func (s *soaker) checkThreads(place string) {
	var list struct {
		Threads []struct {
			Thread      string `json:"thread"`
			Checkpoints int    `json:"checkpoints"`
		} `json:"threads"`
	}
	if err := json.Unmarshal([]byte(must(s.t, place, "threads", "list", "--json")), &list); err != nil {
		s.t.Fatal(err)
	}
	have := map[string]int{}
	for _, t := range list.Threads {
		have[t.Thread] = t.Checkpoints
	}
	for thread, answered := range maps.All(s.threads) {
		if have[thread] < answered {
			s.t.Errorf("seed %d: thread %s answered %d times and has %d checkpoints", *soakSeed, thread, answered, have[thread])
		}
	}
}
