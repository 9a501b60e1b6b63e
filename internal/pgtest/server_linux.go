package pgtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Server is a PostgreSQL server for one test, which may kill it.
type Server struct {
	Address string // its connection string
	dir     string
	initdb  string
	run     func(name string, args ...string) *exec.Cmd
}

// NewServer makes a server for the test, on a socket, and starts it. Without PostgreSQL's programs it
// skips the test.
func NewServer(t *testing.T) *Server {
	t.Helper()
	initdb := program("initdb")
	if initdb == "" {
		t.Skip("install PostgreSQL's server (on Debian: apt install postgresql): this test starts one of its own")
	}
	dir, err := os.MkdirTemp("/tmp", "assay-pg-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: "host=" + dir + " user=assay dbname=postgres", dir: dir, initdb: initdb, run: exec.Command}
	t.Cleanup(func() {
		s.Kill(t)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		s.asPostgres(t)
	}
	s.must(t, initdb, "-D", s.data(), "-U", "assay", "-A", "trust", "-E", "UTF8")
	s.Start(t)
	return s
}

// program finds a program on the path, or in Debian's folder.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// asPostgres makes later programs run as the user postgres.
func (s *Server) asPostgres(t *testing.T) {
	t.Helper()
	who, err := user.Lookup("postgres")
	if err != nil {
		t.Skipf("PostgreSQL refuses to run as root: %v", err)
	}
	id := func(text string) uint32 {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(n)
	}
	credential := &syscall.Credential{Uid: id(who.Uid), Gid: id(who.Gid)}
	if err := os.Chown(s.dir, int(credential.Uid), int(credential.Gid)); err != nil {
		t.Fatal(err)
	}
	s.run = func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
		return cmd
	}
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) must(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := s.run(name, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "server.log")) // absent before the first start
		t.Fatalf("%s: %v\n%s%s", filepath.Base(name), err, out.Bytes(), log)
	}
}

// Start starts the server and waits until it answers.
func (s *Server) Start(t *testing.T) {
	t.Helper()
	s.must(t, filepath.Join(filepath.Dir(s.initdb), "pg_ctl"), "-D", s.data(), "-w", "-l", filepath.Join(s.dir, "server.log"),
		"-o", fmt.Sprintf("-c listen_addresses='' -c unix_socket_directories='%s'", s.dir), "start")
}

// Kill kills all processes of the server at once, as if the machine failed, and waits until they are
// gone. It does nothing when the server does not run.
func (s *Server) Kill(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("reading the server's process: %v", err)
	}
	all := append(children(t, pid), pid)
	for _, p := range all {
		if err := syscall.Kill(p, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			t.Fatalf("killing the server: %v", err)
		}
	}
	for _, p := range all {
		for tries := 0; !gone(p); tries++ {
			if tries == 1000 {
				t.Fatalf("process %d of the server does not end", p)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	// If nobody reaps the dead process, the next start would take it for a running server.
	for _, lock := range []string{filepath.Join(s.data(), "postmaster.pid"), filepath.Join(s.dir, ".s.PGSQL.5432.lock")} {
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
}

// children lists the processes that a process started.
func children(t *testing.T, pid int) []int {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, path := range paths {
		if _, parent := stat(path); parent == pid {
			p, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err == nil {
				out = append(out, p)
			}
		}
	}
	return out
}

// gone reports whether a process has ended, reaped or not.
func gone(pid int) bool {
	state, _ := stat(fmt.Sprintf("/proc/%d/stat", pid))
	return state == "Z" || state == ""
}

// stat returns the state and the parent of a process.
func stat(path string) (state string, parent int) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 2 {
		return "", 0
	}
	parent, err = strconv.Atoi(fields[1])
	if err != nil {
		return "", 0
	}
	return fields[0], parent
}
