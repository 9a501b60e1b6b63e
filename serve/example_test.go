package serve_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"example.com/assay/serve"
)

// A program serves two graphs of its own to the clients of LangGraph.
func Example() {
	folder, err := os.MkdirTemp("", "serve")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	options, done, err := kept(folder) // the checkpointer, the store and the log in files
	if err != nil {
		fmt.Println(err)
		return
	}
	defer done()
	options.Graphs = []serve.Graph{
		serve.Register("up", counter("up", 1), nil),
		serve.Register("down", counter("down", -1), &serve.GraphOptions{Description: "counts down"}),
	}
	options.Open = true // to who reaches it; with Tenants, to who has a token
	s, err := serve.New(context.Background(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background())
	l, err := net.Listen("tcp", "127.0.0.1:0") // or "127.0.0.1:2024"
	if err != nil {
		fmt.Println(err)
		return
	}
	server := s.HTTP()
	go server.Serve(l)
	defer server.Close()

	for _, graph := range []string{"up", "down"} {
		answer, err := http.Post("http://"+l.Addr().String()+"/runs/wait", "application/json", strings.NewReader(`{"assistant_id":"`+graph+`","input":{"n":41}}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		fmt.Println(graph, string(body), err)
	}
	// Output:
	// up {"n":42} <nil>
	// down {"n":40} <nil>
}
