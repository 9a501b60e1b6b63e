package chat

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph/store"
	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/react"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// The values of --tools.
const (
	toolPipelines = "pipelines"
	toolCorpus    = "corpus"
	toolVerify    = "verify"
	toolExtract   = "extract"
	toolMemory    = "memory"
	toolServers   = config.KeyServers
)

var toolNames = []string{toolCorpus, toolVerify, toolExtract, toolMemory, toolServers, toolPipelines}

// chosen reads --tools.
func chosen(list, schema string) ([]string, error) {
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(toolNames, name) {
			return nil, cli.Usagef("--tools names %q%s; there are: %s", name, text.DidYouMean(name, toolNames), strings.Join(toolNames, ", "))
		}
	}
	if slices.Contains(names, toolExtract) != (schema != "") {
		return nil, cli.Usagef("--tools extract and --schema FILE go together: the schema says which fields there are")
	}
	return names, nil
}

// tools makes the chosen tools. The tool memory keeps its notes in notes.
func tools(ctx context.Context, d *open.Desk, names []string, schema string, notes store.Store) ([]react.Tool, error) {
	var out []react.Tool
	for _, name := range names {
		list, err := make([]react.Tool, 1), error(nil)
		switch name {
		case toolPipelines: // the agent has them by itself
			continue
		case toolCorpus:
			list[0], err = react.Search("search_documents", "Searches the person's documents and returns passages word for word.", d.Corpus)
		case toolVerify:
			list[0].Callable, err = verifyTool(d)
		case toolExtract:
			list[0].Callable, err = extractTool(d, schema)
		case toolMemory:
			list, err = react.Memory(notes, open.NotesOf, nil)
			for i := range list {
				if writes[list[i].Tool().Name] {
					list[i].Approve = react.Always
				}
			}
		case toolServers:
			list, err = serverTools(ctx, d)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// serverTools returns the tools of the configured MCP servers. A person approves each call of a
// tool under ask. Results have no limit: they stand between marks, which a cut would break.
func serverTools(ctx context.Context, d *open.Desk) ([]react.Tool, error) {
	if len(d.Servers) == 0 {
		return nil, cli.Usagef("--tools names %s, and the configuration has no servers: add a section %s, see agent doctor --init", toolServers, config.KeyServers)
	}
	sessions, err := d.Exchange.Sessions(ctx, d.Settings)
	if err != nil {
		return nil, err
	}
	var out []react.Tool
	for _, session := range sessions {
		server := d.Servers[session.Server()]
		for i, name := range slices.Concat(server.Tools, server.Ask) {
			tool, err := session.Tool(name)
			if err != nil {
				return nil, err
			}
			t := react.Tool{Callable: tool, Limit: -1}
			if i >= len(server.Tools) {
				t.Approve = react.Always
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// judged is a statement as the tool verify returns it.
type judged struct {
	Statement string   `json:"statement"`
	Status    string   `json:"status"`
	Why       string   `json:"why,omitempty"`
	Quotes    []string `json:"quotes,omitempty"`
}

func verifyTool(d *open.Desk) (llm.Callable, error) {
	p, err := d.Verify()
	if err != nil {
		return nil, err
	}
	return llm.NewTool("verify_text", "Says of each statement of a text whether the person's documents support it.", func(ctx context.Context, in struct {
		Text string `json:"text" jsonschema:"the text to check"`
	}) ([]judged, error) {
		if strings.TrimSpace(in.Text) == "" {
			return nil, errors.New("the text is empty")
		}
		final, err := p.Run(ctx, verify.Input{Response: in.Text}, nil)
		if err != nil {
			return nil, err
		}
		var out []judged
		for _, c := range verify.Check(final).Claims {
			j := judged{Statement: c.Claim, Status: string(c.Status), Quotes: quoted(c.Evidence)}
			if c.Status != state.Supported {
				j.Why = c.Reasoning
			}
			out = append(out, j)
		}
		return out, nil
	})
}

func quoted(quotes []state.Quote) []string {
	var out []string
	for _, q := range quotes {
		out = append(out, q.Text)
	}
	return out
}

func extractTool(d *open.Desk, path string) (llm.Callable, error) {
	schema, _, err := open.Schema(path)
	if err != nil {
		return nil, err
	}
	p, err := d.Extract(schema, nil)
	if err != nil {
		return nil, err
	}
	return llm.NewTool("extract_fields", "Reads the fields of the person's schema from a text.", func(ctx context.Context, in struct {
		Text string `json:"text" jsonschema:"the text that holds the fields"`
	}) (json.RawMessage, error) {
		final, err := p.Run(ctx, extract.FieldDocument{Text: in.Text}, nil)
		if err != nil {
			return nil, err
		}
		best, found := final.Best()
		if !found {
			return nil, errors.New("no field was found")
		}
		return plainjson.Encode(best.Values)
	})
}

// writes are the tools of memory whose calls a person approves: they change what a later
// conversation finds.
var writes = map[string]bool{"remember": true, "forget": true}
