package endurance

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A sample is one look at what must stay level.
type sample struct {
	at     time.Duration // since the part began
	values map[string]float64
}

// lifeless are the values that go on over the restart of the server.
var lifeless = map[string]bool{"home, MiB": true, "home, files": true, "temporary files": true}

const (
	warming    = time.Minute // of a new process, is not fitted
	leastTime  = 10 * time.Minute
	leastCount = 30
	// quantile is that of Student's distribution for 97.5 %: 2.04 for 30 samples, 1.96 for many.
	quantile = 2
	// slight is the share of the mean by which a value may rise in an hour and still be
	// called level.
	slight = 0.05
)

// A trend is a straight line through the samples of all lives: one slope, and a height for
// each life.
type trend struct {
	n          int
	spent      time.Duration // that the lives span
	mean       float64
	slope      float64 // per hour
	low, high  float64 // the 95 % interval of the slope, per hour
	tooLittle  bool
	begin, end float64 // the first and the last value
}

// fit finds the trend of a value. Deviations from the line are taken to be independent:
// those of a real process are not, so that the interval is too narrow rather than too wide.
func fit(lives [][]sample, value string) trend {
	var t trend
	var xx, xy, yy, sum float64
	heights := 0
	for _, life := range lives {
		var kept []sample
		for _, s := range life {
			if _, ok := s.values[value]; ok && s.at-life[0].at >= warming {
				kept = append(kept, s)
			}
		}
		if len(kept) < 3 {
			continue
		}
		var mx, my float64
		for _, s := range kept {
			mx += s.at.Hours() / float64(len(kept))
			my += s.values[value] / float64(len(kept))
		}
		for _, s := range kept {
			x, y := s.at.Hours()-mx, s.values[value]-my
			xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
			sum += s.values[value]
		}
		if t.n == 0 {
			t.begin = kept[0].values[value]
		}
		t.end = kept[len(kept)-1].values[value]
		t.n += len(kept)
		t.spent += kept[len(kept)-1].at - kept[0].at
		heights++
	}
	free := t.n - heights - 1
	if t.tooLittle = t.n < leastCount || t.spent < leastTime || xx == 0 || free < 1; t.tooLittle {
		return t
	}
	t.mean = sum / float64(t.n)
	t.slope = xy / xx
	rest := max(0, yy-t.slope*xy)
	half := quantile * math.Sqrt(rest/float64(free)/xx)
	t.low, t.high = t.slope-half, t.slope+half
	return t
}

// verdict says in a word what a trend means.
func (t trend) verdict() string {
	switch {
	case t.tooLittle:
		return "too little data"
	case t.low > 0 && t.slope > slight*math.Abs(t.mean):
		return "rises"
	}
	return "level"
}

// process reads what a server has from its metrics.
func process(metrics string) map[string]float64 {
	out := map[string]float64{}
	for text := range strings.Lines(metrics) {
		name, value, _ := strings.Cut(strings.TrimSpace(text), " ")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		switch name {
		case "process_resident_memory_bytes":
			out["resident, MiB"] = v / (1 << 20)
		case "go_memstats_heap_inuse_bytes":
			out["heap, MiB"] = v / (1 << 20)
		case "process_open_fds":
			out["descriptors"] = v
		case "go_goroutines":
			out["goroutines"] = v
		}
	}
	return out
}

// folder counts what is in a folder. What vanishes meanwhile is not counted.
func folder(dir string) (files, bytes float64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // it is gone
		}
		if info, err := d.Info(); err == nil && d.Name() != ballast {
			files, bytes = files+1, bytes+float64(info.Size())
		}
		return nil
	})
	return files, bytes
}

// look takes a sample of an installation.
func (in *installation) look() sample {
	s := sample{at: time.Since(in.began), values: map[string]float64{}}
	if metrics, err := in.get("/metrics"); err == nil {
		s.values = process(metrics)
	}
	files, bytes := folder(in.home)
	s.values["home, files"], s.values["home, MiB"] = files, bytes/(1<<20)
	s.values["temporary files"], _ = folder(in.temp)
	return s
}

// watch takes samples until the installation ends.
func (in *installation) watch(every time.Duration) {
	for in.sleep(every) {
		in.mu.Lock()
		up := in.up
		in.mu.Unlock()
		if !up {
			continue
		}
		s := in.look()
		in.mu.Lock()
		in.lives[len(in.lives)-1] = append(in.lives[len(in.lives)-1], s)
		in.mu.Unlock()
	}
}

// tail is the end of a file: at most so many lines that have one of some words in them.
func tail(file string, most int, words ...string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "" // nothing was written
	}
	var found []string
	for text := range strings.Lines(string(data)) {
		for _, w := range words {
			if strings.Contains(text, w) {
				found = append(found, strings.TrimRight(text, "\n"))
				break
			}
		}
	}
	return strings.Join(found[max(0, len(found)-most):], "\n")
}
