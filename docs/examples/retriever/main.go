// Retriever is an agent over a search of one's own, whose answers a judge of one's own
// checks.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/react"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// shelf is a search of one's own: it returns the texts that have a word of the query.
type shelf []string

func (s shelf) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	var out retrieval.Result
	for i, text := range s {
		for word := range strings.FieldsSeq(strings.ToLower(q.Primary)) {
			if strings.Contains(strings.ToLower(text), word) {
				p := state.Passage{ID: fmt.Sprint("shelf-", i), Source: "shelf.txt", Text: text, End: len(text)}
				out.Hits = append(out.Hits, state.Hit{Passage: p, Rank: len(out.Hits) + 1})
				break
			}
		}
	}
	return out, nil
}

// strict is a judge of one's own: a claim is supported when a source has it word for
// word.
type strict struct{}

func (strict) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	var in skills.JudgeInput
	if err := json.Unmarshal(req.Vars, &in); err != nil {
		return llm.Response{}, err
	}
	out := skills.JudgeOutput{Status: "unsupported", Quotes: []skills.SourceQuote{}, Against: []skills.SourceQuote{}, Reason: "no source says it word for word"}
	for _, s := range in.Sources {
		if strings.Contains(s.Text, in.Claim) {
			out = skills.JudgeOutput{Status: "supported", Confidence: 1, Quotes: []skills.SourceQuote{{Source: s.N, Text: in.Claim}}, Against: out.Against, Reason: "word for word"}
		}
	}
	text, err := json.Marshal(out)
	return llm.Response{Text: string(text), Model: "strict"}, err
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	books := shelf{"The ferry to Hven sails every hour.", "Dogs travel free on the ferry.", "The lighthouse is closed in winter."}
	search, err := react.Search("search_shelf", "Searches the shelf.", books)
	if err != nil {
		return err
	}
	prompts, err := skills.Load(nil)
	if err != nil {
		return err
	}
	grounded, err := react.Grounded(react.Grounding{Model: strict{}, Skills: prompts, Treatment: verify.StrikeUnsupported})
	if err != nil {
		return err
	}
	model := &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": {
		{Calls: []llm.ToolCall{{ID: "1", Name: "search_shelf", Arguments: json.RawMessage(`{"query":"ferry"}`)}}},
		{Text: "The ferry to Hven sails every hour. Dogs travel free on the ferry. It serves breakfast."},
	}}}
	g, err := react.New(model, []react.Tool{search}, &react.Options{After: []react.Step{grounded}})
	if err != nil {
		return err
	}
	app, err := g.Compile(nil)
	if err != nil {
		return err
	}
	final, err := app.Invoke(ctx, react.Say("Tell me about the ferry."), nil)
	if err != nil {
		return err
	}
	fmt.Println(react.Answer(final))
	for _, c := range final.Messages[len(final.Messages)-1].Check.Claims {
		fmt.Printf("  %s: %s (%s)\n", c.Status, c.Claim, c.Reasoning)
	}
	return nil
}
