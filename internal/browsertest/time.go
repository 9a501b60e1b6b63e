package browsertest

import "time"

// Times returns the time from the page's request to the end of its response, and to the browser's
// first paint.
func (p *Page) Times() (come, painted time.Duration) {
	p.t.Helper()
	p.Wait(`performance.getEntriesByName('first-contentful-paint').length > 0`)
	var ms [2]float64
	p.Eval(`(({requestStart, responseEnd}) => [responseEnd - requestStart, performance.getEntriesByName('first-contentful-paint')[0].startTime - requestStart])(performance.getEntriesByType('navigation')[0])`, &ms)
	return time.Duration(ms[0] * float64(time.Millisecond)), time.Duration(ms[1] * float64(time.Millisecond))
}

// Busy is the processor time in which the main thread has read, laid out and painted the page. Other
// programs do not add to it.
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
