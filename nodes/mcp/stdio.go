package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// grace is how long a server may take to end, and a call to return after its context has ended.
const grace = 2 * time.Second

// A process is a server that runs as a child process. Its standard error is not shown: its end is
// kept for errors.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *tail
	ended  chan struct{} // closed after Wait
	once   sync.Once
}

// start starts the command of a server.
func start(s Server) (*process, error) {
	p := &process{cmd: exec.Command(s.Command, s.Args...), stderr: &tail{}, ended: make(chan struct{})}
	p.cmd.Env = append([]string{}, s.Env...) // nil would be the environment of this program
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = grace
	alone(p.cmd)
	read, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	in, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making a pipe: %w", err), read.Close(), out.Close())
	}
	p.cmd.Stdin, p.cmd.Stdout, p.in, p.out = in, out, write, read
	err = p.cmd.Start()
	theirs := errors.Join(in.Close(), out.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting it: %w", err), theirs, read.Close(), write.Close())
	}
	go func() {
		_ = p.cmd.Wait() // its exit status does not matter: its output has ended
		close(p.ended)
	}()
	return p, nil
}

// ending is the child's standard input. Close ends the child.
type ending struct{ *process }

func (e ending) Write(data []byte) (int, error) { return e.in.Write(data) }

// Close closes the input, which tells the server to end, and kills a server that does not end soon.
func (e ending) Close() error {
	err := e.in.Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-e.ended:
	case <-timer.C:
	}
	e.kill()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// kill ends the child, with its own children if the system allows it, and waits for it.
func (p *process) kill() {
	p.once.Do(func() {
		killAll(p.cmd)
		<-p.ended
		_ = p.in.Close() // no longer used
		_ = p.out.Close()
	})
}

// tail keeps the end of the data written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, data...)
	if over := len(t.text) - maxSaid; over > 0 {
		t.text = slices.Clone(t.text[over:])
	}
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
