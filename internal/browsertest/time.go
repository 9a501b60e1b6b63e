package browsertest

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// A page is prompt if it is painted first within soon, and shows what an input does within atOnce.
const (
	soon   = 500 * time.Millisecond
	atOnce = 100 * time.Millisecond
)

// Prompt opens an address in rounds, after once, does something on the page, and reports a page that is
// late in each round: other programs make a time longer, never shorter. A late page gets more rounds.
func (p *Page) Prompt(t *testing.T, name, address string, rounds int, do func()) {
	t.Helper()
	var painted, reacted []time.Duration
	p.Goto(address) // what pages share is in the cache from now on
	for i := 0; i < rounds || i < 4*rounds && (slices.Min(painted) > soon || slices.Min(reacted) > atOnce); i++ {
		p.Goto(address)
		_, first := p.Times()
		painted, reacted = append(painted, first), append(reacted, p.Reacts(do))
	}
	slices.Sort(painted)
	slices.Sort(reacted)
	t.Logf("%s: painted after %s, reacts after %s", name, spread(painted), spread(reacted))
	if painted[0] > soon || reacted[0] > atOnce {
		t.Errorf("%s is painted after %s and reacts after %s at best", name, painted[0], reacted[0])
	}
}

// spread writes the least, the median and the most of sorted times.
func spread(t []time.Duration) string {
	return fmt.Sprintf("%d / %d / %d ms", t[0].Milliseconds(), t[len(t)/2].Milliseconds(), t[len(t)-1].Milliseconds())
}

// Reacts returns the longest time from an input to the paint after it, while something is done. It is
// at least 16 milliseconds: the browser does not report shorter times.
func (p *Page) Reacts(do func()) time.Duration {
	p.t.Helper()
	p.Eval(`globalThis.assayFelt = [16]; globalThis.assayFeels = new PerformanceObserver(list => assayFelt.push(...list.getEntries().map(e => e.duration))); assayFeels.observe({type: 'event', durationThreshold: 16})`, nil)
	do()
	var ms float64
	p.Eval(`new Promise(done => requestAnimationFrame(() => setTimeout(() => { assayFelt.push(...assayFeels.takeRecords().map(e => e.duration)); done(Math.max(...assayFelt)); }, 50)))`, &ms)
	return time.Duration(ms * float64(time.Millisecond))
}

// Times returns the times from the request until the page was complete, and until the first paint.
func (p *Page) Times() (come, painted time.Duration) {
	p.t.Helper()
	p.Wait(`performance.getEntriesByName('first-contentful-paint').length > 0`)
	var ms [2]float64
	p.Eval(`(({requestStart, responseEnd}) => [responseEnd - requestStart, performance.getEntriesByName('first-contentful-paint')[0].startTime - requestStart])(performance.getEntriesByType('navigation')[0])`, &ms)
	return time.Duration(ms[0] * float64(time.Millisecond)), time.Duration(ms[1] * float64(time.Millisecond))
}

// Busy returns the processor time of the page's parsing, layout and painting, in the thread that
// does most of this. Other programs do not affect it.
func (p *Page) Busy() time.Duration {
	p.t.Helper()
	var out struct {
		Metrics []struct {
			Name  string
			Value float64 // seconds
		}
	}
	p.call("Performance.getMetrics", nil, &out)
	for _, m := range out.Metrics {
		if m.Name == "TaskDuration" {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	p.t.Fatal("the browser does not say how long its tasks took")
	return 0
}
