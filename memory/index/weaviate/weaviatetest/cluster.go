// Package weaviatetest starts Weaviate nodes of this machine for tests, which may kill them.
// It needs the program: ASSAY_TEST_WEAVIATE names it, and .ci/scale builds it.
package weaviatetest

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

// A Cluster is nodes of a Weaviate that a test may kill.
type Cluster struct {
	t       testing.TB
	program string
	dir     string
	ports   []int // per node: of HTTP; the next four are its others
	running []*exec.Cmd
}

const portsOfNode = 6

// Start starts a cluster of n nodes and waits until each is ready. Without the program
// that ASSAY_TEST_WEAVIATE names, the test is skipped.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	program := os.Getenv("ASSAY_TEST_WEAVIATE")
	if program == "" {
		t.Skip("set ASSAY_TEST_WEAVIATE to the program weaviate-server to test with one; .ci/scale builds it")
	}
	c := &Cluster{t: t, program: program, dir: t.TempDir(), running: make([]*exec.Cmd, n)}
	for i, port := range freePorts(t, n*portsOfNode) {
		if i%portsOfNode == 0 {
			c.ports = append(c.ports, port)
		}
	}
	t.Cleanup(func() {
		for i := range c.running {
			c.Kill(i)
		}
	})
	for i := range n {
		c.Run(i)
		c.listens(i)
	}
	for i := range n {
		c.Ready(i)
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

// Run starts a node. What it says goes to a file.
func (c *Cluster) Run(i int) {
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
	cmd := exec.Command(c.program, option("host", "127.0.0.1"), option("port", port), option("scheme", "http"))
	cmd.Env = append(os.Environ(),
		"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true", "DEFAULT_VECTORIZER_MODULE=none", "DISABLE_TELEMETRY=true", "ASYNC_INDEXING=true", "LOG_LEVEL=error",
		"PERSISTENCE_DATA_PATH="+filepath.Join(c.dir, fmt.Sprint(i)), fmt.Sprintf("CLUSTER_HOSTNAME=weaviate-%d", i),
		"CLUSTER_IN_LOCALHOST=true", "CLUSTER_ADVERTISE_ADDR=127.0.0.1", "CLUSTER_BIND_ADDR=127.0.0.1", "CLUSTER_JOIN="+gossip,
		fmt.Sprintf("CLUSTER_GOSSIP_BIND_PORT=%d", port+1), fmt.Sprintf("CLUSTER_DATA_BIND_PORT=%d", port+2),
		fmt.Sprintf("RAFT_PORT=%d", port+3), fmt.Sprintf("RAFT_INTERNAL_RPC_PORT=%d", port+4), "RAFT_JOIN="+strings.Join(join, ","),
		fmt.Sprintf("RAFT_BOOTSTRAP_EXPECT=%d", len(c.ports)), fmt.Sprintf("GRPC_PORT=%d", port+5), "GO_PROFILING_DISABLE=true",
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

// option is one of the program's command line.
func option(name string, value any) string {
	return fmt.Sprintf("%s%s=%v", strings.Repeat("-", 2), name, value)
}

// listens waits until a node takes part in the gossip, which the next ones join.
func (c *Cluster) listens(i int) {
	c.t.Helper()
	c.wait(i, func() error {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", c.ports[i]+1))
		if err == nil {
			err = conn.Close()
		}
		return err
	})
}

// Kill kills a node with -9.
func (c *Cluster) Kill(i int) {
	cmd := c.running[i]
	if cmd == nil || cmd.ProcessState != nil {
		return
	}
	_ = cmd.Process.Kill() // it may have ended by itself
	_ = cmd.Wait()         // the error is that it was killed
}

// Ready waits until a node answers.
func (c *Cluster) Ready(i int) {
	c.t.Helper()
	c.wait(i, func() error {
		res, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/v1/.well-known/ready", c.ports[i]))
		if err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK {
			err = errors.New(res.Status)
		}
		return errors.Join(err, res.Body.Close())
	})
}

func (c *Cluster) wait(i int, there func() error) {
	c.t.Helper()
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		err := there()
		if err == nil {
			return
		}
		if time.Now().After(until) {
			data, _ := os.ReadFile(filepath.Join(c.dir, fmt.Sprintf("%d.log", i)))
			c.t.Fatalf("node %d does not get ready: %v\n%s", i, err, data[max(0, len(data)-2000):])
		}
	}
}

// Address names all nodes, and how classes are made.
func (c *Cluster) Address(settings string) string {
	hosts := make([]string, len(c.ports))
	for i, port := range c.ports {
		hosts[i] = fmt.Sprintf("127.0.0.1:%d", port)
	}
	return "weaviate://" + strings.Join(hosts, ",") + settings
}

// Bytes is what the nodes have on disk.
func (c *Cluster) Bytes() (n int64) {
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
