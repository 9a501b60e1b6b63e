package react

import (
	"context"
	"fmt"
	"unicode/utf8"

	"example.com/assay/graph/store"
	"example.com/assay/llm"
)

// ToolReadResult is the tool with which a model reads the rest of a long result. An agent with a
// store has it.
const ToolReadResult = "read_result"

// storedResult is a tool's whole result in the store.
type storedResult struct {
	Tool string `json:"tool"`
	Text string `json:"text"`
}

type readArguments struct {
	Key  string `json:"key" jsonschema:"the key of the result"`
	From int    `json:"from,omitempty" jsonschema:"the byte to read from"`
}

// readPiece is how many bytes of a stored result one call returns.
const readPiece = 8 << 10

// readResult makes the tool.
func readResult(s store.Store, namespace []string) (llm.Callable, error) {
	return llm.NewTool(ToolReadResult, "Reads on in a tool's result that was too long to be given whole.", func(ctx context.Context, in readArguments) (string, error) {
		kept, err := store.Get[storedResult](ctx, s, namespace, in.Key)
		if err != nil {
			return "", fmt.Errorf("reading result %q: %w", in.Key, err)
		}
		if in.From < 0 || in.From >= len(kept.Text) {
			return "", fmt.Errorf("from is %d: result %q has %d bytes", in.From, in.Key, len(kept.Text))
		}
		from := in.From
		for from > 0 && !utf8.RuneStart(kept.Text[from]) {
			from--
		}
		piece := kept.Text[from:]
		if len(piece) <= readPiece {
			return piece, nil
		}
		end := readPiece
		for !utf8.RuneStart(piece[end]) {
			end--
		}
		return fmt.Sprintf("%s\n(read on from byte %d of %d)", piece[:end], from+end, len(kept.Text)), nil
	})
}
