package hostiletest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"example.com/assay/internal/hostiletest"
)

// The bounds of one command, whatever it reads. The time is processor time, since the time that
// a command waits for processors depends on the machine. The wall time is for commands that
// would wait forever.
const (
	hostileMemory = 512 << 20
	hostileCPU    = 10 * time.Second
	hostileWall   = 2 * time.Minute
	hostileRows   = 3200 // at least, all together
)

// A hostileRow is a command line with its input. In its arguments FILE is the input, HOME is the
// home, and DIR is an empty folder.
type hostileRow struct {
	name  string
	args  []string
	file  string // the name of the input; empty for none
	input hostiletest.Payload
	stdin bool                                 // the input is also standard input
	make  func(t *testing.T, dir, home string) // makes an input that is not a plain file
}

// A hostileBench has the program, and the valid input of its verbs.
type hostileBench struct {
	agent, home string
	samples     map[string][]byte
}

const hostileText = "# Lease\n\nThe tenant must give 30 days of notice. A late notice causes a loss of the deposit.\n"

func newHostileBench(t *testing.T) *hostileBench {
	t.Helper()
	dir := t.TempDir()
	b := &hostileBench{agent: filepath.Join(dir, "agent"), home: filepath.Join(dir, "home"), samples: map[string][]byte{}}
	if out, err := exec.Command("go", "build", "-o", b.agent, "example.com/assay/cmd/agent").CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("lease.md", hostileText)
	write("schema.json", hostileSchema)
	for _, args := range [][]string{
		{"ingest", "lease.md"},
		{"ask", "--memory", "--trace", "run.jsonl", "How many days of notice must the tenant give?"},
		{"ask", "--record", "run.cassette", "--thread", "lease", "How many days of notice must the tenant give?"},
		{"comply", "--audit", "audit.json", "What notice must the tenant give?"},
	} {
		cmd := exec.Command(b.agent, args...)
		cmd.Dir, cmd.Env = dir, hostileEnv(b.home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("agent %q: %v\n%s", args, err, out)
		}
	}
	for _, name := range []string{"run.jsonl", "run.cassette", "audit.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		b.samples[name] = data
	}
	return b
}

func hostileEnv(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ASSAY_HOME=" + home, "TZ=UTC", "LANG=C.UTF-8"}
}

const (
	hostileQuestion = "How many days of notice must the tenant give?"
	hostileSchema   = `{"type":"object","properties":{"notice":{"type":"string","x-anchor":["notice"]}}}`
	hostileEdges    = `{"edges":[{"from_var":"late notice","to_var":"loss of the deposit"}]}`
	hostileAnswers  = `{"id":"1","question":"How many days of notice?","answerable":true,"gold":["30 days of notice"]}` + "\n"
	hostileQueries  = `{"_id":"q1","text":"days of notice"}` + "\n"
	hostileCase     = "pipeline: research\ncorpus: docs\nquestion: How many days of notice?\nwant:\n  status: answered\n  contains: [notice]\n"
)

// readers are the verbs that read a file, by format, each with a valid sample.
func (b *hostileBench) readers() []hostileRow {
	sample := func(name string) hostiletest.Payload { return hostiletest.Bytes("", b.samples[name]) }
	text := func(s string) hostiletest.Payload { return hostiletest.Text("", s) }
	rows := []hostileRow{
		{args: []string{"ask", "-"}, file: "input.txt", input: text(hostileQuestion), stdin: true},
		{args: []string{"verify", "--response", "FILE", "--context", "DIR/lease.md"}, file: "input.txt", input: text("The tenant must give 30 days of notice [Source 1].")},
		{args: []string{"verify", "--response", "-", "--corpus", "default"}, file: "input.txt", input: text("The notice is 30 days."), stdin: true},
		{args: nil, file: "input.txt", input: text("How many days of notice?\n/verify\n/trace\n"), stdin: true},
		{args: []string{"extract", "--schema", "FILE", "DIR/lease.md"}, file: "input.schema", input: text(hostileSchema)},
		{args: []string{"edges", "verify", "FILE"}, file: "input.json", input: text(hostileEdges)},
		{args: []string{"edges", "verify", "-"}, file: "input.json", input: text(hostileEdges), stdin: true},
		{args: []string{"comply", "--check", "FILE"}, file: "input.json", input: sample("audit.json")},
		{args: []string{"comply", "--questions", "FILE", "--out", "DIR/out"}, file: "input.csv", input: text("id,question\nnotice,How many days of notice?\n")},
		{args: []string{"comply", "--questions", "FILE", "--out", "DIR/out"}, file: "input.jsonl", input: text(`{"question":"How many days of notice?"}` + "\n")},
		{args: []string{"trace", "show", "FILE"}, file: "input.jsonl", input: sample("run.jsonl")},
		{args: []string{"trace", "show", "FILE", "--json"}, file: "input.jsonl", input: sample("run.jsonl")},
		{args: []string{"trace", "diff", "FILE", "DIR/run.jsonl"}, file: "input.jsonl", input: sample("run.jsonl")},
		{args: []string{"trace", "html", "FILE"}, file: "input.jsonl", input: sample("run.jsonl")},
		{args: []string{"trace", "replay", "FILE"}, file: "input.jsonl", input: sample("run.jsonl")},
		{args: []string{"trace", "normalise", "FILE"}, file: "input.jsonl", input: sample("run.jsonl")},
		{args: []string{"ask", "--replay", "FILE", hostileQuestion}, file: "input.jsonl", input: sample("run.cassette")},
		{args: []string{"ask", "--config", "FILE", hostileQuestion}, file: "input.yaml", input: text("corpus: default\nmodel: offline # notice\n")},
		{args: []string{"doctor", "--config", "FILE"}, file: "input.yaml", input: text("corpus: default\nmodel: offline # notice\n")},
		{args: []string{"ask", "--skills", "DIR/in", hostileQuestion}, file: "in/synthesize.md", input: text("---\nname: synthesize\n---\nnotice\n")},
		{args: []string{"eval", "cases", "DIR/in"}, file: "in/one/case.yaml", input: text(hostileCase)},
		{args: []string{"eval", "answers", "--data", "FILE"}, file: "input.jsonl", input: text(hostileAnswers)},
		{args: []string{"train", "rerank", "--force", "--queries", "FILE", "--qrels", "FILE"}, file: "input.jsonl", input: text(hostileQueries)},
		{args: []string{"eval", "causal", "--format", "pairs", "--data", "FILE"}, file: "input.jsonl", input: text(`{"text":"notice"}`)},
		{args: []string{"eval", "claims", "--format", "wice", "--data", "FILE"}, file: "input.jsonl", input: text(`{"claim":"notice"}`)},
		{args: []string{"eval", "retrieval", "--format", "scifact", "--corpus", "FILE", "--queries", "FILE"}, file: "input.jsonl", input: text(`{"id":1,"claim":"notice"}`)},
		{args: []string{"serve", "--check", "--tenants", "FILE"}, file: "input.yaml", input: text("- name: notice\n  token: 0123456789abcdef0123456789abcdef\n")},
		{args: []string{"mcp"}, file: "input.jsonl", stdin: true, input: text(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"notice","version":"1"}}}` + "\n")},
	}
	documents := map[string]string{
		".txt": hostileText, ".md": hostileText, ".html": "<html><title>notice</title><h1>notice</h1><p>The notice is 30 days.</p></html>", ".csv": "id,text\n1,The notice is 30 days.\n",
		".json": `[{"id":"1","text":"The notice is 30 days."}]`, ".jsonl": `{"id":"1","text":"The notice is 30 days."}` + "\n", ".eml": "Subject: notice\r\n\r\nThe notice is 30 days.\r\n",
	}
	for _, ext := range []string{".txt", ".md", ".html", ".csv", ".json", ".jsonl", ".eml", ".docx", ".odt", ".pptx", ".xlsx", ".epub", ".pdf", ".txt.gz", ".pdf.gz"} {
		in := text(documents[ext])
		switch ext {
		case ".docx", ".odt", ".pptx", ".xlsx", ".epub":
			in = hostiletest.Sample(ext)
		case ".pdf":
			in = hostiletest.Own(ext)[0]
		case ".txt.gz":
			in = hostiletest.Gzipped(text(hostileText))
		case ".pdf.gz":
			in = hostiletest.Gzipped(hostiletest.Own(".pdf")[0])
		}
		for _, args := range [][]string{
			{"ingest", "FILE"}, {"verify", "--response", "DIR/lease.md", "--context", "FILE"}, {"extract", "--schema", "DIR/schema.json", "FILE"}, {"edges", "draft", "FILE"},
		} {
			rows = append(rows, hostileRow{args: args, file: "input" + ext, input: in})
		}
	}
	return rows
}

// format is the format that a row reads.
func (r hostileRow) format() string { return filepath.Ext(r.file) }

// rows returns all commands. An ingest and the first verb of each format get all inputs of the
// format. The other verbs get the inputs that only the format has, and every fifth of the
// mutations, each verb different ones.
func (b *hostileBench) rows(t *testing.T) []hostileRow {
	t.Helper()
	var out []hostileRow
	whole := map[string]bool{}
	turn := 0
	for _, r := range b.readers() {
		var sample bytes.Buffer
		if err := r.input.Write(&sample); err != nil {
			t.Fatal(err)
		}
		own := len(hostiletest.Own(r.format()))
		for i, p := range hostiletest.Files(r.format(), sample.Bytes()) {
			if whole[r.format()] && i >= own {
				if turn++; turn%5 != 0 {
					continue
				}
			}
			if whole[r.format()] && i < own && r.args != nil && len(r.args) > 1 && (r.args[0] == "verify" || r.args[0] == "extract" || r.args[0] == "edges") && r.format() != ".schema" && i%3 != len(r.args[0])%3 {
				continue // three verbs share the reader of documents: each reads a third
			}
			if r.args == nil && p.Name == "many lines" {
				continue // a conversation would answer each line as a question
			}
			row := r
			row.input, row.name = p, p.Name
			out = append(out, row)
		}
		if r.format() != ".txt" || r.args != nil && r.args[0] == "ingest" {
			whole[r.format()] = true
		}
	}
	out = append(out, b.special()...)
	out = append(out, b.names()...)
	out = append(out, b.damaged(t)...)
	return append(out, hostileFlags()...)
}

// special gives each verb that reads files a file that is not plain.
func (b *hostileBench) special() []hostileRow {
	link := func(to string) func(t *testing.T, dir, home string) {
		return func(t *testing.T, dir, _ string) {
			if err := os.Symlink(to, filepath.Join(dir, "input")); err != nil {
				t.Error(err)
			}
		}
	}
	kinds := map[string]func(t *testing.T, dir, home string){
		"a link to itself": link("input"), "a link to nothing": link("nothing"), "endless zeros": link("/dev/zero"), "endless noise": link("/dev/urandom"), "a full device": link("/dev/full"),
		"the memory of a process": link("/proc/self/mem"),
		"a pipe that nobody writes": func(t *testing.T, dir, _ string) {
			if err := syscall.Mkfifo(filepath.Join(dir, "input"), 0o600); err != nil {
				t.Error(err)
			}
		},
		"a socket": func(t *testing.T, dir, _ string) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "input")})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { l.Close() }) // removes its file, too
		},
		"a folder": func(t *testing.T, dir, _ string) {
			if err := os.Mkdir(filepath.Join(dir, "input"), 0o700); err != nil {
				t.Error(err)
			}
		},
		"a folder that is a link to a folder around it": func(t *testing.T, dir, _ string) {
			err := errors.Join(os.MkdirAll(filepath.Join(dir, "input", "a"), 0o700), os.Symlink("..", filepath.Join(dir, "input", "a", "b")), os.Symlink("/etc", filepath.Join(dir, "input", "etc")))
			if err != nil {
				t.Error(err)
			}
		},
	}
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []hostileRow
	seen := map[string]bool{}
	for _, r := range b.readers() {
		verb := strings.Join(r.args, " ")
		if r.stdin || seen[verb] || !slices.Contains(r.args, "FILE") {
			continue
		}
		seen[verb] = true
		for _, name := range names {
			out = append(out, hostileRow{name: name, args: r.args, file: "input", make: kinds[name]})
		}
	}
	return out
}

// names puts text that controls a terminal in the place of every name.
func (b *hostileBench) names() []hostileRow {
	var out []hostileRow
	for i, c := range hostiletest.Commands() {
		if strings.ContainsRune(c, 0) {
			continue // no argument can hold it
		}
		for _, args := range [][]string{
			{"ask", "What is " + c + "?"}, {"search", c}, {"search", "--filter", c + "=" + c, "notice"}, {"threads", "remove", c}, {"resume", c}, {"corpus", "show", c},
			{"ask", "--corpus", c, "notice"}, {"ask", "--model", c, "notice"}, {"ask", "--model", "openai:" + c, "notice"}, {"memory", "show", c}, {"graph", c}, {c}, {"--" + c}, {"ask", "--thread", c, hostileQuestion},
			{"ask", "--confidence-threshold=" + c, "x"}, {"search", "--k", c, "x"}, {"verify", "--response", c, "--context", c}, {"trace", "show", c}, {"ingest", c}, {"eval", "cases", c}, {"eval", c}, {"help", c}, {"ask", "--store", "postgres://" + c, "x"},
		} {
			out = append(out, hostileRow{name: fmt.Sprintf("command %d as a name", i), args: args})
		}
		name := strings.ReplaceAll(c, "/", "_")
		if len(name) > 200 {
			continue
		}
		for _, args := range [][]string{{"ingest", "DIR/in"}, {"edges", "draft", "DIR/in"}, {"extract", "--schema", "DIR/schema.json", "DIR/in"}, {"verify", "--response", "DIR/lease.md", "--context", "DIR/in"}} {
			out = append(out, hostileRow{name: fmt.Sprintf("a file named by command %d", i), args: args, file: "in/" + name + ".md", input: hostiletest.Text("", hostileText)})
			out = append(out, hostileRow{name: fmt.Sprintf("a broken file named by command %d", i), args: args, file: "in/" + name + ".md", input: hostiletest.Text("", "\x00")})
		}
	}
	return out
}

// damaged puts every file of a home into five broken states, each read by another verb.
func (b *hostileBench) damaged(t *testing.T) []hostileRow {
	t.Helper()
	verbs := [][]string{{"ask", "--memory", hostileQuestion}, {"search", "notice"}, {"corpus", "show", "default"}, {"memory", "list"}, {"threads", "list"}, {"doctor"}, {"resume", "lease"}, {"ingest", "DIR/lease.md"}, {"corpus", "stats", "default"}}
	damages := map[string]func(data []byte) []byte{
		"half":     func(d []byte) []byte { return d[:len(d)/2] },
		"empty":    func([]byte) []byte { return nil },
		"noise":    func(d []byte) []byte { return bytes.Repeat([]byte("\x1b[31m\x9b\xff\x00{["), 1+len(d)/10) },
		"flipped":  func(d []byte) []byte { d[len(d)/3] ^= 0x55; d[len(d)/2] ^= 0xff; return d },
		"extended": func(d []byte) []byte { return append(d, bytes.Repeat([]byte{0xff}, 4096)...) },
	}
	kinds := []string{"half", "empty", "noise", "flipped", "extended"}
	var out []hostileRow
	turn := 0
	err := filepath.WalkDir(b.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if data, err := os.ReadFile(path); err != nil || len(data) == 0 {
			return err
		}
		rel, err := filepath.Rel(b.home, path)
		for _, kind := range kinds {
			for range 3 {
				turn++
				out = append(out, hostileRow{name: rel + " " + kind, args: verbs[turn%len(verbs)], make: func(t *testing.T, _, home string) {
					path := filepath.Join(home, rel)
					data, err := os.ReadFile(path)
					if err == nil {
						err = os.WriteFile(path, damages[kind](data), 0o600)
					}
					if err != nil {
						t.Error(err)
					}
				}})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// hostileFlags are command lines with absurd values.
func hostileFlags() []hostileRow {
	var out []hostileRow
	values := []string{"-1", "0", "99999999999999999999", "2147483647", "1e999", "NaN", "-Inf", "", "0x7fffffffffffffff", "\x1b[31m"}
	for _, f := range []struct {
		flag string
		args []string
	}{
		{"--k", []string{"search", "notice"}}, {"--mmr", []string{"search", "notice"}}, {"--neighbours", []string{"search", "notice"}}, {"--passage-bytes", []string{"ingest", "DIR/lease.md"}},
		{"--bm25-k1", []string{"ingest", "DIR/lease.md"}}, {"--confidence-threshold", []string{"ask", hostileQuestion}}, {"--crag-attempts", []string{"ask", hostileQuestion}}, {"--timeout", []string{"ask", hostileQuestion}},
		{"--jobs", []string{"extract", "--schema", "DIR/schema.json", "DIR/lease.md"}}, {"--max-iterations", []string{"extract", "--schema", "DIR/schema.json", "DIR/lease.md"}}, {"--top-k", []string{"edges", "verify", "DIR/edges.json"}},
		{"--judge-iterations", []string{"edges", "verify", "DIR/edges.json"}}, {"--values", []string{"corpus", "show", "default"}}, {"--n", []string{"questions", "default"}}, {"--limit", []string{"memory", "list"}}, {"--folds", []string{"train", "rerank", "--queries", "DIR/run.jsonl", "--qrels", "DIR/run.jsonl"}},
	} {
		for _, v := range values {
			out = append(out, hostileRow{name: "a value", args: append([]string{f.args[0], f.flag + "=" + v}, f.args[1:]...)})
		}
	}
	out = append(out, hostileRow{name: "many words", args: append([]string{"search"}, slices.Repeat([]string{"notice"}, 10_000)...)},
		hostileRow{name: "many flags", args: append([]string{"search", "notice"}, slices.Repeat([]string{"--also=notice"}, 1_000)...)},
		hostileRow{name: "a long word", args: []string{"search", strings.Repeat("W", 120_000)}}, hostileRow{name: "a long question", args: []string{"ask", strings.Repeat("W ", 30_000)}})
	return out
}

// hostileLong are the rows with lines of 100 MB.
func hostileLong() []hostileRow {
	var out []hostileRow
	for _, ext := range []string{".txt", ".md", ".html", ".csv", ".json", ".jsonl"} {
		for _, args := range [][]string{{"ingest", "FILE"}, {"verify", "--response", "FILE", "--context", "DIR/lease.md"}, {"edges", "verify", "FILE"}, {"trace", "show", "FILE"}, {"eval", "answers", "--data", "FILE"}} {
			out = append(out, hostileRow{name: "a line of 100 MB", args: args, file: "input" + ext, input: hostiletest.Line("a line of 100 MB", 100<<20)})
		}
	}
	return out
}

// TestHostile runs the program on hostile input: every 24th row, every eighth with
// ASSAY_TEST_ALL=1, and every row with ASSAY_TEST_HOSTILE=all. Whatever it reads, it ends by
// itself with a documented exit code, within bounds of time and memory, and its output does not
// control a terminal.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program and runs it many times")
	}
	b := newHostileBench(t)
	rows := b.rows(t)
	distinct := map[string]bool{}
	for _, r := range rows {
		distinct[fmt.Sprintf("%q %s %s", r.args, r.file, r.name)] = true
	}
	if len(distinct) < hostileRows {
		t.Errorf("%d rows; want %d at least", len(distinct), hostileRows)
	}
	step := 24
	switch {
	case os.Getenv("ASSAY_TEST_HOSTILE") == "all":
		rows, step = append(rows, hostileLong()...), 1
	case os.Getenv("ASSAY_TEST_ALL") != "":
		step = 8
	}
	t.Logf("%d rows, of which one in %d is run", len(distinct), step)
	two := make(chan struct{}, 2)
	for i, r := range rows {
		if i%step != 0 {
			continue
		}
		verb := strings.Join(r.args[:min(2, len(r.args))], " ")
		t.Run(fmt.Sprintf("%03d %.30q %s %s", i, verb, r.format(), r.name), func(t *testing.T) {
			t.Parallel()
			two <- struct{}{}
			defer func() { <-two }()
			b.run(t, r)
		})
	}
}

func (b *hostileBench) run(t *testing.T, r hostileRow) {
	dir, err := os.MkdirTemp("", "hostile") // short: a socket's path must be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	home := filepath.Join(dir, "home")
	if err := os.CopyFS(home, os.DirFS(b.home)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"lease.md": hostileText, "schema.json": hostileSchema, "edges.json": hostileEdges, "run.jsonl": string(b.samples["run.jsonl"])} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, r.file)
	if r.make != nil {
		r.make(t, dir, home)
	} else if r.file != "" {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), r.input.Save(path)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), hostileWall)
	defer cancel()
	args := make([]string, len(r.args))
	for i, a := range r.args {
		args[i] = strings.NewReplacer("FILE", path, "DIR", dir).Replace(a)
	}
	cmd := exec.CommandContext(ctx, b.agent, args...)
	cmd.Dir, cmd.Env = dir, hostileEnv(home)
	if r.stdin {
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd.Stdin = in
	}
	var stdout, stderr hostileOutput
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Start()
	var peak func() int64
	if err == nil {
		peak = watchMemory(cmd.Process.Pid)
		err = cmd.Wait()
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("agent %.200q: %v", args, err)
	}
	memory := peak()
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	code := cmd.ProcessState.ExitCode()
	fault := func(format string, args ...any) {
		t.Errorf(format+"\nagent %.300q: exit code %d, %v, %d MB\nstdout: %.400q\nstderr: %.400q", append(args, r.args, code, cpu, memory>>20, stdout.String(), stderr.String())...)
	}
	switch {
	case ctx.Err() != nil:
		fault("it did not end within %v", hostileWall)
	case code < 0 || code > 4:
		fault("its exit code is not documented")
	}
	for _, out := range []*hostileOutput{&stdout, &stderr} {
		if s := out.String(); strings.Contains(s, "panic:") || strings.Contains(s, "goroutine ") {
			fault("it panics")
		}
		if at := out.commands(); at >= 0 {
			fault("its output has a command for the terminal: %q", out.data[max(at-40, 0):min(at+20, len(out.data))])
		}
	}
	if cpu > hostileCPU {
		fault("it took %v of the processors", cpu)
	}
	if memory > hostileMemory {
		fault("it took %d MB", memory>>20)
	}
}

// A hostileOutput keeps the first 4 MB of a program's output.
type hostileOutput struct{ data []byte }

func (o *hostileOutput) Write(p []byte) (int, error) {
	o.data = append(o.data, p[:min(len(p), max(0, 4<<20-len(o.data)))]...)
	return len(p), nil
}

func (o *hostileOutput) String() string { return string(o.data) }

// commands returns the position of the first control character in the output that is not a line
// end or a tab; -1 for none.
func (o *hostileOutput) commands() int {
	for i, r := range string(o.data) {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return i
		}
	}
	return -1
}

// watchMemory reads a process's peak memory every few milliseconds, and returns it in bytes. It
// does not use the kernel's count at the end (Maxrss), which begins with the memory of the
// parent, this process.
func watchMemory(pid int) (peak func() int64) {
	stop, done, most := make(chan struct{}), make(chan struct{}), int64(0)
	name := fmt.Sprintf("/proc/%d/status", pid)
	go func() {
		defer close(done)
		for {
			data, err := os.ReadFile(name)
			if err != nil {
				return
			}
			if _, after, ok := bytes.Cut(data, []byte("VmHWM:")); ok {
				var kib int64
				if _, err := fmt.Sscan(string(after), &kib); err == nil {
					most = max(most, kib<<10)
				}
			}
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(stop); <-done; return most }
}
