package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/state/message"
)

// A planner is the agent's model where there is none: it calls one pipeline for each message of a
// person, by the message's form. Other requests go to the model inside.
type planner struct{ llm.Model }

// maxEarlier is how many earlier messages a question gets.
const maxEarlier = 6

// Generate chooses a call. A failed call is the answer. A summary is what was said last.
func (p planner) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	switch {
	case req.Skill == "summarise":
		var said []string
		for _, m := range before(req.Messages[:len(req.Messages)-1]) {
			said = append(said, llm.Cut(m["content"], 1000))
		}
		return llm.Response{Text: strings.Join(said, "\n"), Model: Name}, nil
	case len(req.Tools) == 0:
		return p.Model.Generate(ctx, req)
	}
	last := req.Messages[len(req.Messages)-1]
	if len(last.Results) > 0 {
		return llm.Response{Text: "That could not be answered: " + last.Results[0].Text, Model: Name}, nil
	}
	if last.Role != llm.User || strings.TrimSpace(last.Text) == "" {
		return llm.Response{}, errors.New("nothing was asked: the last message must be a person's, with a text")
	}
	name, args := planned(last.Text)
	if name == toolAsk {
		if earlier := before(req.Messages[:len(req.Messages)-1]); len(earlier) > 0 {
			args[argumentEarlier] = earlier
		}
	}
	arguments, err := json.Marshal(args)
	return llm.Response{Calls: []llm.ToolCall{{ID: fmt.Sprint("plan", len(req.Messages)), Name: name, Arguments: arguments}}, Model: Name}, err
}

// Names and arguments of tools that the plan calls.
const (
	toolAsk      = "ask"
	toolVerify   = "verify"
	toolEdges    = "verify_edges"
	toolComply   = "comply"
	toolGlossary = "glossary"
)

var (
	checkForm  = regexp.MustCompile(`(?is)^\s*(?:please\s+)?(?:verify|check)(?:\s+(?:this|that|the following))?(?:\s+(?:text|answer|response|claim|statement))?\s*:\s*(.+)$`)
	complyForm = regexp.MustCompile(`(?is)^\s*(?:comply|compliance|rules?)\s*:\s*(.+)$`)
	defineForm = regexp.MustCompile(`(?is)^\s*define\s*:?\s+(.+?)[.?]?\s*$`)
	edgeForm   = regexp.MustCompile(`^\s*(.+?)\s*(?:=>|->|→)\s*(.+?)\s*$`)
)

// planned returns the tool for a message, and its arguments.
func planned(text string) (tool string, args map[string]any) {
	if edges := edgesOf(text); len(edges) > 0 {
		return toolEdges, map[string]any{"edges": edges}
	}
	if m := checkForm.FindStringSubmatch(text); m != nil {
		return toolVerify, map[string]any{"text": strings.TrimSpace(m[1])}
	}
	if m := complyForm.FindStringSubmatch(text); m != nil {
		return toolComply, map[string]any{"question": strings.TrimSpace(m[1])}
	}
	if m := defineForm.FindStringSubmatch(text); m != nil {
		return toolGlossary, map[string]any{"term": m[1]}
	}
	return toolAsk, map[string]any{"question": text}
}

// edgesOf returns the causal edges of a text in which each line is one.
func edgesOf(text string) (edges []map[string]string) {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := edgeForm.FindStringSubmatch(line)
		if m == nil || strings.HasSuffix(m[2], "?") { // a question may hold an arrow
			return nil
		}
		edges = append(edges, map[string]string{"cause": m[1], "effect": m[2]})
	}
	return edges
}

// before returns the last messages with texts, in the form of an argument.
func before(list []llm.Message) (out []map[string]string) {
	for _, m := range list {
		kind := map[llm.Role]string{llm.User: message.Human, llm.Assistant: message.AI}[m.Role]
		if kind != "" && strings.TrimSpace(m.Text) != "" {
			out = append(out, map[string]string{"type": kind, "content": m.Text})
		}
	}
	return out[max(0, len(out)-maxEarlier):]
}
