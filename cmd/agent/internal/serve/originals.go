package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory/document"
	"example.com/assay/memory/text"
	"example.com/assay/serve/runs"
	"example.com/assay/state/proof"
)

const (
	maxOriginal    = 128 << 20       // bytes of a file whose pages are shown
	longestPlacing = 5 * time.Second // in one file
	mostPlacings   = 256             // that are kept
	perPoint       = 10              // units of a box in a point
)

// Original implements page.OpenCorpus.
func (o *openCorpus) Original(ctx context.Context, name string) ([]byte, error) {
	if o.Corpus.Format(name) != "pdf" {
		return nil, &runs.NotFoundError{What: "PDF", ID: name}
	}
	data, err := o.Corpus.Original(ctx, name, maxOriginal)
	_, gone := errors.AsType[*document.InputError](err)
	if gone || err == nil && !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) { // changed, or compressed
		return nil, &runs.NotFoundError{What: "PDF", ID: name}
	}
	return data, o.fault(fmt.Sprintf("reading the file of %q of", name), err)
}

// placings are where the spans of PDFs are: a conversation asks for the same ones whenever it is shown.
type placings struct {
	sync.Mutex
	kept map[placing][]proof.Page
}

// A placing is what the places depend on.
type placing struct {
	fingerprint, name, spans string
	size                     int64 // of the file, and its time
	at                       time.Time
}

// place returns the pages of a PDF that hold spans of its text.
func (s *server) place(ctx context.Context, tenant, corpus, name, whole string, spans []proof.Span) (out []proof.Page, err error) {
	opened, err := corpora{s}.Open(ctx, tenant, corpus)
	if err != nil {
		return nil, err
	}
	defer func() { err = cli.Also(err, opened.Close()) }()
	c := opened.(*openCorpus)
	key := placing{fingerprint: c.Corpus.Fingerprint(), name: name, spans: fmt.Sprint(spans)}
	if _, path, err := c.Corpus.TextPath(name); err == nil {
		if info, err := os.Stat(path); err == nil { // without it, Original says why
			key.size, key.at = info.Size(), info.ModTime()
		}
	}
	s.placings.Lock()
	out, known := s.placings.kept[key]
	s.placings.Unlock()
	if known {
		return out, nil
	}
	raw, err := c.Original(ctx, name)
	if _, gone := errors.AsType[*runs.NotFoundError](err); gone {
		return nil, errors.New("its file is no longer the one that was read")
	} else if err != nil {
		return nil, err
	}
	if out, err = placesIn(ctx, raw, whole, spans); err != nil {
		return nil, err
	}
	s.placings.Lock()
	defer s.placings.Unlock()
	if s.placings.kept == nil || len(s.placings.kept) >= mostPlacings {
		s.placings.kept = map[placing][]proof.Page{}
	}
	s.placings.kept[key] = out
	return out, nil
}

// placesIn returns the pages of the file of a PDF that hold spans of its text.
func placesIn(ctx context.Context, raw []byte, whole string, spans []proof.Span) (out []proof.Page, err error) {
	list := make([]text.Span, len(spans))
	for i, span := range spans {
		list[i] = text.Span(span)
	}
	ctx, cancel := context.WithTimeout(ctx, longestPlacing)
	defer cancel()
	pages, err := document.PlacesInPDF(ctx, raw, whole, list)
	if err != nil {
		return nil, errors.New("its pages cannot be read")
	}
	units := func(points float64) int { return int(math.Round(perPoint * points)) }
	for _, p := range pages {
		one := proof.Page{Number: p.Number, Width: units(p.Width), Height: units(p.Height)}
		for _, at := range p.Places {
			one.Pieces = append(one.Pieces, proof.Piece{Start: at.Start, End: at.End, Page: p.Number, Box: proof.Box{X1: units(at.X0), Y1: units(at.Y0), X2: units(at.X1), Y2: units(at.Y1)}})
		}
		out = append(out, one)
	}
	return out, nil
}
