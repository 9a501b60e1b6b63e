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

	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/eval"
	"example.com/assay/eval/show"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// results implements page.Evals: the results of cases in the files of a folder.
type results struct {
	dir string

	mu   sync.Mutex
	read map[string]*reportFile // by ID
}

// A reportFile is the result of reading a file, with the size and time that the file had.
type reportFile struct {
	size    int64
	changed time.Time
	report  page.Report
	fault   error
	other   bool // the file does not hold results of cases
}

const (
	// maxReport bounds a file of results, in bytes.
	maxReport = 256 << 20
	// maxDepth bounds the depth of folders that are searched: --out makes a folder for each model.
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
		case errors.Is(err, fs.ErrNotExist) && path == e.dir: // no results were kept yet
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

// file reads the part of a file that a list shows.
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
