package weaviate_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A cluster is nodes of a Weaviate that a test may kill.
type cluster struct {
	t       testing.TB
	program string
	dir     string
	ports   []int // per node: of HTTP; the next four are its others
	running []*exec.Cmd
}

const portsOfNode = 6

// start starts a cluster of n nodes and waits until each is ready. Without the program
// that ASSAY_TEST_WEAVIATE names, the test is skipped.
func start(t testing.TB, n int) *cluster {
	t.Helper()
	program := os.Getenv("ASSAY_TEST_WEAVIATE")
	if program == "" {
		t.Skip("set ASSAY_TEST_WEAVIATE to the program weaviate-server to test with one; .ci/scale builds it")
	}
	c := &cluster{t: t, program: program, dir: t.TempDir(), running: make([]*exec.Cmd, n)}
	for i, port := range freePorts(t, n*portsOfNode) {
		if i%portsOfNode == 0 {
			c.ports = append(c.ports, port)
		}
	}
	t.Cleanup(func() {
		for i := range c.running {
			c.kill(i)
		}
	})
	for i := range n {
		c.run(i)
	}
	for i := range n {
		c.ready(i)
	}
	return c
}

// freePorts finds consecutive ports that nobody listens at.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	for from := 21000; from < 30000; from += 100 {
		out := make([]int, 0, n)
		for port := from; port < from+n; port++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				break
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			out = append(out, port)
		}
		if len(out) == n {
			return out
		}
	}
	t.Fatal("no free ports")
	return nil
}

// run starts a node. What it says goes to a file.
func (c *cluster) run(i int) {
	c.t.Helper()
	var join []string
	for node, port := range c.ports {
		join = append(join, fmt.Sprintf("weaviate-%d:%d", node, port+3))
	}
	gossip := ""
	if i > 0 {
		gossip = fmt.Sprintf("localhost:%d", c.ports[0]+1)
	} else if len(c.ports) > 1 && c.running[0] != nil {
		gossip = fmt.Sprintf("localhost:%d", c.ports[1]+1) // started again: the others are the cluster
	}
	port := c.ports[i]
	cmd := exec.Command(c.program, "--host", "127.0.0.1", "--port", fmt.Sprint(port), "--scheme", "http")
	cmd.Env = append(os.Environ(),
		"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true", "DEFAULT_VECTORIZER_MODULE=none", "DISABLE_TELEMETRY=true", "LOG_LEVEL=error",
		"PERSISTENCE_DATA_PATH="+filepath.Join(c.dir, fmt.Sprint(i)), fmt.Sprintf("CLUSTER_HOSTNAME=weaviate-%d", i),
		"CLUSTER_IN_LOCALHOST=true", "CLUSTER_ADVERTISE_ADDR=127.0.0.1", "CLUSTER_BIND_ADDR=127.0.0.1", "CLUSTER_JOIN="+gossip,
		fmt.Sprintf("CLUSTER_GOSSIP_BIND_PORT=%d", port+1), fmt.Sprintf("CLUSTER_DATA_BIND_PORT=%d", port+2),
		fmt.Sprintf("RAFT_PORT=%d", port+3), fmt.Sprintf("RAFT_INTERNAL_RPC_PORT=%d", port+4), "RAFT_JOIN="+strings.Join(join, ","),
		fmt.Sprintf("RAFT_BOOTSTRAP_EXPECT=%d", len(c.ports)), fmt.Sprintf("GRPC_PORT=%d", port+5), "PROFILING_PORT=0",
	)
	log, err := os.OpenFile(filepath.Join(c.dir, fmt.Sprintf("%d.log", i)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		c.t.Fatal(err)
	}
	c.running[i] = cmd
}

// kill kills a node with -9.
func (c *cluster) kill(i int) {
	cmd := c.running[i]
	if cmd == nil || cmd.ProcessState != nil {
		return
	}
	_ = cmd.Process.Kill() // it may have ended by itself
	_ = cmd.Wait()         // the error is that it was killed
}

// ready waits until a node answers.
func (c *cluster) ready(i int) {
	c.t.Helper()
	until := time.Now().Add(2 * time.Minute)
	for {
		res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/v1/.well-known/ready", c.ports[i]))
		if err == nil {
			ready := res.StatusCode == http.StatusOK
			if err := res.Body.Close(); err != nil {
				c.t.Fatal(err)
			}
			if ready {
				return
			}
		}
		if time.Now().After(until) {
			data, _ := os.ReadFile(filepath.Join(c.dir, fmt.Sprintf("%d.log", i)))
			c.t.Fatalf("node %d does not get ready: %v\n%s", i, err, data[max(0, len(data)-2000):])
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// address names all nodes, and how classes are made.
func (c *cluster) address(settings string) string {
	hosts := make([]string, len(c.ports))
	for i, port := range c.ports {
		hosts[i] = fmt.Sprintf("127.0.0.1:%d", port)
	}
	return "weaviate://" + strings.Join(hosts, ",") + settings
}

// bytes is what the nodes have on disk.
func (c *cluster) bytes() (n int64) {
	_ = filepath.WalkDir(c.dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil { // a file that goes meanwhile is not counted
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
