package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Limits of a server's messages for one call, including unsolicited ones.
const (
	maxBytes    = 8 << 20
	maxMessages = 4096
)

// errBatch reports several messages in one, which would escape the count.
var errBatch = errors.New("it sent messages in a batch, which the protocol has no longer: it must be updated")

// A guard reads a server's output, and stops when it is too much.
type guard struct {
	io.ReadCloser
	byLine bool        // each line is a message or part of one
	report func(error) // gets the fault

	mu              sync.Mutex
	bytes, messages int
	inside          bool // of a line
	fault           error
}

// renew resets the counters before a call.
func (g *guard) renew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bytes, g.messages = 0, 0
}

// Read reads, and counts.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault == nil {
		if g.fault = g.count(p[:n]); g.fault != nil {
			g.report(g.fault)
		}
	}
	if g.fault != nil {
		return 0, g.fault
	}
	return n, err
}

func (g *guard) count(read []byte) error {
	g.bytes += len(read)
	for g.byLine && len(read) > 0 {
		if !g.inside {
			read = bytes.TrimLeft(read, " \t\r\n")
			if len(read) == 0 {
				break
			}
			if read[0] == '[' {
				return errBatch
			}
			g.inside = true
		}
		end := bytes.IndexByte(read, '\n')
		if end < 0 {
			break
		}
		g.messages++
		g.inside, read = false, read[end+1:]
	}
	if g.bytes > maxBytes || g.messages > maxMessages {
		return fmt.Errorf("it sent more than %d MiB or %d messages for one call, and was stopped: leave it out, or ask it for less", maxBytes>>20, maxMessages)
	}
	return nil
}
