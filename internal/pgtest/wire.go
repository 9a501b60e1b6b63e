package pgtest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// A Wire carries the connections between a program and a server, and can be cut.
type Wire struct {
	Addr string // where the program connects

	network, server string
	mu              sync.Mutex
	refuses         bool
	open            map[net.Conn]bool
}

// NewWire returns a wire to a server, which ends with the test.
func NewWire(t testing.TB, network, server string) *Wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{Addr: l.Addr().String(), network: network, server: server, open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		w.Cut(true)
	})
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			go w.carry(near)
		}
	}()
	return w
}

func (w *Wire) carry(near net.Conn) {
	defer func() { _ = near.Close() }()
	w.mu.Lock()
	refuses := w.refuses
	w.open[near] = !refuses
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.open, near)
		w.mu.Unlock()
	}()
	if refuses {
		return
	}
	far, err := net.Dial(w.network, w.server)
	if err != nil {
		return // the deferred call hangs up on the program
	}
	go func() {
		_, _ = io.Copy(far, near) // until one of them hangs up
		_ = far.Close()
	}()
	_, _ = io.Copy(near, far)
	_ = far.Close()
}

// Cut hangs up on all connections and, with refuses, on all later ones.
func (w *Wire) Cut(refuses bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuses = refuses
	for c := range w.open {
		_ = c.Close()
	}
}
