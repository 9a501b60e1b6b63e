//go:build unix

package document

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A text box is a paragraph inside a paragraph, and may hold another.
func TestDocxTextBoxes(t *testing.T) {
	box := func(inner string) string { return "<w:pict><w:txbxContent>" + inner + "</w:txbxContent></w:pict>" }
	body := "<w:p>" + run("Before the box.") + box(para("", run("In the box.")+box(para("", run("In the inner box."))))+para("", run("Still in the box."))) + run(" Behind the box.") + "</w:p>" +
		para("", run("The next paragraph."))
	d := mustRead(t, "box.docx", docx(t, body, nil), nil)
	check(t, d, nil)
	if want := "In the inner box.\n\nIn the box.\n\nStill in the box.\n\nBefore the box. Behind the box.\n\nThe next paragraph."; d.Text != want {
		t.Errorf("%q\nwant %q", d.Text, want)
	}
}

// A parser that panics is at fault for its file and for nothing else.
func TestGuard(t *testing.T) {
	err := guard("/corpus/a.docx", func() error { panic("index out of range") })
	var in *InputError
	if !errors.As(err, &in) || in.Path != "/corpus/a.docx" || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("a panic became %v", err)
	}
	if err := guard("x", func() error { panic(stopped{context.Canceled}) }); !errors.Is(err, context.Canceled) || errors.As(err, &in) {
		t.Errorf("a stop became %v", err)
	}
}

// An ending is a context that ends when it is asked for the nth time.
type ending struct {
	context.Context
	asked, at int
}

func (e *ending) Err() error {
	if e.asked++; e.at > 0 && e.asked >= e.at {
		return context.Canceled
	}
	return nil
}

// TestStops ends the context at every place where a parser looks at it. Each
// format looks often enough for an interrupt to work in the middle of a file. PDF
// has a clock besides, and a test of its own.
func TestStops(t *testing.T) {
	const size = 1 << 18
	for _, w := range worsts {
		switch w.name {
		case "sentences.txt", "one line.txt", "paragraphs.md", "headings.md", "paragraphs.html", "cells.html", "entities.html",
			"paragraphs.docx", "entities.docx", "records.csv", "records.jsonl", "one record.csv":
		default:
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			raw := []byte(w.make(t, size))
			load := func(ctx context.Context) error {
				d := Document{Source: w.name, Path: "/corpus/" + w.name}
				if err := parse(ctx, &d, raw, (&LoadOptions{}).withDefaults()); err != nil {
					return err
				}
				_, err := Passages(ctx, d, nil)
				return err
			}
			whole := &ending{Context: t.Context()}
			if err := load(whole); err != nil {
				t.Fatal(err)
			}
			if whole.asked < 2 {
				t.Errorf("%d bytes are read with %d looks at the context", len(raw), whole.asked)
			}
			for _, at := range []int{1, 2, whole.asked / 3, whole.asked / 2, whole.asked * 3 / 4, whole.asked} {
				if err := load(&ending{Context: t.Context(), at: max(1, at)}); !errors.Is(err, context.Canceled) {
					t.Errorf("ended at look %d of %d: %v", at, whole.asked, err)
				}
			}
		})
	}
}
