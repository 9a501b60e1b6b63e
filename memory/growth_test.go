package memory

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

var (
	growth      = flag.Bool("growth", false, "measure retrieval as a corpus grows, and print Markdown")
	growthSizes = flag.String("growth.sizes", "10000,50000,100000,200000", "passages of the synthesised corpora")
)

// TestGrowth measures ingest, size and queries of synthesised corpora and, where
// ASSAY_DATA has it, of ObliQA beside raw bleve. Everything that it prints is
// a table in Markdown.
func TestGrowth(t *testing.T) {
	if !*growth {
		t.Skip("run with -growth -timeout 60m to measure retrieval as a corpus grows")
	}
	var sizes []int
	for _, s := range strings.Split(*growthSizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("-growth.sizes: %v", err)
		}
		sizes = append(sizes, n)
	}
	if passages, questions, ok := obliqa(t); ok {
		fmt.Printf("\n| ObliQA, %d records, %d questions | p50, ms | p95, ms |\n|---|---|---|\n", len(passages), len(questions))
		c := ingestPassages(t, passages)
		m := timeQueries(t, c.corpus, questions)
		closeCorpus(t, c.corpus)
		one, three := timeRaw(t, passages, questions, theQuestion), timeRaw(t, passages, questions, threeWordings)
		fmt.Printf("| assay, three wordings pooled and fused | %s | %s |\n", ms(m.p50), ms(m.p95))
		fmt.Printf("| raw bleve, the question alone | %s | %s |\n", ms(one.p50), ms(one.p95))
		fmt.Printf("| raw bleve, the three wordings one after the other | %s | %s |\n\n", ms(three.p50), ms(three.p95))
		printHead()
		c.print(m)
	} else {
		printHead()
	}
	for _, n := range sizes {
		g := newGrown(t)
		var asked []state.Passage
		for from := 0; from < n; from += growthFile { // no more of them is in memory than an ingest has
			part := indextest.Part(from, min(from+growthFile, n), 1)
			for i := 0; i < len(part); i += 20 {
				asked = append(asked, part[i])
			}
			g.write(t, part)
		}
		g.ingest(t, asked[0].Text)
		g.print(timeQueries(t, g.corpus, indextest.Questions(300, asked, 2)))
		closeCorpus(t, g.corpus)
	}
}

// growthFile is how many passages a file of a synthesised corpus has.
const growthFile = 2000

// obliqa reads the passages and questions of a public data set.
func obliqa(t testing.TB) ([]state.Passage, []string, bool) {
	t.Helper()
	root := os.Getenv("ASSAY_DATA")
	f, err := os.Open(filepath.Join(root, "obliqa", "corpus.jsonl.gz"))
	if root == "" || errors.Is(err, fs.ErrNotExist) {
		t.Log("set ASSAY_DATA to the folder of evaluation data to measure ObliQA too")
		return nil, nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var passages []state.Passage
	for _, r := range lines[struct {
		ID   string `json:"id"`
		Doc  int    `json:"doc_id"`
		Text string `json:"text"`
	}](t, bufio.NewScanner(z)) {
		passages = append(passages, state.Passage{ID: r.ID, Doc: strconv.Itoa(r.Doc), Text: r.Text, End: len(r.Text), Source: r.ID})
	}
	q, err := os.Open(filepath.Join(root, "obliqa", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var questions []string
	for _, r := range lines[struct{ Question string }](t, bufio.NewScanner(q)) {
		questions = append(questions, r.Question)
	}
	return passages, questions, true
}

func lines[T any](t testing.TB, scan *bufio.Scanner) []T {
	t.Helper()
	scan.Buffer(nil, 1<<24)
	var out []T
	for scan.Scan() {
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A grown corpus is one whose making was measured.
type grown struct {
	home, files string
	corpus      *Corpus
	passages    int
	took        time.Duration // of the ingest
	cpu         time.Duration // of the ingest, on all processors
	added       time.Duration // one more file
	open        time.Duration
	peak        int64 // bytes resident at most during the ingest, 0 where unknown
	disk        int64 // bytes of the generation
	heap        int64 // bytes that the open corpus holds
}

func newGrown(t testing.TB) *grown {
	t.Helper()
	dir := t.TempDir()
	g := &grown{home: filepath.Join(dir, "home"), files: filepath.Join(dir, "files")}
	if err := os.Mkdir(g.files, 0o700); err != nil {
		t.Fatal(err)
	}
	return g
}

// write writes passages as a file of records.
func (g *grown) write(t testing.TB, passages []state.Passage) {
	t.Helper()
	writeRecords(t, filepath.Join(g.files, fmt.Sprintf("%07d.jsonl", g.passages)), passages)
	g.passages += len(passages)
}

// ingestPassages puts passages into a new corpus.
func ingestPassages(t testing.TB, passages []state.Passage) *grown {
	t.Helper()
	g := newGrown(t)
	g.write(t, passages)
	g.ingest(t, passages[0].Text)
	return g
}

// ingest makes a corpus of the files the way a person would, adds one more file and
// opens it.
func (g *grown) ingest(t testing.TB, question string) {
	t.Helper()
	resetPeak()
	start, used := time.Now(), cpuTime()
	r := mustIngest(t, IngestOptions{Home: g.home, Corpus: "grown", Paths: []string{g.files}})
	g.took, g.cpu, g.peak = time.Since(start), cpuTime()-used, peak()
	g.passages = r.Passages

	more := filepath.Join(g.home, "more.md")
	if err := os.WriteFile(more, []byte("# More\n\nOne more file, of a few words.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	mustIngest(t, IngestOptions{Home: g.home, Corpus: "grown", Paths: []string{more}})
	g.added = time.Since(start)

	before := heap()
	start = time.Now()
	c, err := Open(g.home, "grown")
	if err != nil {
		t.Fatal(err)
	}
	g.open = time.Since(start)
	if _, err := c.Search(t.Context(), retrieval.Query{Primary: question}); err != nil { // what searching needs counts, too
		t.Fatal(err)
	}
	g.heap = heap() - before
	g.corpus = c
	g.disk = sizeOf(t, c.store.path(c.gen))
}

func writeRecords(t testing.TB, path string, passages []state.Passage) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, p := range passages {
		if err := enc.Encode(map[string]string{"id": p.ID, "doc_id": p.Doc, "title": p.Title, "text": p.Text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func theQuestion(question string) []string { return []string{question} }

// threeWordings are what one question is searched by: itself and two others.
func threeWordings(question string) []string {
	w := strings.Fields(question)
	return []string{question, strings.Join(w[:(2*len(w)+2)/3], " "), strings.Join(w[len(w)/3:], " ")}
}

type timing struct{ p50, p95 time.Duration }

func timed(questions []string, ask func(q string)) timing {
	for _, q := range questions[:min(20, len(questions))] {
		ask(q)
	}
	took := make([]time.Duration, len(questions))
	for i, q := range questions {
		start := time.Now()
		ask(q)
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return timing{took[len(took)/2], took[len(took)*95/100]}
}

func timeQueries(t testing.TB, c *Corpus, questions []string) timing {
	t.Helper()
	return timed(questions, func(q string) {
		all := threeWordings(q)
		if _, err := c.Search(t.Context(), retrieval.Query{Primary: all[0], Alternatives: all[1:]}); err != nil {
			t.Fatal(err)
		}
	})
}

// timeRaw asks bleve as it comes all wordings of a question.
func timeRaw(t testing.TB, passages []state.Passage, questions []string, wordings func(string) []string) timing {
	t.Helper()
	raw, err := indextest.NewBleve(filepath.Join(t.TempDir(), "raw"), passages)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	return timed(questions, func(q string) {
		for _, q := range wordings(q) {
			if _, err := raw.Search(q, index.DefaultK); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func printHead() {
	fmt.Println("| passages | ingest, s | of processors, s | passages/s | peak memory of the ingest, kB a passage | one more file, s | query p50, ms | p95, ms | open, ms | on disk, kB a passage | in memory, kB a passage | vectors |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
}

func (g *grown) print(m timing) {
	per := func(bytes int64) string { return fmt.Sprintf("%.2f", float64(bytes)/1000/float64(g.passages)) }
	fmt.Printf("| %d | %.1f | %.1f | %.0f | %s | %.2f | %s | %s | %s | %s | %s | %s |\n", g.passages, g.took.Seconds(), g.cpu.Seconds(), float64(g.passages)/g.took.Seconds(),
		per(g.peak), g.added.Seconds(), ms(m.p50), ms(m.p95), ms(g.open), per(g.disk), per(g.heap), vectors(g.corpus.Training()))
}

func vectors(t index.Training) string {
	if t.Lists == 0 {
		return "scanned"
	}
	return fmt.Sprintf("%d of %d lists, recall@10 %.3f", t.Probes, t.Lists, t.Recall)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// resetPeak starts the process's largest resident size anew, where Linux can.
func resetPeak() {
	runtime.GC()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // else peak is that of the process's life
}

// peak is the largest resident size since then in bytes, 0 where unknown.
func peak() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kb int64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return 0
	}
	return kb << 10
}

func sizeOf(t testing.TB, dir string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}
