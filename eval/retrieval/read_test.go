package retrieval

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/memory/document"
)

// fixtures are a small collection in each format: corpus, queries, qrels.
var fixtures = map[string][3]string{
	"beir": {
		`{"_id":"p1","title":"Lanterns","text":"A lantern permit lasts two winters."}
{"_id":"p2","title":"","text":"Bollards are painted in May.","metadata":{}}
{"_id":"p3","title":"Nothing","text":"  "}`,
		`{"_id":"q1","text":"How long does a lantern permit last?"}
{"_id":"q2","text":"When are bollards painted?"}
{"_id":"q3","text":"Who asks?"}`,
		"query-id\tcorpus-id\tscore\nq1\tp1\t2\nq1\tp2\t0\nq2\tp2\t1\nq2\tp3\t1\nq2\tp9\t1\n",
	},
	"obliqa": {
		`{"id":"u1","doc_id":7,"passage_id":"1.1","text":"A wardkeeper shall inspect each lantern."}
{"id":"u2","doc_id":7,"passage_id":"1.2","text":""}
{"id":"u3","doc_id":8,"passage_id":"1.1","text":"A fee of two crowns is due in May."}`,
		`{"id":"a","question":"Who inspects lanterns?","qrels":{"u1":1},"group":1,"n_gold":1}
{"id":"b","question":"What fee is due?","qrels":{"u3":1,"u1":1}}`, "",
	},
	"scifact": {
		`{"id":4,"title":"Tides","text":"The tide lags the moon by an hour.","sentences":["x"]}
{"id":5,"title":"Moss","text":"Moss grows on the north side."}`,
		`{"id":1,"claim":"The tide follows the moon.","qrels":{"4":1},"label":"SUPPORT","evidence":[]}
{"id":2,"claim":"Moss sings.","qrels":{},"label":"NOT_ENOUGH_INFO"}`, "",
	},
	"barexam": {
		`{"id":"m1","text":"A deed's covenant of title is broken when the grantor lacks it."}
{"id":"m2","text":"Hearsay is a statement made out of court."}`,
		`{"id":"x","prompt":"Ann sold land.","question":"Which is right?","choices":{"B":"The deed controls.","A":"It was fraud."},"answer":"B","gold_passage_ids":["m1"]}
{"id":"y","prompt":"","question":"What is hearsay?","choices":{"A":"A statement."},"answer":"A","gold_passage_ids":["m2"]}`, "",
	},
	"legalbench": {
		`{"id":"f/a b.txt","text":"Für alle: the “party” keeps secrets."}
{"id":"f/c.txt","text":"Short."}`,
		`{"id":"s-1","query":"Are secrets kept?","snippets":[{"doc_id":"f/a b.txt","start":14,"end":36,"text":"“party” keeps secrets."}],"source":"f"}`, "",
	},
	"morehopqa": {
		`{"id":"h1","title":"Ada","text":"Ada is the mother of Bea."}
{"id":"h2","title":"Bea","text":"Bea was born in 1857."}`,
		`{"id":"k","question":"When was Ada's daughter born?","gold_passage_ids":["h1","h2"],"decomposition":[]}`, "",
	},
}

// files writes a fixture, compressed or not.
func files(t testing.TB, format string, content [3]string, packed bool) Files {
	t.Helper()
	dir := t.TempDir()
	f := Files{Format: format}
	for i, part := range []struct {
		name string
		path *string
	}{{"corpus.jsonl", &f.Corpus}, {"queries.jsonl", &f.Queries}, {"qrels.tsv", &f.Qrels}} {
		if content[i] == "" && i == 2 {
			continue
		}
		data := []byte(content[i])
		*part.path = filepath.Join(dir, part.name)
		if packed {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			if _, err := z.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		if err := os.WriteFile(*part.path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func fixture(t testing.TB, format string) *Dataset {
	t.Helper()
	d, err := Read(t.Context(), files(t, format, fixtures[format], false), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A row is a query in short.
type row struct {
	ID     string
	Texts  []string
	Judged metrics.Judgments
	Docs   metrics.Judgments
}

func TestRead(t *testing.T) {
	type passage struct{ ID, Doc, Title, Text string }
	one := func(id string) metrics.Judgments { return metrics.Judgments{id: 1} }
	for _, tt := range []struct {
		format                   string
		passages                 []passage
		queries                  []row
		empty, unjudged, missing int
	}{
		{"beir", []passage{{"p1", "p1", "Lanterns", "A lantern permit lasts two winters."}, {"p2", "p2", "", "Bollards are painted in May."}},
			[]row{{"q1", []string{"How long does a lantern permit last?"}, metrics.Judgments{"p1": 2, "p2": 0}, one("p1")},
				{"q2", []string{"When are bollards painted?"}, metrics.Judgments{"p2": 1, "p3": 1, "p9": 1}, one("p2")}}, 1, 1, 2},
		{"obliqa", []passage{{"u1", "7", "", "A wardkeeper shall inspect each lantern."}, {"u3", "8", "", "A fee of two crowns is due in May."}},
			[]row{{"a", []string{"Who inspects lanterns?"}, one("u1"), one("7")},
				{"b", []string{"What fee is due?"}, metrics.Judgments{"u1": 1, "u3": 1}, metrics.Judgments{"7": 1, "8": 1}}}, 1, 0, 0},
		{"scifact", []passage{{"4", "4", "Tides", "The tide lags the moon by an hour."}, {"5", "5", "Moss", "Moss grows on the north side."}},
			[]row{{"1", []string{"The tide follows the moon."}, one("4"), one("4")}}, 0, 1, 0},
		{"barexam", []passage{{"m1", "m1", "", "A deed's covenant of title is broken when the grantor lacks it."}, {"m2", "m2", "", "Hearsay is a statement made out of court."}},
			[]row{{"x", []string{"Ann sold land.\nWhich is right?\nIt was fraud.\nThe deed controls."}, one("m1"), one("m1")},
				{"y", []string{"What is hearsay?\nA statement."}, one("m2"), one("m2")}}, 0, 0, 0},
		{"legalbench", []passage{{"f/a b.txt#0-41", "f/a b.txt", "", "Für alle: the “party” keeps secrets."}, {"f/c.txt#0-6", "f/c.txt", "", "Short."}},
			[]row{{"s-1", []string{"Are secrets kept?"}, one("f/a b.txt#0-41"), one("f/a b.txt")}}, 0, 0, 0},
		{"morehopqa", []passage{{"h1", "h1", "Ada", "Ada is the mother of Bea."}, {"h2", "h2", "Bea", "Bea was born in 1857."}},
			[]row{{"k", []string{"When was Ada's daughter born?"}, metrics.Judgments{"h1": 1, "h2": 1}, metrics.Judgments{"h1": 1, "h2": 1}}}, 0, 0, 0},
	} {
		for _, packed := range []bool{false, true} {
			d, err := Read(t.Context(), files(t, tt.format, fixtures[tt.format], packed), nil)
			if err != nil {
				t.Errorf("%s, packed %v: %v", tt.format, packed, err)
				continue
			}
			var passages []passage
			for _, p := range d.Passages {
				passages = append(passages, passage{p.ID, p.Doc, p.Title, p.Text})
				if p.End-p.Start != len(p.Text) || p.Source == "" {
					t.Errorf("%s: passage %+v", tt.format, p)
				}
			}
			var queries []row
			for _, q := range d.Queries {
				queries = append(queries, row{q.ID, q.Texts, q.Judged, q.docs})
			}
			if diff := cmp.Diff(tt.passages, passages); diff != "" {
				t.Errorf("%s passages (-want +got):\n%s", tt.format, diff)
			}
			if diff := cmp.Diff(tt.queries, queries); diff != "" {
				t.Errorf("%s queries (-want +got):\n%s", tt.format, diff)
			}
			if d.Empty != tt.empty || d.Unjudged != tt.unjudged || d.Missing != tt.missing {
				t.Errorf("%s: empty %d, unjudged %d, missing %d", tt.format, d.Empty, d.Unjudged, d.Missing)
			}
		}
	}
	if got := len(Formats()); got != len(fixtures) {
		t.Errorf("%d formats, %d fixtures", got, len(fixtures))
	}
}

func TestChoicesPooled(t *testing.T) {
	d, err := Read(t.Context(), files(t, "barexam", fixtures["barexam"], false), &ReadOptions{Choices: choicesPooled})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Ann sold land.\nWhich is right?\nIt was fraud.\nThe deed controls.", "It was fraud.", "The deed controls."}
	if diff := cmp.Diff(want, d.Queries[0].Texts); diff != "" {
		t.Error(diff)
	}
	content := fixtures["barexam"]
	content[1] = strings.Replace(content[1], "It was fraud.", " ", 1)
	if d, err = Read(t.Context(), files(t, "barexam", content, false), &ReadOptions{Choices: choicesPooled}); err != nil || len(d.Queries[0].Texts) != 2 {
		t.Errorf("an empty choice: %+v, %v", d, err)
	}
}

// A fault names the file, the line and the field.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		format string
		part   int // 0 corpus, 1 queries, 2 qrels
		old    string
		new    string
		want   string // after the file's name
	}{
		{"obliqa", 0, `"id":"u3"`, `"id":"u1"`, `:3: field "id": "u1" is the id of line 1, too`},
		{"obliqa", 0, `"id":"u3",`, ``, `:3: field "id": it is missing`},
		{"obliqa", 0, `"id":"u3"`, `"id":[1]`, `:3: field "id": it is a JSON array; want a string`},
		{"obliqa", 0, `"text":""`, `"text":5`, `:2: field "text": it is a JSON number; want a string`},
		{"obliqa", 0, `{"id":"u1"`, `{"id":"u1`, `:1: it is not JSON`},
		{"obliqa", 0, `A wardkeeper`, "A \xff", `:1: it is not valid UTF-8`},
		{"obliqa", 0, `{"id":"u1"`, "null\n{\"id\":\"u1\"", `:1: it is null`},
		{"obliqa", 1, `"question":"Who inspects lanterns?",`, ``, `:1: field "question": it is missing`},
		{"obliqa", 1, `,"qrels":{"u3":1,"u1":1}`, ``, `:2: field "qrels": it is missing`},
		{"obliqa", 1, `{"u1":1}`, `{"u1":31}`, `:1: field "qrels": the grade of "u1" is 31`},
		{"obliqa", 1, `{"u1":1}`, `{"u1":0.5}`, `it is a JSON number 0.5; want a whole number`},
		{"obliqa", 1, `"id":"b"`, `"id":"a"`, `:2: field "id": "a" is the id of line 1`},
		{"scifact", 1, `"claim"`, `"question"`, `:1: field "claim": it is missing`},
		{"morehopqa", 1, `"gold_passage_ids"`, `"gold"`, `:1: field "gold_passage_ids": it is missing`},
		{"morehopqa", 1, `["h1","h2"]`, `["x","y"]`, ``},
		{"barexam", 1, `"choices":{"A":"A statement."}`, `"choices":{}`, `:2: field "choices": it is missing or empty`},
		{"barexam", 1, `"question":"What is hearsay?"`, `"question":" "`, `:2: field "question": it is missing or empty`},
		{"legalbench", 1, `"end":36`, `"end":37`, `:1: field "snippets[0]": its start and end are no span of the document's 36 characters`},
		{"legalbench", 1, `"start":14`, `"start":-1`, `:1: field "snippets[0]": its start`},
		{"legalbench", 1, `"start":14,`, ``, `:1: field "snippets[0]": its start`},
		{"legalbench", 1, `"start":14`, `"start":13`, `:1: field "snippets[0].text": it is not what`},
		{"legalbench", 1, `"doc_id":"f/a b.txt"`, `"doc_id":"f"`, `:1: field "snippets[0].doc_id": "f" is no document of`},
		{"legalbench", 0, `"f/c.txt"`, `"f/a b.txt"`, `:2: field "id": "f/a b.txt" is the id of line 1`},
		{"beir", 1, `"text":"Who asks?"`, `"text":""`, `:3: field "text": it is missing`},
		{"beir", 0, `"_id":"p2",`, ``, `:2: field "_id": it is missing`},
		{"beir", 2, "q2\tp2\t1", "q2\tp2", `:4: it has 2 columns`},
		{"beir", 2, "q2\tp2\t1", "q2\tp2\tyes", `:4: field "score": "yes" is not a whole number`},
		{"beir", 2, "q2\tp2\t1", "query-id\tp2\tscore", `:4: field "score": "score" is not a whole number`},
		{"beir", 2, "q2\tp2\t1", "q1\tp2\t1", `:4: field "corpus-id": "p2" is judged twice for query "q1"`},
		{"beir", 2, "q2\tp2\t1", "q2\tp2\t99", `:4: field "score": the grade of "p2" is 99`},
	} {
		content := fixtures[tt.format]
		if content[tt.part] = strings.Replace(content[tt.part], tt.old, tt.new, 1); content == fixtures[tt.format] {
			t.Errorf("%s: %q is not in the fixture", tt.format, tt.old)
		}
		f := files(t, tt.format, content, false)
		_, err := Read(t.Context(), f, nil)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s with %s: %v", tt.format, tt.new, err)
			}
			continue
		}
		path := []string{f.Corpus, f.Queries, f.Qrels}[tt.part]
		fault, ok := errors.AsType[*document.InputError](err)
		if !ok || fault.Path != path || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %s: %v, want %s%s", tt.format, tt.new, err, path, tt.want)
		}
	}
}

// Faults of whole files, and options that do not fit.
func TestUnreadable(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	beir, obliqa := fixtures["beir"], fixtures["obliqa"]
	good := files(t, "obliqa", obliqa, false)
	with := func(change func(*Files)) Files { f := good; change(&f); return f }
	for name, tt := range map[string]struct {
		ctx  context.Context
		f    Files
		opts *ReadOptions
		want string
	}{
		"format":       {t.Context(), with(func(f *Files) { f.Format = "cran" }), nil, `no format "cran"; known: barexam, beir, legalbench`},
		"no qrels":     {t.Context(), with(func(f *Files) { f.Format = "beir" }), nil, "judgments in a file of their own"},
		"qrels":        {t.Context(), with(func(f *Files) { f.Qrels = "x" }), nil, "judgments in the file of the queries"},
		"choices":      {t.Context(), good, &ReadOptions{Choices: choicesPooled}, "obliqa has no choices"},
		"odd choices":  {t.Context(), with(func(f *Files) { f.Format = "barexam" }), &ReadOptions{Choices: "some"}, `not "some"`},
		"no file":      {t.Context(), with(func(f *Files) { f.Queries = "nowhere.jsonl" }), nil, "nowhere.jsonl"},
		"cancelled":    {ctx, good, nil, "context canceled"},
		"cut gzip":     {t.Context(), with(func(f *Files) { f.Corpus = cutGzip(t) }), nil, ": it cannot be read: unexpected EOF"},
		"no gzip":      {t.Context(), files(t, "obliqa", [3]string{"\x1f\x8bno", obliqa[1], ""}, false), nil, "it is not whole gzip"},
		"empty corpus": {t.Context(), files(t, "obliqa", [3]string{"\n", obliqa[1], ""}, false), nil, "it has no passage with text"},
		"no relevant":  {t.Context(), files(t, "beir", [3]string{beir[0], beir[1], "q9\t0\tp1\t1\n"}, false), nil, "none of its queries has a relevant passage"},
		"long line":    {t.Context(), files(t, "obliqa", [3]string{strings.Repeat("x", jsonl.MaxLine+1), obliqa[1], ""}, true), nil, "corpus.jsonl:1: the line is longer than"},
	} {
		if _, err := Read(tt.ctx, tt.f, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func cutGzip(t *testing.T) string {
	t.Helper()
	f := files(t, "obliqa", fixtures["obliqa"], true)
	data, err := os.ReadFile(f.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Corpus, data[:len(data)-12], 0o600); err != nil {
		t.Fatal(err)
	}
	return f.Corpus
}

// TREC's four columns, a byte order mark and Windows line ends are read, too.
func TestQrelsColumns(t *testing.T) {
	content := fixtures["beir"]
	content[2] = "\ufeffq1 0 p1 2\r\nq2 0 p2 1\r\n"
	d, err := Read(t.Context(), files(t, "beir", content, false), nil)
	if err != nil || d.Queries[0].Judged["p1"] != 2 || d.Queries[1].Judged["p2"] != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	content[2] = "q1\tp1\t2\r\n"
	if d, err = Read(t.Context(), files(t, "beir", content, false), nil); err != nil || d.Queries[0].Judged["p1"] != 2 {
		t.Errorf("without a header: %+v, %v", d, err)
	}
}

// Whatever files hold, reading them gives a sound dataset or an error.
func FuzzRead(f *testing.F) {
	for _, format := range Formats() {
		content := fixtures[format]
		f.Add(format, content[0], content[1], content[2])
	}
	f.Fuzz(func(t *testing.T, format, corpus, queries, qrels string) {
		if _, ok := formats[format]; !ok {
			return
		}
		d, err := Read(t.Context(), files(t, format, [3]string{corpus, queries, qrels}, false), nil)
		if err != nil {
			return
		}
		for _, q := range d.Queries {
			if q.Judged.Relevant() == 0 || len(q.Texts) == 0 {
				t.Errorf("query %+v", q)
			}
			for _, v := range d.score(q, q.Relevant(), 5) {
				if !(v >= 0 && v <= 1+1e-9) {
					t.Errorf("a metric of %v", v)
				}
			}
		}
		for i, p := range d.Passages {
			if d.at[p.ID] != i || !utf8.ValidString(p.Text) || p.Text == "" {
				t.Errorf("passage %d: %+v", i, p)
			}
		}
	})
}

// Of a long file it is said how much of its bytes was read.
func TestReadProgress(t *testing.T) {
	content := fixtures["obliqa"]
	content[0] += strings.Repeat("\n", 2500)
	var seen []int
	_, err := Read(t.Context(), files(t, "obliqa", content, false), &ReadOptions{Progress: func(_ string, done, total int) {
		seen = append(seen, done)
		if done > total || total != len(content[0]) {
			t.Errorf("%d of %d bytes", done, total)
		}
	}})
	if err != nil || len(seen) != 2 {
		t.Errorf("progress %v, %v", seen, err)
	}
}
