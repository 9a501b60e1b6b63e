package extract

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/fields"
	"example.com/assay/eval/jsonl"
	"example.com/assay/nodes/extract"
)

// The formats of collections.
const (
	FormatSROIE    = "sroie"    // {id, ocr_lines: [{text, box: [x1, y1, …, x4, y4]}], fields: {name: value}}
	FormatKleister = "kleister" // {id, text, fields: {name: [values]}}
)

// formats lists them.
func formats() []string { return []string{FormatSROIE, FormatKleister} }

// A Dataset is judged documents.
type Dataset struct {
	Format string
	Items  []Item
	Hash   string // SHA-256 of the lines of its file
}

// An Item is a document with the values that people read from it.
type Item struct {
	ID    string
	Group string // documents of one group look alike
	Doc   extract.FieldDocument
	Gold  map[string][]string // by field; none for a field that is not stated
}

// Names lists the fields that any document has, sorted.
func (d *Dataset) Names() []string {
	var out []string
	for _, item := range d.Items {
		for name := range item.Gold {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Read reads a collection. Errors in the data name the line and the field. progress is called as in
// jsonl.EachLine.
func Read(ctx context.Context, format, path string, progress func(done, total int)) (*Dataset, error) {
	if !slices.Contains(formats(), format) {
		return nil, fmt.Errorf("reading %s: the format %q is not known; known are %s", path, format, strings.Join(formats(), ", "))
	}
	d := &Dataset{Format: format}
	h := sha256.New()
	err := jsonl.EachLine(ctx, path, nil, func(_ int, text []byte) error {
		fmt.Fprintf(h, "%s\n", text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	if format == FormatSROIE {
		err = jsonl.Each(ctx, path, "id", progress, func(at jsonl.Place, r scanned) error { return d.scan(at, seen, r) })
	} else {
		err = jsonl.Each(ctx, path, "id", progress, func(at jsonl.Place, r written) error { return d.write(at, seen, r) })
	}
	if err != nil {
		return nil, err
	}
	if len(d.Items) == 0 {
		return nil, jsonl.Place{Path: path}.Fault("", "there are no documents in it", "write one JSON object per line")
	}
	d.Hash = hex.EncodeToString(h.Sum(nil))
	return d, nil
}

type scanned struct {
	ID    jsonl.Ident       `json:"id"`
	Lines []scannedLine     `json:"ocr_lines"`
	Gold  map[string]string `json:"fields"`
}

type scannedLine struct {
	Text string    `json:"text"`
	Box  []float64 `json:"box"`
}

func (d *Dataset) scan(at jsonl.Place, seen map[string]int, r scanned) error {
	if err := at.Unique(seen, string(r.ID)); err != nil {
		return err
	}
	if err := at.Want("ocr_lines", len(r.Lines) > 0); err != nil {
		return err
	}
	var lines []extract.Line
	for _, l := range r.Lines {
		box, ok := extract.Rectangle(l.Box)
		if !ok {
			return at.Fault("ocr_lines.box", fmt.Sprintf("it has %d numbers", len(l.Box)), "want x1, y1, x2, y2, or four corners")
		}
		lines = append(lines, extract.Line{Text: l.Text, Box: box})
	}
	item := Item{ID: string(r.ID), Doc: extract.Layout(string(r.ID), lines), Gold: map[string][]string{}}
	for name, value := range r.Gold {
		if value != "" {
			item.Gold[name] = []string{value}
		}
	}
	item.Group = fields.Key(r.Gold["company"])
	d.Items = append(d.Items, item)
	return nil
}

type written struct {
	ID   jsonl.Ident         `json:"id"`
	Text string              `json:"text"`
	Gold map[string][]string `json:"fields"`
}

func (d *Dataset) write(at jsonl.Place, seen map[string]int, r written) error {
	if err := at.Unique(seen, string(r.ID)); err != nil {
		return err
	}
	if err := at.Want("text", strings.TrimSpace(r.Text) != ""); err != nil {
		return err
	}
	if r.Gold == nil {
		r.Gold = map[string][]string{}
	}
	d.Items = append(d.Items, Item{ID: string(r.ID), Group: string(r.ID), Doc: extract.FieldDocument{Source: string(r.ID), Text: r.Text}, Gold: r.Gold})
	return nil
}
