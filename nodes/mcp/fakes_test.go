package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/memory/retrieval"
)

// shopArguments and price are those of the tool of the honest server.
type shopArguments struct {
	Item string `json:"item" jsonschema:"what to price"`
}

type price struct {
	Item string  `json:"item"`
	Euro float64 `json:"euro"`
}

// shop is an honest server.
func shop() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "price", Description: "The price of an item."}, func(_ context.Context, _ *sdk.CallToolRequest, in shopArguments) (*sdk.CallToolResult, price, error) {
		if in.Item == "nothing" {
			return nil, price{}, fmt.Errorf("nothing has no price")
		}
		return nil, price{in.Item, 3.5}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "note", Description: "Reads a note."}, func(_ context.Context, _ *sdk.CallToolRequest, in shopArguments) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Item}, &sdk.ImageContent{Data: []byte("png")}}}, nil, nil
	})
	return s
}

// inProcess is a way to a server in this process, which ends with the test.
func inProcess(t *testing.T, server func() *sdk.Server) func() io.ReadWriteCloser {
	return func() io.ReadWriteCloser {
		ours, theirs := net.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = server().Run(ctx, &sdk.IOTransport{Reader: theirs, Writer: theirs}) // it ends with the pipe
		}()
		t.Cleanup(func() { cancel(); _ = theirs.Close(); <-done })
		return ours
	}
}

// A liar is a server by hand: it answers each line by fn, with lines.
type liar func(method string, id json.RawMessage, params json.RawMessage, say func(string))

const listOne = `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"price","description":"The price of an item.","inputSchema":{"type":"object","properties":{"item":{"type":"string"}}},"outputSchema":{"type":"object","required":["euro"],"properties":{"euro":{"type":"number"}}}}]}}`

// serve answers the handshake and the list, and leaves the rest to the liar.
func (fn liar) serve(in io.Reader, out io.Writer) {
	lines := bufio.NewReader(in)
	say := func(text string) { _, _ = io.WriteString(out, text+"\n") } // a client that is gone does not hear it
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var msg struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(line, &msg) != nil || msg.Method == "" {
			fn("answer", nil, line, say)
			continue
		}
		fn(msg.Method, msg.ID, msg.Params, say)
	}
}

// polite answers what a liar does not care about.
func polite(fn liar) liar {
	return func(method string, id, params json.RawMessage, say func(string)) {
		switch method {
		case "server/discover":
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id))
		case "initialize":
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"liar","version":"1"}}}`, id))
		case "tools/list":
			say(fmt.Sprintf(listOne, id))
		case "tools/call", "answer":
			fn(method, id, params, say)
		}
	}
}

func (fn liar) pipe() io.ReadWriteCloser {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		fn.serve(theirs, theirs)
	}()
	return ours
}

// calls is a liar that answers calls with a result.
func calls(result string) liar {
	return polite(func(method string, id, _ json.RawMessage, say func(string)) {
		if method == "tools/call" {
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
		}
	})
}

func open(t *testing.T, s Server, opts *Options) *Session {
	t.Helper()
	session, err := Open(t.Context(), s, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

// obey finds what a test calls an order.
func obey(text string) []retrieval.Order {
	at := strings.Index(text, "OBEY")
	if at < 0 {
		return nil
	}
	return []retrieval.Order{{Kind: "override", Start: at, End: at + 4}}
}

// The test binary is a server of its own when it is told so.
func TestMain(m *testing.M) {
	switch os.Getenv("ASSAY_TEST_SERVER") {
	case "":
		os.Exit(m.Run())
	case "shop":
		if err := shop().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	case "crash":
		fmt.Fprintln(os.Stderr, "the key\x1b[31m is missing")
		os.Exit(3)
	case "env":
		polite(func(method string, id, _ json.RawMessage, say func(string)) {
			text, _ := json.Marshal(strings.Join(os.Environ(), " "))
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"structuredContent":{"euro":1}}}`, id, text))
		}).serve(os.Stdin, os.Stdout)
	case "deaf": // answers the handshake, and then reads nothing and does not end
		polite(func(string, json.RawMessage, json.RawMessage, func(string)) { time.Sleep(time.Hour) }).serve(os.Stdin, os.Stdout)
	case "once": // ends after a call
		polite(func(_ string, id, _ json.RawMessage, say func(string)) {
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"euro":%d}}}`, id, os.Getpid()))
			os.Exit(0)
		}).serve(os.Stdin, os.Stdout)
	}
}
