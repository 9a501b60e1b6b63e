package endurance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/assay/internal/pgtest"
)

// ballast is the name of the file that fills a disk.
const ballast = "endurance.ballast"

// An installation is one home, its server, and the model and proxies that the server talks to.
type installation struct {
	ctx      context.Context
	*report               // of this part
	agent    string       // the command
	dir      string       // of this part
	home     string       // of the command
	temp     string       // its TMPDIR
	docs     string       // that are ingested
	addr     string       // of the server
	temporal string       // the Temporal server; empty for none
	db       *pgtest.Wire // nil with SQLite
	store    string       // the URL of the database; empty with SQLite
	mounted  bool         // the home is a disk of its own
	model    *model       // that the server asks
	client   *http.Client // of all clients
	began    time.Time
	random   *rand.Rand // of faults alone
	gate     sync.RWMutex

	mu     sync.Mutex
	up     bool
	server *child
	worker *child
	lives  [][]sample
	busy   map[string]time.Time // what goes on, by what it is
	fault  string               // that is there now
	healed time.Time            // when the last fault ended
	ingest *child               // that goes on
}

// A child is a process of the installation.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // it has ended
	err  error         // how, after that
}

// start begins the command, with its output at the end of a file.
func (in *installation) start(output string, args ...string) (*child, error) {
	log, err := os.OpenFile(filepath.Join(in.dir, output), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(in.agent, args...), done: make(chan struct{})}
	c.cmd.Stdout, c.cmd.Stderr = log, log
	mine := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "ASSAY_") })
	c.cmd.Env = append(mine, "ASSAY_HOME="+in.home, "ASSAY_CONFIG="+filepath.Join(in.dir, "config.yaml"), "TMPDIR="+in.temp,
		"OPENAI_API_KEY=none", "OPENAI_BASE_URL=http://"+in.model.addr+"/v1", "ASSAY_STORE="+in.store, "ASSAY_TEMPORAL=")
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		c.err = errors.Join(c.cmd.Wait(), log.Close())
		close(c.done)
	}()
	return c, nil
}

// kill ends a process at once, and waits until it has ended.
func (c *child) kill() {
	if c != nil {
		_ = c.cmd.Process.Kill() // it may have ended
		<-c.done
	}
}

// stop asks a process to end, and ends it when it does not.
func (c *child) stop() error {
	if c == nil {
		return nil
	}
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-c.done:
		return c.err
	case <-time.After(time.Minute):
		c.kill()
		return errors.New("it did not stop within a minute after the signal")
	}
}

const config = `corpus: harbour
models:
  default: offline
  query_rewrite: openai:loopback
  synthesize_and_cite: openai:loopback
  judge_claim: openai:loopback
  extract_fields: openai:loopback
model_limits:
  max_retries: 2
  backoff_base: 200ms
  backoff_jitter_max: 200ms
  timeout: 10s
  circuit_pause: 3s
`

// open makes the home and its documents, and starts all processes.
func (in *installation) open() (err error) {
	for _, dir := range []string{in.home, in.temp, in.docs} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm,mode=700", disk), "endurance", in.home).CombinedOutput()
		if in.mounted = err == nil; err != nil {
			in.skip("disk full", fmt.Sprintf("the home is not a disk of its own: %v %s", err, strings.TrimSpace(string(out))))
		}
	} else {
		in.skip("disk full", "mounting needs root on Linux")
	}
	if err := os.WriteFile(filepath.Join(in.dir, "config.yaml"), []byte(config), 0o600); err != nil {
		return err
	}
	if err := writeHarbour(in.docs); err != nil {
		return err
	}
	if in.model = new(model); in.model.listen() != nil {
		return errors.New("the model found no port")
	}
	c, err := in.start("ingest.log", "ingest", in.docs, "--corpus", "harbour")
	if err != nil {
		return err
	}
	if in.await(c); c.err != nil {
		return fmt.Errorf("ingesting: %w: %s", c.err, tail(filepath.Join(in.dir, "ingest.log"), 5, ""))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	in.addr = l.Addr().String() // for all lives of the server
	if err := l.Close(); err != nil {
		return err
	}
	if err := in.serve(); err != nil {
		return err
	}
	if in.temporal != "" {
		in.worker, err = in.start("worker.log", "worker", "--temporal", in.temporal)
	}
	return err
}

// serve starts the server and waits until it is ready.
func (in *installation) serve() error {
	c, err := in.start("server.log", "serve", "--addr", in.addr, "--no-auth")
	if err != nil {
		return err
	}
	in.mu.Lock()
	in.server = c
	in.mu.Unlock()
	for begin := time.Now(); ; {
		if _, err = in.get("/readyz"); err == nil {
			in.mu.Lock()
			in.up, in.lives = true, append(in.lives, nil)
			in.mu.Unlock()
			return nil
		}
		select {
		case <-c.done:
			return fmt.Errorf("the server ended at its start: %w: %s", c.err, tail(filepath.Join(in.dir, "server.log"), 5, ""))
		case <-time.After(50 * time.Millisecond):
		}
		if time.Since(begin) > 2*time.Minute {
			return fmt.Errorf("the server was not ready within two minutes: %w", err)
		}
	}
}

// killServer kills the server and starts it again. It returns how long it was not ready
// after its start.
func (in *installation) killServer() (time.Duration, error) {
	in.mu.Lock()
	in.up = false
	c := in.server
	in.mu.Unlock()
	c.kill()
	began := time.Now()
	err := in.serve()
	return time.Since(began), err
}

// close ends everything, and looks whether what ends in order says so and whether anything
// broke down. A disk of the home goes with it; if something did not hold, a copy stays.
func (in *installation) close() {
	in.mu.Lock()
	in.up = false
	in.mu.Unlock()
	for name, c := range map[string]*child{"server": in.server, "worker": in.worker} {
		if err := c.stop(); err != nil {
			in.violate("end", "", "%s: stopping it in order: %v", name, err)
		}
	}
	in.mu.Lock()
	ingest := in.ingest
	in.mu.Unlock()
	ingest.kill()
	if in.model != nil {
		in.model.stop()
	}
	for _, file := range []string{"server.log", "worker.log", "ingest.log", "ask.log"} {
		if text := tail(filepath.Join(in.dir, file), 5, "panic:", "fatal error:", "DATA RACE"); text != "" {
			in.violate("panic", "", "%s: %s", file, text)
		}
	}
	if in.mounted {
		in.keep()
		if out, err := exec.Command("umount", in.home).CombinedOutput(); err != nil {
			in.violate("end", "", "umount %s: %v %s", in.home, err, out)
		}
	}
}

// keep copies the home if something did not hold.
func (in *installation) keep() {
	if len(in.violations) == 0 {
		return
	}
	if err := os.CopyFS(in.home+"-kept", os.DirFS(in.home)); err != nil {
		in.violate("end", "", "keeping the home: %v", err)
	}
}

// get reads a path of the server.
func (in *installation) get(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+in.addr+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := in.client.Do(r)
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(answer.Body)
	err = errors.Join(err, answer.Body.Close())
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, answer.Status, data)
	}
	return string(data), err
}

// sleep waits, and reports whether the installation still goes on.
func (in *installation) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return in.ctx.Err() == nil
	case <-in.ctx.Done():
		return false
	}
}

// doing notes what goes on; what it returns notes its end. While all is to be quiet it
// waits.
func (in *installation) doing(what string) func() {
	in.gate.RLock()
	in.mu.Lock()
	in.busy[what] = time.Now()
	in.mu.Unlock()
	return func() {
		in.mu.Lock()
		delete(in.busy, what)
		in.mu.Unlock()
		in.gate.RUnlock()
	}
}

// faulty reports whether something is broken now, or was within a time.
func (in *installation) faulty(within time.Duration) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.fault != "" || time.Since(in.healed) < within
}

// writeHarbour writes the documents that are asked about.
func writeHarbour(dir string) error {
	for i, about := range subjects {
		text := fmt.Sprintf("# Rules on %[1]s\n\n## Duties\n\nA skipper must report the %[1]s to the harbour office within %[2]d hours. The office must answer within %[3]d days.\n\n"+
			"## Fees\n\nThe fee for the %[1]s is %[2]d crowns – “rounded up” to the next crown. Nobody may leave the port before the fee for the %[1]s is paid.\n", about, i+2, i+3)
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(about, " ", "-")+".md"), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

var subjects = []string{"berth", "anchorage", "pilot boat", "night lantern", "fishing net", "ballast water", "crew list", "cargo crane", "fuel barge", "dry dock", "signal flag", "mooring rope"}
