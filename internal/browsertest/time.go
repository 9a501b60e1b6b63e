package browsertest

import (
	"fmt"
	"slices"
	"time"
)

// Times are measured times in ascending order.
type Times []time.Duration

// Best is the shortest: other programs make a time longer, never shorter.
func (t Times) Best() time.Duration { return t[0] }

func (t Times) String() string {
	ms := func(d time.Duration) int64 { return d.Milliseconds() }
	return fmt.Sprintf("%d / %d / %d ms", ms(t[0]), ms(t[len(t)/2]), ms(t[len(t)-1]))
}

// Clock opens an address several times, after once, and does something on the page. It returns the times until
// the first paint, and from each input to the paint after it.
func (p *Page) Clock(address string, rounds int, do func()) (painted, reacted Times) {
	p.t.Helper()
	p.Goto(address) // what pages share is in the cache from now on
	for range rounds {
		p.Goto(address)
		_, first := p.Times()
		painted, reacted = append(painted, first), append(reacted, p.Reacts(do))
	}
	slices.Sort(painted)
	slices.Sort(reacted)
	return painted, reacted
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
