package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/eval"
	"example.com/assay/eval/show"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// examine does what a start does, step by step, and says what holds.
func (s *server) examine(ctx context.Context) error {
	failed := false
	step := func(what string, do func() (string, error)) {
		said, err := do()
		if err != nil {
			failed = true
			fmt.Fprintf(s.Stdout, "✗ %s: %v\n", what, err)
			return
		}
		fmt.Fprintf(s.Stdout, "✓ %s: %s\n", what, said)
	}
	step("address", func() (string, error) {
		l, err := s.listen(ctx)
		if err != nil {
			return "", err
		}
		return s.addr, l.Close()
	})
	if !s.open && s.tenantFile == "" {
		if _, err := os.Stat(s.tokens); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(s.Stdout, "– token: the first start makes it in %s\n", s.tokens)
			s.open = true // what follows needs none
		}
	}
	step("pipelines, store, tokens", func() (string, error) {
		_, err := s.prepare(ctx, zerolog.Nop())
		return fmt.Sprintf("%s, %s", cli.Count(len(open.Pipelines()), "pipeline"), cli.Count(len(s.tenants), "tenant")), err
	})
	if !failed {
		s.corpora(func(t tenant, name string) {
			step("corpus "+name+" for "+t.Name, func() (string, error) { return s.corpusOf(ctx, t, name) })
		})
	}
	if err := s.close(); err != nil {
		return err
	}
	if failed {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// corpora calls a function for each corpus that a tenant's token names.
func (s *server) corpora(each func(t tenant, name string)) {
	for _, t := range s.tenants {
		for _, name := range t.Corpora {
			each(t, name)
		}
	}
}

// corpusOf opens a corpus, and describes it.
func (s *server) corpusOf(ctx context.Context, t tenant, name string) (string, error) {
	d, err := s.desks.take(ctx, place{tenant: t.owner(), corpus: name})
	if err != nil {
		return "", err
	}
	info := d.Corpus.Info()
	return fmt.Sprintf("%s, %s", cli.Count(info.Files, "file"), cli.Count(info.Passages, "passage")), d.release()
}

// results are what the page shows of results of cases: the files of a folder.
type results struct {
	dir string

	mu   sync.Mutex
	read map[string]*reportFile // by ID
}

// A reportFile is what was read of a file, and the file as it was then.
type reportFile struct {
	size    int64
	changed time.Time
	report  page.Report
	fault   error
	other   bool // the file holds something else than results of cases
}

const (
	// maxReport is how many bytes a file of results has at most.
	maxReport = 256 << 20
	// maxDepth is how deep below the folder files are looked for: --out has a folder for
	// each model.
	maxDepth = 3
)

// List implements page.Evals. A file is read again only when it has changed.
func (e *results) List(ctx context.Context, _ string) (reports []page.Report, unread []page.Fact, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	there := map[string]*reportFile{}
	err = filepath.WalkDir(e.dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, outside := filepath.Rel(e.dir, path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == e.dir: // nothing was kept yet
			return fs.SkipAll
		case err != nil || outside != nil:
			return errors.Join(err, outside)
		case d.IsDir() && strings.Count(rel, string(filepath.Separator)) >= maxDepth:
			return fs.SkipDir
		case !d.Type().IsRegular() || filepath.Ext(path) != ".json":
			return nil
		}
		id := filepath.ToSlash(rel)
		there[id] = e.file(id, path, d)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("looking for results of cases: %w", err)
	}
	e.read = there
	for id, f := range there {
		switch {
		case f.fault != nil:
			unread = append(unread, page.Fact{Name: id, Value: f.fault.Error()})
		case !f.other:
			reports = append(reports, f.report)
		}
	}
	slices.SortFunc(reports, func(a, b page.Report) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.ID, b.ID))
	})
	slices.SortFunc(unread, func(a, b page.Fact) int { return strings.Compare(a.Name, b.Name) })
	return reports, unread, nil
}

// file reads what is shown of a file in a list.
func (e *results) file(id, path string, d fs.DirEntry) *reportFile {
	info, err := d.Info()
	if err != nil {
		return &reportFile{fault: err}
	}
	if known := e.read[id]; known != nil && known.size == info.Size() && known.changed.Equal(info.ModTime()) {
		return known
	}
	f := &reportFile{size: info.Size(), changed: info.ModTime()}
	if f.size > maxReport {
		f.fault = fmt.Errorf("it has %d bytes, more than %d", f.size, maxReport)
		return f
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.fault = err
		return f
	}
	var r struct {
		eval.Results
		Items json.RawMessage `json:"items"` // not needed in a list
	}
	if err := json.Unmarshal(data, &r); err != nil {
		f.fault = fmt.Errorf("reading it: %w", err)
		return f
	}
	if f.other = r.Task != "cases"; !f.other && r.Schema != eval.ResultsSchema {
		f.fault = fmt.Errorf("it has format %d, this program reads %d", r.Schema, eval.ResultsSchema)
	}
	f.report = page.Report{ID: id, Date: r.Made.Date, Model: r.Model, Version: r.Made.Version, Cases: r.N, Passed: r.Passed, Set: r.Made.CaseSet}
	for _, name := range r.MetricNames() {
		m := r.Metrics[name]
		f.report.Figures = append(f.report.Figures, page.Figure{Name: name, Value: m.Value, Lo: m.Lo, Hi: m.Hi, IsShare: show.IsShare(name, m)})
	}
	return f
}

// Write implements page.Evals.
func (e *results) Write(ctx context.Context, tenant, id string, w io.Writer) error {
	reports, _, err := e.List(ctx, tenant)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(reports, func(r page.Report) bool { return r.ID == id }) {
		return &runs.NotFoundError{What: "report", ID: id}
	}
	r, err := open.ReadResults(filepath.Join(e.dir, filepath.FromSlash(id)))
	if err != nil {
		return err
	}
	return show.HTML(w, r.Results, r.Comparison, open.Abouts())
}
