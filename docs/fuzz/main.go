// Fuzz runs every fuzz target of the module in turn and writes what it saw as Markdown.
//
//	go run ./docs/fuzz -each 20m -parallel 2 > report.md
//	go run ./docs/fuzz -each 30s -only memory/document
//
// An input that breaks a target is left where go test keeps it, in testdata/fuzz of the package,
// where it is a case of every later test. Fuzz mends nothing, and exits with 1 when there was one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	each := flag.Duration("each", time.Minute, "how long each target runs")
	parallel := flag.Int("parallel", 1, "processes of a target")
	only := flag.String("only", "", "only packages whose path has this text")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	broken, err := run(ctx, os.Stdout, *each, *parallel, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
	}
	if err != nil || broken > 0 {
		os.Exit(1)
	}
}

// A target is one fuzz function.
type target struct{ dir, name string }

// A result is what a target did.
type result struct {
	target
	ran                time.Duration
	execs, interesting string
	coverage           string   // of the package, by all its seeds and tests of this name
	crashers           []string // files that broke it
	fault              string   // why it could not run
}

// run fuzzes all targets and writes the report as it grows. After an interrupt the report has what
// was done until then.
func run(ctx context.Context, out io.Writer, each time.Duration, parallel int, only string) (broken int, err error) {
	list, err := targets(only)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "%d targets, %v each, %d at a time.\n\n| target | ran | executions | new inputs | coverage by seeds | crashers |\n|---|---|---|---|---|---|\n", len(list), each, parallel)
	var total time.Duration
	done := 0
	for _, t := range list {
		r := fuzz(ctx, t, each, parallel)
		total += r.ran
		said := strings.Join(r.crashers, ", ")
		switch {
		case ctx.Err() != nil:
			fmt.Fprintf(out, "\nInterrupted: %d of %d targets ran, %v in all.\n", done, len(list), total.Round(time.Second))
			return broken, nil
		case len(r.crashers) > 0:
			broken++
		case r.fault != "":
			broken++
			said = strings.ReplaceAll(r.fault, "|", `\|`)
		default:
			said = "none"
		}
		done++
		fmt.Fprintf(out, "| %s %s | %v | %s | %s | %s | %s |\n", r.dir, r.name, r.ran.Round(time.Second), r.execs, r.interesting, r.coverage, said)
	}
	fmt.Fprintf(out, "\n%v in all; %d of %d targets broke.\n", total.Round(time.Second), broken, done)
	return broken, nil
}

var fuzzFunc = regexp.MustCompile(`(?m)^func (Fuzz\w*)\(\w+ \*testing\.F\)`)

// targets lists the fuzz functions of the module by folder, from the test files: go test -list would
// build each package first.
func targets(only string) ([]target, error) {
	var out []target
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range fuzzFunc.FindAllSubmatch(source, -1) {
			if dir := filepath.Dir(path); strings.Contains(dir, only) {
				out = append(out, target{dir, string(m[1])})
			}
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = errors.New("no package has a fuzz target; run it in the root of the module, and check -only")
	}
	return out, err
}

var (
	covered  = regexp.MustCompile(`coverage: ([0-9.]+%)`)
	progress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+)`)
)

func fuzz(ctx context.Context, t target, each time.Duration, parallel int) result {
	r := result{target: t, execs: "?", interesting: "?", coverage: "?"}
	seeds, err := goTest(ctx, t, each, "-run", "^"+t.name+"$", "-cover")
	if m := covered.FindSubmatch(seeds); m != nil {
		r.coverage = string(m[1])
	}
	if err != nil {
		r.fault = "its seeds fail: " + last(seeds)
		return r
	}
	before := r.cases()
	began := time.Now()
	// A worker that makes an input small tries no others meanwhile, by default for up to a minute.
	said, err := goTest(ctx, t, each, "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), "-fuzzminimizetime", "1s", "-parallel", fmt.Sprint(parallel))
	r.ran = time.Since(began)
	if all := progress.FindAllSubmatch(said, -1); len(all) > 0 {
		r.execs, r.interesting = string(all[len(all)-1][1]), string(all[len(all)-1][2])
	}
	for _, c := range r.cases() {
		if !slices.Contains(before, c) {
			r.crashers = append(r.crashers, c)
		}
	}
	if err != nil {
		r.fault = last(said)
	}
	return r
}

// goTest runs go test on the target's package. Building may take long on a machine that is busy.
func goTest(ctx context.Context, t target, each time.Duration, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, each+15*time.Minute)
	defer cancel()
	return exec.CommandContext(ctx, "go", append(append([]string{"test"}, args...), "./"+filepath.ToSlash(t.dir))...).CombinedOutput()
}

// cases are the inputs that the package keeps for the target.
func (t target) cases() []string {
	names, _ := filepath.Glob(filepath.Join(t.dir, "testdata", "fuzz", t.name, "*")) // the pattern is well formed
	return names
}

// last is the last line that says something.
func last(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, l := range slices.Backward(lines) {
		if l = strings.TrimSpace(l); l != "" && l != "FAIL" && !strings.HasPrefix(l, "FAIL\t") && !strings.HasPrefix(l, "exit status") {
			return l
		}
	}
	return "it said nothing"
}
