// Service answers questions about a folder of documents over HTTP, offline.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"

	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

const handbook = `# Workshop

## Keys

The key of the workshop hangs in the office. Whoever takes it signs the list. A
lost key is reported to Maria Lund within a day.
`

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	home, err := os.MkdirTemp("", "service-*")
	if err != nil {
		return err
	}
	defer func() { err = errorsOf(err, os.RemoveAll(home)) }()
	docs := filepath.Join(home, "docs")
	if err := os.MkdirAll(docs, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, "workshop.md"), []byte(handbook), 0o600); err != nil {
		return err
	}
	if _, err := memory.Ingest(ctx, memory.IngestOptions{Home: home, Corpus: "workshop", Paths: []string{docs}}); err != nil {
		return err
	}
	corpus, err := memory.Open(home, "workshop")
	if err != nil {
		return err
	}
	defer func() { err = errorsOf(err, corpus.Close()) }()
	prompts, err := skills.Load(nil)
	if err != nil {
		return err
	}
	pipeline, err := research.New(research.Deps{Model: offline.New(nil), Skills: prompts, Corpus: corpus}, nil)
	if err != nil {
		return err
	}
	server := httptest.NewServer(handler(pipeline, corpus)) // http.ListenAndServe in a real service
	defer server.Close()
	resp, err := http.Get(server.URL + "?q=" + url.QueryEscape("Where does the key of the workshop hang?"))
	if err != nil {
		return err
	}
	defer func() { err = errorsOf(err, resp.Body.Close()) }()
	body, err := io.ReadAll(resp.Body)
	fmt.Printf("%s\n", body)
	return err
}

// handler answers ?q=… with the answer, its status and its sources.
func handler(p *research.Pipeline, corpus *memory.Corpus) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		final, err := p.Run(r.Context(), r.URL.Query().Get("q"), nil)
		answer := research.Result(final, err, corpus)
		type source struct {
			File       string
			Start, End int
		}
		out := struct {
			Answer, Status string
			Sources        []source
		}{Answer: answer.Answer, Status: string(answer.Status)}
		for _, s := range answer.Sources {
			out.Sources = append(out.Sources, source{filepath.Base(s.Path), s.Start, s.End})
		}
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		if err := enc.Encode(out); err != nil {
			log.Print(err)
		}
	}
}

// errorsOf is the first error, and the second where there is none.
func errorsOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
