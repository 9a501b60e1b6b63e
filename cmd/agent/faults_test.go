package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
)

// A faultCommand writes to one or more of the stores of a home.
type faultCommand struct {
	store string // the store that is checked
	args  []string
}

// faultCommands names each store's writer. DOCS, OUT and FILE are replaced.
var faultCommands = []faultCommand{
	{"saved runs", []string{"ask", "What does a renewal cost?", "--thread", "new"}},
	{"remembered answers", []string{"ask", "What does a renewal cost?", "--memory"}},
	{"corpus", []string{"ingest", "DOCS", "--corpus", "more"}},
	{"corpus, again", []string{"ingest", "DOCS"}},
	{"corpus, removed", []string{"corpus", "remove", "default", "--yes"}},
	{"trace", []string{"ask", "What does a renewal cost?", "--trace", "OUT/run.jsonl"}},
	{"cassette", []string{"ask", "What does a renewal cost?", "--record", "OUT/run.cassette"}},
	{"configuration", []string{"doctor", "--init"}},
	{"backup", []string{"backup", "OUT/home.zip"}},
	{"restore", []string{"restore", "FILE", "--force"}},
}

// everyFault tries every call of each command instead of a sample.
var everyFault = os.Getenv("ASSAY_EVERY_FAULT") != ""

// calls are the calls that change files, and the ways in which each fails.
var faultCalls = []struct{ name, calls, inject string }{
	{"disk full", "write,pwrite64", "error=ENOSPC"},
	{"write fails", "write,pwrite64", "error=EIO"},
	{"fsync fails", "fsync,fdatasync", "error=EIO"},
	{"rename fails", "rename,renameat,renameat2", "error=EIO"},
	{"read-only", "rename,renameat,renameat2,mkdir,mkdirat", "error=EROFS"},
	{"killed", "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlinkat,ftruncate", "signal=KILL"},
}

// strace returns the program that injects faults into system calls, or skips.
func strace(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("faults of the disk are injected by strace, which is not installed: apt-get install strace")
	}
	if out, err := exec.Command(path, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v %s", err, out)
	}
	return path
}

// faultAgent is the command's path.
func faultAgent(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("agent")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (c faultCommand) line(docs, out, file string) []string {
	here := strings.NewReplacer("DOCS", docs, "OUT", out, "FILE", file)
	args := make([]string, len(c.args))
	for i, a := range c.args {
		args[i] = here.Replace(a)
	}
	return args
}

// outside runs a program on a home in a separate process.
func outside(ctx context.Context, place string, name string, args ...string) (code int, output string, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), cli.EnvHome+"="+place, "GOMAXPROCS=2")
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			code = 128 + int(s.Signal())
		}
		if runtime.GOOS == "windows" && ctx.Err() != nil { // a killed process has no signal on Windows
			code = 128 + int(syscall.SIGKILL)
		}
		err = nil
	}
	return code, b.String(), err
}

var faultLine = regexp.MustCompile(`(?m)^.*(INJECTED|SIGKILL).*$`)

// ownOutput is a fault in the command's output, or in a channel of its own runtime.
var ownOutput = regexp.MustCompile(`write\((1|2|\d+, "\\1(\\0){7}"|\d+, "\\0"),? .*\(INJECTED\)`)

var injected = regexp.MustCompile(`\(INJECTED\)|\+\+\+ killed by SIGKILL`)

// Whatever fails while a home is written, existing data stay, and a command that failed says
// what to do. After a kill the next command works.
func TestStorageFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand runs under strace, one after the other")
	}
	tracer, agent := strace(t), faultAgent(t)
	base, extra := opened(t), t.TempDir()
	docs := filepath.Join(extra, "docs")
	if err := cli.WriteFile(filepath.Join(docs, "more.html"), []byte("<p>A buoy costs 12 dollars.</p>"), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(extra, "home.zip")
	must(t, base, "backup", file)
	tried, hit := 0, 0
	for _, c := range faultCommands {
		made := callsOf(t, tracer, agent, base, docs, file, c)
		for _, f := range faultCalls {
			for _, n := range faultPlaces(made, c, f.calls) {
				work := t.TempDir()
				place := filepath.Join(work, "home")
				if err := os.CopyFS(place, os.DirFS(base)); err != nil {
					t.Fatal(err)
				}
				log := filepath.Join(work, "strace")
				args := []string{"-f", "-o", log, "-e", "trace=" + f.calls, "-e", fmt.Sprintf("inject=%s:%s:when=%d", f.calls, f.inject, n), agent}
				ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
				code, out, err := outside(ctx, place, tracer, append(args, c.line(docs, work, file)...)...)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				traced, err := os.ReadFile(log)
				if err != nil {
					t.Fatal(err)
				}
				tried++
				if !injected.Match(traced) {
					continue // this time the thread made fewer calls
				}
				if ownOutput.MatchString(wholeCalls(string(traced))) {
					continue // a fault of the terminal, not of the disk
				}
				hit++
				where := fmt.Sprintf("%s: %s at call %d", c.store, f.name, n)
				t.Logf("%s: exit code %d", where, code)
				checkFaulted(t, where, place, f.inject, code, out)
				if t.Failed() {
					t.Logf("the faults:\n%s", strings.Join(faultLine.FindAllString(string(traced), -1), "\n"))
					return
				}
			}
		}
	}
	if hit < tried/4 {
		t.Errorf("of %d runs only %d met a fault", tried, hit)
	}
	t.Logf("%d runs, %d met a fault", tried, hit)
}

// wholeCalls joins the two lines of a call that another thread's call separates.
func wholeCalls(traced string) string {
	begun := map[string]string{} // by thread
	var b strings.Builder
	for line := range strings.Lines(traced) {
		thread, rest, _ := strings.Cut(line, " ")
		if call, open := strings.CutSuffix(strings.TrimSpace(rest), "<unfinished ...>"); open {
			begun[thread] = call
			continue
		}
		if _, end, resumed := strings.Cut(rest, "resumed>"); resumed {
			line = thread + " " + begun[thread] + end
		}
		b.WriteString(line)
	}
	return b.String()
}

func TestWholeCalls(t *testing.T) {
	got := wholeCalls("7 write(2, \"agent: no space\", 15 <unfinished ...>\n8 fsync(5) = 0\n7 <... write resumed>)              = -1 EIO (Input/output error) (INJECTED)\n")
	if !ownOutput.MatchString(got) || !strings.HasPrefix(got, "8 fsync(5) = 0\n") {
		t.Errorf("%q", got)
	}
}

// callsOf are the names of the system calls of a command that change files, in order.
func callsOf(t *testing.T, tracer, agent, base, docs, file string, c faultCommand) []string {
	t.Helper()
	work := t.TempDir()
	place := filepath.Join(work, "home")
	if err := os.CopyFS(place, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, f := range faultCalls {
		kinds = append(kinds, f.calls)
	}
	log := filepath.Join(work, "strace")
	code, out, err := outside(t.Context(), place, tracer, append([]string{"-f", "-o", log, "-e", "trace=" + strings.Join(kinds, ","), agent}, c.line(docs, work, file)...)...)
	if err != nil || code != cli.ExitDone {
		t.Fatalf("%s without a fault: exit code %d, %v\n%s", c.store, code, err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, call := range begunCall.FindAllStringSubmatch(string(data), -1) {
		names = append(names, call[1])
	}
	return names
}

var begunCall = regexp.MustCompile(`(?m)^\d+ +(\w+)\(`)

// faultPlaces are the numbers of the calls of a kind that are tried.
func faultPlaces(made []string, c faultCommand, calls string) []int {
	count := 0
	for _, name := range made {
		if slices.Contains(strings.Split(calls, ","), name) {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	if everyFault {
		all := make([]int, count)
		for i := range all {
			all[i] = i + 1
		}
		return all
	}
	// Each thread of the process has its own count of calls.
	early, late := 1+count/16, 1+count/4
	switch {
	case os.Getenv("ASSAY_TEST_ALL") != "":
		return []int{early, late}
	case (len(c.store)+len(calls))%2 == 0: // so that every kind is tried in both ways
		return []int{early}
	}
	return []int{late}
}

// checkFaulted checks the home after a fault.
func checkFaulted(t *testing.T, where, place, inject string, code int, out string) {
	t.Helper()
	if strings.Contains(out, "panic:") || strings.Contains(out, "goroutine ") {
		t.Errorf("%s: panic\n%s", where, out)
	}
	if code == cli.ExitFailed && !strings.Contains(inject, "KILL") {
		// SQLite hides the cause of some errors, so each of these messages is right.
		if !strings.Contains(out, "free some space") && !strings.Contains(out, "system's log") && !strings.Contains(out, "is read-only") {
			t.Errorf("%s: the error does not say what to do:\n%s", where, out)
		}
	}
	if _, err := os.Stat(place); err != nil {
		t.Errorf("%s: the home is gone: %v", where, err)
		return
	}
	if code, out, errs := onHome(t, place, "doctor", "--deep"); code != cli.ExitDone {
		t.Errorf("%s: afterwards doctor --deep exits with %d\n%s%s", where, code, out, errs)
	}
	threads := must(t, place, "threads", "list")
	for _, name := range []string{"fees", "cut"} {
		if !strings.Contains(threads, name) {
			t.Errorf("%s: thread %s is lost:\n%s", where, name, threads)
		}
	}
	if strings.HasPrefix(where, "corpus, ") { // another corpus, without remembered answers
		return
	}
	if answer := must(t, place, "ask", "What does a lantern permit cost?", "--memory"); !strings.Contains(answer, "from memory") || !strings.Contains(answer, "40 dollars") {
		t.Errorf("%s: the remembered answer is lost:\n%s", where, answer)
	}
}

// A small disk really fills up, and one is really read-only.
func TestSmallDisk(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a small disk is mounted, which takes root on Linux")
	}
	base := opened(t)
	file := filepath.Join(t.TempDir(), "home.zip")
	must(t, base, "backup", file)
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("mounting a small disk: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
	place := filepath.Join(disk, "home")
	must(t, place, "restore", file)
	if err := os.WriteFile(filepath.Join(disk, "ballast"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// The disk is full to the last byte.
	f, err := os.OpenFile(filepath.Join(disk, "ballast"), os.O_WRONLY|os.O_APPEND, 0)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	f.Close()
	docs := filepath.Join(t.TempDir(), "docs")
	if err := cli.WriteFile(filepath.Join(docs, "more.html"), []byte("<p>A buoy costs 12 dollars.</p>"), 0o644); err != nil {
		t.Fatal(err)
	}
	failing := [][]string{
		{"ask", "What does a renewal cost?", "--thread", "new"},
		{"ingest", docs}, {"ask", "What does a renewal cost?", "--trace", filepath.Join(disk, "t.jsonl")},
		{"ask", "What does a renewal cost?", "--record", filepath.Join(disk, "c")}, {"backup", filepath.Join(disk, "b.zip")}, {"restore", "--force", file},
	}
	for _, args := range failing {
		code, out, errs := onHome(t, place, args...)
		if code != cli.ExitFailed || !strings.Contains(errs, "free some space") {
			t.Errorf("full: agent %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
		}
	}
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, args := range failing {
		code, out, errs := onHome(t, place, args...)
		if code != cli.ExitFailed && code != cli.ExitUsage || !strings.Contains(errs, "is read-only") {
			t.Errorf("read-only: agent %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
		}
	}
	if code, out, errs := onHome(t, place, "doctor", "--deep"); code != cli.ExitDone {
		t.Errorf("read-only: doctor --deep exits with %d\n%s%s", code, out, errs)
	}
	must(t, place, "backup", filepath.Join(t.TempDir(), "rescue.zip"))
	if out, err := exec.Command("mount", "-o", "remount,rw", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if err := os.Remove(filepath.Join(disk, "ballast")); err != nil {
		t.Fatal(err)
	}
	checkFaulted(t, "with room again", place, "KILL", 0, "")
}

// A file at its size limit, and a home of another user, cause errors that say what to do.
// Nothing is lost.
func TestFileLimitAndOtherUser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("limits and users are those of Linux")
	}
	base := opened(t)
	file := filepath.Join(t.TempDir(), "home.zip")
	must(t, base, "backup", file)
	docs := filepath.Join(t.TempDir(), "docs")
	if err := cli.WriteFile(filepath.Join(docs, "more.html"), []byte("<p>A buoy costs 12 dollars.</p>"), 0o644); err != nil {
		t.Fatal(err)
	}
	agent := faultAgent(t)
	run := func(prefix ...string) {
		for _, c := range faultCommands {
			if c.store == "configuration" {
				continue // the file has only a few lines
			}
			work := t.TempDir()
			place := filepath.Join(work, "home")
			must(t, place, "restore", file)
			line := append(append(slices.Clone(prefix[1:]), agent), c.line(docs, work, file)...)
			code, out, err := outside(t.Context(), place, prefix[0], line...)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Contains(out, "ulimit -f") || strings.Contains(out, "df -h")
			if code != cli.ExitDone && !said || strings.Contains(out, "goroutine ") {
				t.Errorf("%s under %q: exit code %d without advice:\n%s", c.store, prefix, code, out)
			}
			checkFaulted(t, c.store+" under "+strings.Join(prefix, " "), place, "KILL", code, "")
		}
	}
	run("sh", "-c", `ulimit -f 8; exec "$0" "$@"`)
	if setpriv, err := exec.LookPath("setpriv"); err != nil || os.Getuid() != 0 {
		t.Log("another user takes root and setpriv: not tried")
	} else if _, _, err := outside(t.Context(), base, setpriv, "--reuid=65534", "--clear-groups", agent, "version"); err == nil {
		code, out, err := outside(t.Context(), base, setpriv, "--reuid=65534", "--clear-groups", agent, "corpus", "list")
		if err != nil || code == cli.ExitDone {
			t.Errorf("another user: exit code %d, %v\n%s", code, err, out)
		}
	}
}
