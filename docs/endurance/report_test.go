package endurance

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// mostShown are how many violations a report shows; all are counted.
const mostShown = 50

// A report is what is known of a part.
type report struct {
	name  string
	where string // the folder of the part

	lock       sync.Mutex
	start      time.Time
	spent      time.Duration
	counts     map[string]map[string]int // by operation and outcome
	broken     []breakage
	skipped    map[string]string
	violations []violation
	trends     map[string]trend
	levels     int // samples
}

// A breakage is a fault that was made.
type breakage struct {
	at           time.Duration
	name         string
	ready, quiet time.Duration
}

// A violation is something that must not be.
type violation struct {
	at                         time.Duration
	kind, thread, text, lately string
}

func newReport(name, where string) *report {
	return &report{name: name, where: where, start: time.Now(), counts: map[string]map[string]int{}, skipped: map[string]string{}, trends: map[string]trend{}}
}

func (r *report) note(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s %8s %s\n", r.name, time.Since(r.start).Round(time.Second), fmt.Sprintf(format, args...))
}

func (r *report) count(op, outcome string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.counts[op] == nil {
		r.counts[op] = map[string]int{}
	}
	r.counts[op][outcome]++
}

func (r *report) skip(what, why string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.skipped[what] = why
}

func (r *report) broke(name string, ready, quiet time.Duration) {
	r.note("%s is over: ready after %v, quiet after %v", name, ready.Round(time.Millisecond), quiet.Round(time.Millisecond))
	r.lock.Lock()
	defer r.lock.Unlock()
	r.broken = append(r.broken, breakage{time.Since(r.start), name, ready, quiet})
}

// violate notes what must not be, with the last lines of the server's log that have
// something to do with it.
func (r *report) violate(kind, thread, format string, args ...any) {
	v := violation{at: time.Since(r.start), kind: kind, thread: thread, text: fmt.Sprintf(format, args...)}
	words := []string{`"level":"warn"`, `"level":"error"`, "panic", "fatal error"}
	if thread != "" {
		words = append(words, thread)
	}
	v.lately = tail(filepath.Join(r.where, "server.log"), 8, words...)
	r.note("VIOLATION %s %s: %s", kind, thread, v.text)
	r.lock.Lock()
	defer r.lock.Unlock()
	r.violations = append(r.violations, v)
}

// ended takes over what is known only at the end.
func (r *report) ended(lives [][]sample) {
	r.spent = time.Since(r.start)
	names := map[string]bool{}
	var all []sample
	for _, life := range lives {
		for _, s := range life {
			for name := range s.values {
				names[name] = true
			}
		}
		all = append(all, life...)
		r.levels += len(life)
	}
	for name := range names {
		over := lives
		if lifeless[name] {
			over = [][]sample{all}
		}
		r.trends[name] = fit(over, name)
	}
}

// seconds are the median and the most of some times.
func seconds(all []time.Duration) string {
	slices.Sort(all)
	if len(all) == 0 || all[len(all)-1] == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s (%.1f s)", all[len(all)/2].Seconds(), all[len(all)-1].Seconds())
}

func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "\n## %s: %v\n", r.name, r.spent.Round(time.Second))
	fmt.Fprintf(w, "\n| operation | outcomes |\n|---|---|\n")
	for _, op := range slices.Sorted(maps.Keys(r.counts)) {
		var parts []string
		for _, outcome := range slices.Sorted(maps.Keys(r.counts[op])) {
			parts = append(parts, fmt.Sprintf("%s %d", outcome, r.counts[op][outcome]))
		}
		fmt.Fprintf(w, "| %s | %s |\n", op, strings.Join(parts, ", "))
	}
	fmt.Fprintf(w, "\nReady is how long what was killed took to be there again; quiet is how long all that went on took to end after the fault. Medians, the longest in brackets.\n\n| fault | times | ready | quiet |\n|---|---|---|---|\n")
	ready, quiet := map[string][]time.Duration{}, map[string][]time.Duration{}
	for _, b := range r.broken {
		ready[b.name], quiet[b.name] = append(ready[b.name], b.ready), append(quiet[b.name], b.quiet)
	}
	for _, name := range slices.Sorted(maps.Keys(quiet)) {
		fmt.Fprintf(w, "| %s | %d | %s | %s |\n", name, len(quiet[name]), seconds(ready[name]), seconds(quiet[name]))
	}
	for _, what := range slices.Sorted(maps.Keys(r.skipped)) {
		fmt.Fprintf(w, "\nSkipped: %s (%s).\n", what, r.skipped[what])
	}
	fmt.Fprintf(w, "\nLevels, from %d samples; the first minute of each life of the server is left out.\n\n| value | first | last | slope per hour (95 %%) | samples, time | verdict |\n|---|---|---|---|---|---|\n", r.levels)
	for _, name := range slices.Sorted(maps.Keys(r.trends)) {
		t := r.trends[name]
		slope := "–"
		if !t.tooLittle {
			slope = fmt.Sprintf("%+.3g (%+.3g to %+.3g)", t.slope, t.low, t.high)
		}
		fmt.Fprintf(w, "| %s | %.4g | %.4g | %s | %d, %v | %s |\n", name, t.begin, t.end, slope, t.n, t.spent.Round(time.Second), t.verdict())
	}
	fmt.Fprintf(w, "\nViolations: %d\n", len(r.violations))
	for i, v := range r.violations[:min(len(r.violations), mostShown)] {
		fmt.Fprintf(w, "\n%d. At %v, %s, thread %s: %s\n", i+1, v.at.Round(time.Second), v.kind, v.thread, v.text)
		if v.lately != "" {
			fmt.Fprintf(w, "\n   ```\n   %s\n   ```\n", strings.ReplaceAll(v.lately, "\n", "\n   "))
		}
	}
}
