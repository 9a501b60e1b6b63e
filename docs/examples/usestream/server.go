// Usestream serves an agent that asks a person before it pays. page.tsx is a page for it.
package main

import (
	"cmp"
	"context"
	"errors"
	"log"
	"os"

	"example.com/assay/llm"
	"example.com/assay/llm/openai"
	"example.com/assay/nodes/react"
	"example.com/assay/serve"
	"example.com/assay/serve/files"
)

// A payment is what the model asks to pay.
type payment struct {
	To    string  `json:"to" jsonschema:"who gets the money"`
	Euros float64 `json:"euros" jsonschema:"how much"`
}

func main() {
	if err := run(context.Background(), cmp.Or(os.Getenv("ADDR"), "127.0.0.1:2024"), cmp.Or(os.Getenv("DATA"), "data")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, addr, folder string) error {
	pay, err1 := llm.NewTool("pay", "Pays an invoice.", func(_ context.Context, p payment) (string, error) {
		return "paid, receipt R-1", nil // here a real program pays
	})
	models, err2 := openai.NewServer(&openai.Options{Key: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL")})
	kept, err3 := files.Open(ctx, folder)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	model, err1 := models.Model("gpt-4.1-mini")
	agent, err2 := react.New(model, []react.Tool{{Callable: pay, Approve: react.Always}}, nil)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	app, err := agent.Compile(nil)
	if err != nil {
		return err
	}
	server, err := serve.New(ctx, serve.Options{
		Graphs: []serve.Graph{serve.Register("agent", app, nil)}, Checkpointer: kept.Saver, Store: kept.Rows, Log: kept.Log,
		Open: true, Origins: []string{"http://localhost:5173"}, // of the page
	})
	if err != nil {
		return err
	}
	web := server.HTTP()
	web.Addr = addr
	return web.ListenAndServe() // a run that is cut off goes on at the next start
}
