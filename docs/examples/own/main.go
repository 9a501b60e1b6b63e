// Own is an agent with a prompt and tools of one's own, a real provider, and an answer
// that is judged against what the tools returned.
//
//	OPENAI_API_KEY=… go run ./docs/examples/own
//
// OPENAI_BASE_URL names another server of that API, such as Ollama's.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"
	"os"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/llm/openai"
	"example.com/assay/nodes/react"
	"example.com/assay/skills"
)

//go:embed tidy.md
var tidy []byte

type tideIn struct {
	Harbour string `json:"harbour" jsonschema:"the name of a harbour"`
}

type tide struct {
	Harbour string  `json:"harbour"`
	High    string  `json:"high_water"`
	Metres  float64 `json:"height_metres"`
}

// tidyIn and tidyOut are the input and the answer of the prompt tidy.md.
type (
	tidyIn struct {
		Answer string `json:"answer"`
	}
	tidyOut struct {
		Line string `json:"line"`
	}
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	server, err := openai.NewServer(&openai.Options{Key: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL")})
	if err != nil {
		return err
	}
	model, err := server.Model("gpt-4.1-mini")
	if err != nil {
		return err
	}
	tides, err := llm.NewTool("tides", "The next high water of a harbour.", func(_ context.Context, in tideIn) (tide, error) {
		return tide{in.Harbour, "14:05", 3.2}, nil // a real one would ask a service
	})
	if err != nil {
		return err
	}
	prompts, err := skills.Load(nil)
	if err != nil {
		return err
	}
	grounded, err := react.Grounded(react.Grounding{Model: offline.New(nil), Skills: prompts})
	if err != nil {
		return err
	}
	g, err := react.New(model, react.Tools(tides), &react.Options{Prompt: "You advise sailors. Look things up.", After: []react.Step{grounded}})
	if err != nil {
		return err
	}
	app, err := g.Compile(nil)
	if err != nil {
		return err
	}
	final, err := app.Invoke(ctx, react.Say("When is high water in Dover, and how high?"), nil)
	if err != nil {
		return err
	}
	fmt.Println(react.Answer(final))
	for _, c := range final.Messages[len(final.Messages)-1].Check.Claims {
		fmt.Printf("  %s: %s\n", c.Status, c.Claim)
	}
	prompt, err := skills.Parse("tidy.md", tidy)
	if err != nil {
		return err
	}
	out, _, err := llm.Ask[tidyOut](ctx, model, prompt, tidyIn{react.Answer(final)})
	if err != nil {
		return err
	}
	fmt.Println("log:", out.Line)
	return nil
}
