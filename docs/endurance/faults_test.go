package endurance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A fault breaks something and heals it again. What it returns is how long what was killed
// was not ready after its new start; 0 when nothing was.
type fault struct {
	name string
	make func() (time.Duration, error)
}

// faults are those that the installation can have.
func (in *installation) faults() []fault {
	var list []fault
	if *killing {
		list = append(list, fault{"SIGKILL of the server", in.killServer}, fault{"SIGKILL of ingest", in.killIngest})
	}
	for _, m := range []mood{slow, wrong, broken, cut, absent} {
		list = append(list, fault{moods[m], func() (time.Duration, error) {
			if err := in.model.become(m); err != nil {
				return 0, err
			}
			in.holdOn()
			return 0, in.model.become(well)
		}})
	}
	if in.mounted {
		list = append(list, fault{"disk full", in.fill})
	}
	if in.db != nil {
		list = append(list, fault{"connections to PostgreSQL cut", func() (time.Duration, error) { in.db.Cut(false); return 0, nil }},
			fault{"PostgreSQL out of reach", func() (time.Duration, error) {
				in.db.Cut(true)
				in.holdOn()
				in.db.Cut(false)
				return 0, nil
			}})
	}
	if in.worker != nil && *killing {
		list = append(list, fault{"SIGKILL of the worker", func() (time.Duration, error) {
			in.worker.kill()
			in.sleep(time.Duration(in.random.IntN(3000)) * time.Millisecond)
			w, err := in.start("worker.log", "worker", "--temporal", in.temporal)
			if err == nil {
				in.worker = w
			}
			return 0, err
		}})
	}
	return list
}

// holdOn lets a fault last for 2 to 10 seconds.
func (in *installation) holdOn() {
	in.sleep(2*time.Second + time.Duration(in.random.IntN(8000))*time.Millisecond)
}

// fill fills the disk of the home, and frees it again.
func (in *installation) fill() (_ time.Duration, err error) {
	file := filepath.Join(in.home, ballast)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(file)) }()
	for chunk := make([]byte, 1<<20); len(chunk) > 0; {
		if n, err := f.Write(chunk); err != nil && n < len(chunk) {
			chunk = chunk[:len(chunk)/2] // to the last byte
		}
	}
	in.holdOn()
	return 0, nil
}

// killIngest waits for an ingest and kills it.
func (in *installation) killIngest() (time.Duration, error) {
	for in.sleep(10 * time.Millisecond) {
		in.mu.Lock()
		c := in.ingest
		in.mu.Unlock()
		if c == nil {
			continue
		}
		in.sleep(time.Duration(in.random.IntN(700)) * time.Millisecond)
		c.kill()
		return 0, nil
	}
	return 0, nil
}

// breakAll makes one fault after the other until the part is over.
func (in *installation) breakAll(end time.Time) {
	var round []fault
	for time.Now().Before(end) && in.sleep(8*time.Second+time.Duration(in.random.IntN(12000))*time.Millisecond) && time.Now().Before(end) {
		if len(round) == 0 { // which begins with what matters most
			round = in.faults()
			in.random.Shuffle(len(round)-1, func(i, j int) { round[i+1], round[j+1] = round[j+1], round[i+1] })
		}
		f := round[0]
		round = round[1:]
		in.mu.Lock()
		in.fault = f.name
		in.mu.Unlock()
		in.note("%s", f.name)
		ready, err := f.make()
		in.mu.Lock()
		in.fault, in.healed = "", time.Now()
		in.mu.Unlock()
		if err != nil {
			in.violate("fault", "", "%s: %v", f.name, err)
			if !in.up {
				return
			}
		}
		quiet, ok := in.quiet()
		if in.ctx.Err() != nil {
			return
		}
		if in.broke(f.name, ready, quiet); !ok {
			return
		}
	}
}

// quiet waits until nothing goes on, and checks that the server agrees. It returns how
// long that took.
func (in *installation) quiet() (time.Duration, bool) {
	began := time.Now()
	if !in.shut(2*patience + time.Minute) {
		in.mu.Lock()
		var list []string
		for what, since := range in.busy {
			list = append(list, fmt.Sprintf("%s for %v", what, time.Since(since).Round(time.Second)))
		}
		in.mu.Unlock()
		slices.Sort(list)
		in.violate("quiet", "", "this goes on for ever: %s", strings.Join(list, ", "))
		return 0, false
	}
	defer in.gate.Unlock()
	took := time.Since(began)
	var busy []struct {
		ID string `json:"thread_id"`
	}
	var err error
	c := &client{installation: in}
	for range 40 { // the last run may just be writing its end
		err = c.call("POST", "/threads/search", map[string]any{"status": "busy", "limit": 1000}, &busy)
		metrics, failed := in.get("/metrics")
		if err = errors.Join(err, failed); err == nil && len(busy) == 0 && strings.Contains(metrics, "\nassay_runs_running 0\n") && strings.Contains(metrics, "\nassay_runs_waiting 0\n") {
			break
		}
		time.Sleep(500 * time.Millisecond)
		if err == nil {
			err = fmt.Errorf("runs: %s", strings.Join(linesWith(metrics, "assay_runs_running ", "assay_runs_waiting "), ", "))
		}
	}
	if err != nil {
		in.violate("quiet", "", "20 seconds after the last client was done: %d busy threads %v, %v", len(busy), busy, err)
	}
	return took, true
}

// shut closes the gate, and reports whether all that goes on ended within a time. If not,
// the gate opens again when it does.
func (in *installation) shut(within time.Duration) bool {
	locked := make(chan struct{})
	go func() {
		in.gate.Lock()
		close(locked)
	}()
	select {
	case <-locked:
		return true
	case <-time.After(within):
		go func() {
			<-locked
			in.gate.Unlock()
		}()
		return false
	}
}

// linesWith are the lines of a text that begin with one of some words.
func linesWith(text string, words ...string) (found []string) {
	for l := range strings.Lines(text) {
		for _, w := range words {
			if strings.HasPrefix(l, w) {
				found = append(found, strings.TrimSpace(l))
			}
		}
	}
	return found
}

// ingestAll ingests documents that change, into three corpora of its own.
func (in *installation) ingestAll() {
	for n := 1; in.sleep(2 * time.Second); n++ {
		func() {
			defer in.doing("ingest")()
			corpus, mark := fmt.Sprintf("tides%d", n%3), fmt.Sprintf("tidewater%d", n)
			dir := filepath.Join(in.dir, corpus)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				in.violate("ingest", "", "%v", err)
				return
			}
			for i := range 20 {
				text := fmt.Sprintf("# Table %d\n\nThe word of the table is %sx%d. The tide rises %d feet at noon.\n", i, mark, i, n%17)
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("table-%d.md", i)), []byte(text), 0o600); err != nil {
					in.violate("ingest", "", "%v", err)
					return
				}
			}
			c, err := in.start("ingest.log", "ingest", dir, "--corpus", corpus)
			if err != nil {
				in.violate("ingest", "", "%v", err)
				return
			}
			in.mu.Lock()
			in.ingest = c
			in.mu.Unlock()
			in.await(c)
			in.mu.Lock()
			in.ingest = nil
			in.mu.Unlock()
			if in.ctx.Err() != nil {
				return
			}
			if c.err != nil {
				in.count("ingest", "failed or killed")
				if !in.faulty(10 * time.Second) {
					in.violate("ingest", "", "%s: %v: %s", corpus, c.err, tail(filepath.Join(in.dir, "ingest.log"), 5, ""))
				}
				in.searchFor(corpus, "")
				return
			}
			in.count("ingest", "done")
			in.searchFor(corpus, fmt.Sprintf("%sx%d", mark, n%20))
		}()
	}
}

// searchFor searches a corpus, and compares what it finds with the documents. A word must
// be found; without one the corpus may be of any generation, or not be there.
func (in *installation) searchFor(corpus, word string) {
	out := corpus + ".json"
	_ = os.Remove(filepath.Join(in.dir, out)) // the first time it is not there
	c, err := in.start(out, "search", "--json", "--corpus", corpus, "word of the table "+word)
	if err != nil {
		in.violate("ingest", "", "%v", err)
		return
	}
	in.await(c)
	data, err := os.ReadFile(filepath.Join(in.dir, out))
	if in.faulty(10*time.Second) || in.ctx.Err() != nil {
		return
	}
	var found struct {
		Hits []struct {
			Passage struct {
				Text string `json:"text"`
			} `json:"passage"`
		} `json:"hits"`
	}
	if c.err != nil || err != nil || json.Unmarshal(data, &found) != nil {
		if word != "" || strings.Contains(string(data), "panic") {
			in.violate("ingest", "", "searching %s after an ingest: %v %.300s", corpus, c.err, data)
		}
		return
	}
	in.count("search", "done")
	if word != "" && (len(found.Hits) == 0 || !strings.Contains(found.Hits[0].Passage.Text, word+".")) {
		in.violate("ingest", "", "corpus %s was ingested, and %q is not found first: %.300s", corpus, word, data)
	}
}

// await waits until a process has ended, and kills it when the installation is over.
func (in *installation) await(c *child) {
	select {
	case <-c.done:
	case <-in.ctx.Done():
		c.kill()
	}
}

// workAll lets the worker answer questions, one after the other.
func (in *installation) workAll() {
	for n := 1; in.sleep(time.Second); n++ {
		func() {
			defer in.doing("ask of the worker")()
			broken := in.faulty(0)
			in.mu.Lock()
			fault := in.fault
			in.mu.Unlock()
			c, err := in.start("ask.log", "ask", "--temporal", in.temporal, "--thread", fmt.Sprintf("work-%d", n), "When must a skipper report the "+subjects[n%len(subjects)]+"?")
			if err != nil {
				in.violate("worker", "", "%v", err)
				return
			}
			select {
			case <-c.done:
			case <-time.After(patience):
				c.kill()
				in.violate("worker", fmt.Sprintf("work-%d", n), "agent ask --temporal has not ended within %v", patience)
				return
			case <-in.ctx.Done():
				c.kill()
				return
			}
			code := c.cmd.ProcessState.ExitCode()
			in.count("ask of the worker", fmt.Sprintf("exit code %d", code))
			if !broken && fault == "" && !in.faulty(patience) && code != 0 && code != 3 {
				in.violate("worker", fmt.Sprintf("work-%d", n), "agent ask --temporal: %v: %s", c.err, tail(filepath.Join(in.dir, "ask.log"), 5, ""))
			}
		}()
	}
}
