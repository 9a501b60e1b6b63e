package endurance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// straight makes lives whose value is a line with noise.
func straight(perHour, noise float64, spans ...time.Duration) (lives [][]sample) {
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Duration(0)
	for i, span := range spans {
		var life []sample
		for begin := at; at < begin+span; at += 5 * time.Second {
			v := 100 + 40*float64(i) + perHour*(at-begin).Hours() + noise*random.NormFloat64()
			if at-begin < warming {
				v = 0 // must not count
			}
			life = append(life, sample{at, map[string]float64{"v": v}})
		}
		lives = append(lives, life)
	}
	return lives
}

// A slope is found over restarts, with its interval, and what is too little is called so.
func TestFit(t *testing.T) {
	got := fit(straight(12, 0, 6*time.Minute, 20*time.Minute), "v")
	if math.Abs(got.slope-12) > 1e-6 || got.high-got.low > 1e-5 || got.verdict() != "rises" || got.begin < 100 || got.end < 140 {
		t.Errorf("a line of 12 an hour: %+v", got)
	}
	if got = fit(straight(0, 3, 10*time.Minute, 10*time.Minute), "v"); got.low >= 0 || got.high <= 0 || got.verdict() != "level" {
		t.Errorf("noise alone: %+v, %s", got, got.verdict())
	}
	if got := fit(straight(1, 0.01, 30*time.Minute), "v"); got.low <= 0 || got.verdict() != "level" {
		t.Errorf("1 %% an hour: %+v, %s", got, got.verdict())
	}
	if got := fit(straight(-50, 0.1, 30*time.Minute), "v"); got.high >= 0 || got.verdict() != "level" {
		t.Errorf("a fall: %+v, %s", got, got.verdict())
	}
	if got := (trend{slope: 20, low: -1, high: 41, mean: 100}).verdict(); got != "level" {
		t.Errorf("a slope that may be none is called %q", got)
	}
	for _, lives := range [][][]sample{nil, straight(12, 0, 3*time.Minute), straight(12, 0, 8*time.Minute), straight(12, 0, time.Minute, time.Minute, time.Minute)} {
		if got := fit(lives, "v"); got.verdict() != "too little data" {
			t.Errorf("%d lives: %+v, %s", len(lives), got, got.verdict())
		}
	}
	// The interval is that of the textbooks, computed here by their other formula.
	var life []sample
	for i := range 48 {
		life = append(life, sample{time.Duration(i) * time.Minute / 2, map[string]float64{"v": float64(2*(i%2) - 1)}})
	}
	got = fit([][]sample{life[:2], life[2:]}, "v") // 2 samples are a life too short, and 2 of the rest warm up
	n, sxx, sxy, syy := 0.0, 0.0, 0.0, 0.0
	for _, s := range life[4:] {
		n++
		sxx, sxy, syy = sxx+s.at.Hours()*s.at.Hours(), sxy+s.at.Hours()*s.values["v"], syy+1
	}
	mean := 0.0
	for _, s := range life[4:] {
		mean += s.at.Hours() / n
	}
	sxx -= n * mean * mean // the values add up to 0
	slope := sxy / sxx
	half := quantile * math.Sqrt((syy-slope*sxy)/(n-2)/sxx)
	if math.Abs(got.slope-slope) > 1e-9 || math.Abs(got.high-slope-half) > 0.001*half || math.Abs(got.low-slope+half) > 0.001*half {
		t.Errorf("got %+v, want %v ± %v", got, slope, half)
	}
}

func said(kind, id, text string) message { return message{id, kind, content{text: text}} }

// Each way in which a thread may differ from its account is found.
func TestAccount(t *testing.T) {
	whole := func() (account, []message) {
		return account{{mark: "m1q", least: 1, fewest: 1, most: 1}, {mark: "m2q", most: 1}, {mark: "m3q", least: 1}},
			[]message{said("human", "a", "one (m1q)"), said("ai", "reply-a", "yes"), said("human", "c", "Noted: m3q")}
	}
	a, list := whole()
	if wrong := a.check(list); wrong != nil {
		t.Fatalf("nothing is wrong: %q", wrong)
	}
	for want, spoil := range map[string]func() []message{
		"m1q was acknowledged and is not there": func() []message { return list[2:] },
		"m3q was acknowledged and is not there": func() []message { return list[:2] },
		"m3q is there 2 times":                  func() []message { return append(list, said("human", "d", "Noted: m3q")) },
		"m1q has 0 answers":                     func() []message { return []message{list[0], list[2]} },
		"m3q has 1 answers":                     func() []message { return append(list, said("ai", "reply-c", "no")) },
		"two messages have the ID":              func() []message { return append(list, list[1]) },
		"nobody has sent":                       func() []message { return append(list, said("human", "e", "who? m4q")) },
		"comes before":                          func() []message { return []message{list[2], list[0], list[1]} },
		"has no question before it":             func() []message { return append(list, said("ai", "reply-x", "lost")) },
	} {
		a, list = whole()
		if wrong := strings.Join(a.check(spoil()), "; "); !strings.Contains(wrong, want) {
			t.Errorf("want %q, got %q", want, wrong)
		}
	}
}

// A quote is held against the bytes of its document and the characters of its answer.
func TestCitation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "d.md")
	const doc = "Über: the fee –  nine\ncrowns."
	if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "the fee –  nine\ncrowns"
	at := strings.Index(doc, text)
	answer := "“Ü” is “the fee – nine crowns”"
	good := citation{From: 8, To: 29, Text: text, Path: file, At: at, End: at + len(text)}
	if err := good.check(answer, ""); err != nil {
		t.Error(err)
	}
	brought := good
	brought.Path = ""
	if err := brought.check(answer, doc); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*citation){
		"a byte later":       func(c *citation) { c.At++; c.End++ },
		"a byte more":        func(c *citation) { c.End++ },
		"behind the end":     func(c *citation) { c.End = 1000 },
		"nothing":            func(c *citation) { c.End = c.At },
		"other words":        func(c *citation) { c.Text = "the fee –  ten\ncrowns" },
		"a character later":  func(c *citation) { c.From++ },
		"no file":            func(c *citation) { c.Path += "x" },
		"outside the answer": func(c *citation) { c.To = 400 },
	} {
		c := good
		spoil(&c)
		if c.check(answer, "") == nil {
			t.Errorf("%s is taken for a quote", name)
		}
	}
}

// What is wrong with a stream is found. An end without a number does not count as an event.
func TestStreams(t *testing.T) {
	text := "event: values\ndata: {}\nid: 3\n\n: heartbeat\n\nevent: updates\ndata: {\"hear\":{}}\nid: 3.1\n\nevent: updates\ndata: {\"reply\":{}}\nid: 12\n\nevent: error\ndata: {\"error\":\"Error\",\"message\":\"why\"}\n\n"
	all, whole, err := read(strings.NewReader(text), -1)
	seen, failure, unread := numbered(all)
	if err != nil || !whole || unread || len(seen) != 3 || failure != "why" || ordered(seen) != "" || once(seen) != "" || equal(seen, seen) != "" {
		t.Fatalf("%v, %v, %v, %q, %s %s", seen, whole, err, failure, ordered(seen), once(seen))
	}
	if _, _, unread := numbered([]event{{name: "error", data: `{"error":"StreamUnreadable","message":"cut"}`}}); !unread {
		t.Error("a stream that could not be read is taken for whole")
	}
	if some, whole, _ := read(strings.NewReader(text), 2); len(some) != 2 || whole {
		t.Errorf("two events: %v, whole %v", some, whole)
	}
	if _, whole, _ := read(strings.NewReader(text[:len(text)-8]), -1); whole {
		t.Error("a stream that was cut is taken for whole")
	}
	twice := append(seen[:3:3], event{"updates", `{"hear":{}}`, "14"})
	for name, wrong := range map[string]string{
		"turned": ordered([]event{seen[1], seen[0]}), "behind": ordered([]event{seen[2], seen[1]}), "the same": ordered([]event{seen[1], seen[1]}), "twice": once(twice),
		"less": equal(seen, seen[:2]), "more": equal(seen[:2], seen), "other": equal(seen[:2], []event{seen[0], seen[2]}),
	} {
		if wrong == "" {
			t.Errorf("%s: nothing is found", name)
		}
	}
}

// The model quotes what is there, and with false words what is not.
func TestModel(t *testing.T) {
	prompt := "<data-7 source 1>\nTitle: A\nSection: B\n\nThe sky is blue. \n</data-7>\n<data-7 source 2>\nTitle: C\nSection: D\n\nThe fee is nine crowns. Pay it.\n</data-7>\n<data-7 question>\nWhat is the fee?\n</data-7>"
	if got := answer("", prompt, false); !strings.Contains(got, "“The fee is nine crowns.” [Source 2]") {
		t.Error(got)
	}
	if got := answer("", prompt, true); strings.Contains(got, "The fee is nine crowns.") {
		t.Error(got)
	}
	form := fmt.Sprintf("<data-7 document>\n%s\n</data-7>", "Receipt\n\npayee: Office\ntotal: 12.50")
	if got := answer("extract_fields", form, false); !strings.Contains(got, `"path":"total","value":"12.50","quote":"12.50"`) {
		t.Error(got)
	}
}

// A gate that could not be shut in time lets all in again when the last has gone.
func TestShut(t *testing.T) {
	in := &installation{report: newReport("x", t.TempDir()), busy: map[string]time.Time{}}
	done := in.doing("one")
	if in.shut(10 * time.Millisecond) {
		t.Fatal("it was shut while something went on")
	}
	entered := make(chan struct{})
	go func() {
		in.doing("two")()
		close(entered)
	}()
	done()
	select {
	case <-entered:
	case <-time.After(time.Minute):
		t.Fatal("nobody gets in any more")
	}
	if !in.shut(time.Minute) {
		t.Error("it was not shut though nothing went on")
	}
}

// A home is copied if something did not hold.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	in := &installation{report: newReport("x", dir), home: filepath.Join(dir, "home")}
	if err := os.MkdirAll(filepath.Join(in.home, "qa"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(in.home, "qa", "a.db"), []byte("answers"), 0o600); err != nil {
		t.Fatal(err)
	}
	in.keep()
	copied := filepath.Join(dir, "home-kept", "qa", "a.db")
	if _, err := os.Stat(copied); !os.IsNotExist(err) {
		t.Errorf("all held, and the home was copied: %v", err)
	}
	in.violate("run", "", "it has not ended")
	in.keep()
	if data, err := os.ReadFile(copied); string(data) != "answers" {
		t.Errorf("the copy has %q, %v", data, err)
	}
}
