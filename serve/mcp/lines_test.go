package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.com/assay/serve/mcp"
)

// A line that is not a message is answered with an error, and the messages after it as ever.
func TestLinesThatAreNoMessages(t *testing.T) {
	m := mounted(t, mcp.Options{Name: "lines"})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- m.Serve(context.Background(), "ann", in, out) }()
	answers := bufio.NewReader(fromServer)
	ask := func(line string) string {
		t.Helper()
		if _, err := fmt.Fprintf(toServer, "%s\n", line); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	const ping = `{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, c := range []struct {
		line, says string
		answers    int
	}{
		{"GET / HTTP/1.1", "-32700", 1}, {"{", "-32700", 1}, {`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "-32700", 1}, {"null", "-32600", 1}, {"7", "-32600", 1},
		{"[]", "-32600", 1}, {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, `"id":7`, 1}, {`{"id":"a"}`, `"id":"a"`, 1}, {"\xff\xfe", "-32700", 1}, {"[1,2,3]", "-32600", 3},
		{strings.Repeat("x", 17<<20), "too long", 1}, {"\n\n" + fmt.Sprintf(ping, 99), `"id":99`, 1},
	} {
		got := ask(c.line)
		for range c.answers - 1 {
			more, err := answers.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			got += more
		}
		if !strings.Contains(got, c.says) {
			t.Errorf("%.60q: %.300s; want %q", c.line, got, c.says)
		}
	}
	if err := toServer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("serving: %v", err)
	}
}
