// Command rows prints documents as the encoder reads them, for train/documents.py: for each file that
// is named on standard input a line of JSON with its stretches.
//
//	ls train/data/papers/documents/* | go run ./train/rows > rows.jsonl
//
// A file that cannot be read is named on standard error and left out.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"example.com/assay/internal/plainjson"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/document"
)

type row struct {
	Text    string `json:"text"`
	Raw     string `json:"raw"`     // the bytes of the passage
	Passage int    `json:"passage"` // where the passage begins in its document
	Start   int    `json:"start"`   // of Raw in the passage
	End     int    `json:"end"`
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	out := bufio.NewWriter(os.Stdout)
	names := bufio.NewScanner(os.Stdin)
	for names.Scan() {
		rows, err := rowsOf(ctx, names.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		line, err := plainjson.Encode(map[string]any{"file": names.Text(), "rows": rows})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", line) // Flush returns the error
	}
	if err := names.Err(); err != nil {
		return err
	}
	return out.Flush()
}

func rowsOf(ctx context.Context, file string) ([]row, error) {
	d, err := document.Load(ctx, file, filepath.Base(file), nil)
	if err != nil {
		return nil, err
	}
	passages, err := document.Passages(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	var out []row
	for _, p := range passages {
		for _, r := range answer.Readings(p) {
			out = append(out, row{r.Text, p.Text[r.Start:r.End], p.Start, r.Start, r.End})
		}
	}
	return out, nil
}
