package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory/document"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/extract/docfile"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
)

// papers implements page.Papers. A bundle is a folder of the tenant's papers: bundle.json, and of each
// paper the file as it came (1.pdf), what was read of it (1.document.json) and the answer of its run
// (1.answer.json), which outlives the run. No name of a sender is part of a path.
type papers struct {
	*server
	mu sync.Mutex // of bundle.json
}

// A bundle is the content of bundle.json.
type bundle struct {
	Title   string          `json:"title"`
	Made    time.Time       `json:"made"`
	Papers  []paper         `json:"papers"`
	LeftOut []page.Fact     `json:"left_out,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Drawn   []extract.Drawn `json:"drawn,omitempty"` // the fields of Schema, if they were drawn
}

// A paper is a document of a bundle.
type paper struct {
	Name      string                `json:"name"` // as its sender called it
	File      string                `json:"file,omitempty"`
	Run       string                `json:"run,omitempty"`
	Thread    string                `json:"thread,omitempty"`
	Corrected map[string]correction `json:"corrected,omitempty"` // by paths of fields
}

// A correction is a value that a person gave.
type correction struct {
	Value string    `json:"value"`
	Was   string    `json:"was"` // what was read; empty for nothing
	By    string    `json:"by,omitempty"`
	At    time.Time `json:"at"`
}

const (
	// mostPapersForm bounds the bytes of a form, and mostPapersKept those of a tenant's papers.
	mostPapersForm, mostPapersKept = 64 << 20, 1 << 30
	// mostPapers bounds the papers of a bundle, and mostPaperText the bytes of the text of one.
	mostPapers, mostPaperText = 200, 4 << 20
	// readingTime bounds the reading of a file.
	readingTime = time.Minute
	schemasDir  = "schemas"
)

var bundleID = regexp.MustCompile(`^[a-z0-9]{26}$`)

// at is the folder of a bundle.
func (p *papers) at(s *runs.Space, id string) (string, error) {
	if !bundleID.MatchString(id) {
		return "", &runs.NotFoundError{What: "bundle of papers", ID: id}
	}
	return filepath.Join(p.root(s), id), nil
}

func (p *papers) root(s *runs.Space) string {
	return open.PapersDir(p.settings.Home, tenant{Name: s.Tenant()}.owner())
}

// fault is an error as a caller may see it.
func (p *papers) fault(doing string, err error) error {
	if page.Refused(err) {
		return err
	}
	return p.server.fault(doing, err)
}

// load reads bundle.json.
func (p *papers) load(s *runs.Space, id string) (b bundle, dir string, err error) {
	if dir, err = p.at(s, id); err != nil {
		return b, dir, err
	}
	if err = readJSON(filepath.Join(dir, "bundle.json"), &b); errors.Is(err, fs.ErrNotExist) {
		err = &runs.NotFoundError{What: "bundle of papers", ID: id}
	}
	return b, dir, err
}

// change changes bundle.json.
func (p *papers) change(s *runs.Space, id string, edit func(b *bundle, dir string) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, dir, err := p.load(s, id)
	if err == nil {
		err = edit(&b, dir)
	}
	if err == nil {
		err = writeJSON(filepath.Join(dir, "bundle.json"), b)
	}
	return err
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return err
}

func writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		err = cli.WriteFile(path, data, 0o600)
	}
	return err
}

// part is the file of a paper with a suffix.
func part(dir string, n int, what string) string {
	return filepath.Join(dir, strconv.Itoa(n)+"."+what+".json")
}

// Most implements page.Papers.
func (p *papers) Most() int64 { return mostPapersForm }

// List implements page.Papers.
func (p *papers) List(s *runs.Space) (out []page.Bundle, err error) {
	defer func() { err = p.fault("listing the papers", err) }()
	entries, err := os.ReadDir(p.root(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !bundleID.MatchString(e.Name()) {
			continue
		}
		b, _, err := p.load(s, e.Name())
		if errors.As(err, new(*runs.NotFoundError)) {
			continue // it is being removed
		}
		if err != nil {
			return nil, err
		}
		out = append(out, page.Bundle{ID: e.Name(), Title: b.Title, Made: b.Made, Count: len(b.Papers)})
	}
	slices.SortFunc(out, func(a, b page.Bundle) int { return cmp.Or(b.Made.Compare(a.Made), cmp.Compare(a.ID, b.ID)) })
	return out, err
}

// Add implements page.Papers.
func (p *papers) Add(ctx context.Context, s *runs.Space, id, name string, from io.Reader) (_ string, err error) {
	defer func() { err = p.fault("keeping a paper", err) }()
	shown := cmp.Or(safeName(name), "paper")
	if id == "" {
		id = strings.ToLower(rand.Text())
		dir, err := p.at(s, id)
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
		if err == nil {
			err = writeJSON(filepath.Join(dir, "bundle.json"), bundle{Title: shown, Made: p.Now().UTC()})
		}
		if err != nil {
			return id, err
		}
	}
	err = p.add(ctx, s, id, shown, from)
	if err == nil || !page.Refused(err) {
		return id, err
	}
	refused := err
	if err := p.change(s, id, func(b *bundle, _ string) error {
		b.LeftOut = append(b.LeftOut, page.Fact{Name: shown, Value: refused.Error()})
		return nil
	}); err != nil {
		return id, err
	}
	return id, refused
}

// add keeps a file and its papers. It is read before others have to wait for it.
func (p *papers) add(ctx context.Context, s *runs.Space, id, name string, from io.Reader) (err error) {
	dir, err := p.at(s, id)
	if err != nil {
		return err
	}
	weighs, err := weight(p.root(s))
	if err != nil {
		return err
	}
	if weighs >= mostPapersKept {
		return page.Refuse("there is no room: the papers that are kept have %s at most; remove some", mib(mostPapersKept))
	}
	at := filepath.Join(dir, partial+rand.Text()+extensionOf(name))
	kept := false
	defer func() {
		if !kept {
			err = cli.Also(err, os.Remove(at))
		}
	}()
	out, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	docs, err := readPaper(ctx, at)
	if err != nil {
		return err
	}
	return p.change(s, id, func(b *bundle, dir string) error {
		first := len(b.Papers) + 1
		if len(b.Papers)+len(docs) > mostPapers {
			return page.Refuse("there are more than %d papers: send the rest as others", mostPapers)
		}
		for i, d := range docs {
			one := paper{Name: name}
			if d.ID != "" {
				one.Name += " " + d.ID
			}
			if len(d.Boxes) == 0 { // else the boxes are all of it
				one.File = strconv.Itoa(first) + extensionOf(name)
				if err := os.Rename(at, filepath.Join(dir, one.File)); err != nil {
					return err
				}
				kept = true
			}
			d.Source = one.Name
			if err := writeJSON(part(dir, first+i, "document"), d.FieldDocument); err != nil {
				return err
			}
			b.Papers = append(b.Papers, one)
		}
		b.Title = b.Papers[0].Name
		if n := len(b.Papers); n > 1 {
			b.Title += fmt.Sprintf(" and %d more", n-1)
		}
		return nil
	})
}

// readPaper reads the documents of a file.
func readPaper(ctx context.Context, at string) ([]extract.Document, error) {
	reading, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	docs, err := docfile.Read(reading, at)
	if bad := new(document.InputError); errors.As(err, &bad) {
		return nil, page.Refuse("%s", strings.TrimSuffix(bad.Msg+"; "+bad.Hint, "; "))
	}
	if err != nil && reading.Err() != nil && ctx.Err() == nil {
		return nil, page.Refuse("it takes more than %s to read it", readingTime)
	}
	for _, d := range docs {
		switch {
		case strings.TrimSpace(d.Text) == "":
			return nil, page.Refuse("it has no text; a picture is not read")
		case len(d.Text) > mostPaperText:
			return nil, page.Refuse("its text has more than %s", mib(mostPaperText))
		}
	}
	return docs, err
}

// extensionOf is the end of a name by which its format is known.
func extensionOf(name string) string {
	ext := path.Ext(name)
	if before := path.Ext(strings.TrimSuffix(name, ext)); slices.Contains([]string{".gz", ".bz2", ".xz", ".zst"}, strings.ToLower(ext)) {
		ext = before + ext
	}
	if ext = strings.ToLower(ext); !regexp.MustCompile(`^[a-z0-9.]{1,12}$`).MatchString(ext) {
		return ""
	}
	return ext
}

// weight is how many bytes the files below a folder have.
func weight(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
		err = nil
	}
	return n, err
}

// Read implements page.Papers. A paper that goes on being read with the same fields is left alone.
func (p *papers) Read(ctx context.Context, s *runs.Space, id string, c page.Choice) (err error) {
	defer func() { err = p.fault("reading the papers", err) }()
	return p.change(s, id, func(b *bundle, dir string) error {
		fresh := c.Drawn != nil || c.Named != "" || c.Schema != ""
		if fresh {
			if err := p.choose(s, b, c); err != nil {
				return err
			}
		} else if b.Schema == nil {
			return page.Refuse("no fields are chosen")
		}
		for i := range b.Papers {
			if !fresh {
				if a, live, _, err := p.answer(ctx, s, dir, i+1, b.Papers[i]); err != nil || a != nil || live {
					if err != nil {
						return err
					}
					continue
				}
			}
			if err := p.begin(ctx, s, b, dir, i); err != nil {
				if i > 0 && page.Refused(err) { // the page says of the others that they wait
					break
				}
				return err
			}
		}
		return nil
	})
}

// choose sets the fields of a bundle, and keeps them under a name.
func (p *papers) choose(s *runs.Space, b *bundle, c page.Choice) error {
	data, drawn := []byte(c.Schema), []extract.Drawn(nil)
	switch {
	case c.Drawn != nil:
		for _, d := range c.Drawn {
			drawn = append(drawn, extract.Drawn{Name: d.Name, Kind: d.Kind, About: d.About, Required: d.Required})
		}
		var err error
		if data, err = extract.Draw(strings.TrimSpace(c.Save), drawn); err != nil {
			return page.Refuse("%v", err)
		}
	case c.Named != "":
		all, err := p.schemas(s)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(n namedSchema) bool { return n.name == c.Named })
		if at < 0 {
			return &runs.NotFoundError{What: "schema", ID: c.Named}
		}
		data = all[at].data
	}
	if _, err := extract.ParseSchema(data); err != nil {
		return page.Refuse("%v", err)
	}
	b.Schema, b.Drawn = data, drawn
	if strings.TrimSpace(c.Save) == "" {
		return nil
	}
	name := safeName(c.Save)
	if name == "" {
		return page.Refuse("%.100q cannot be the name of fields: it needs a letter or a digit", c.Save)
	}
	return cli.WriteFile(filepath.Join(p.root(s), schemasDir, name+".json"), data, 0o600)
}

// begin begins the run of a paper.
func (p *papers) begin(ctx context.Context, s *runs.Space, b *bundle, dir string, i int) error {
	var d extract.FieldDocument
	if err := readJSON(part(dir, i+1, "document"), &d); err != nil {
		return err
	}
	name := extract.About().Name
	g, err := s.Graph(name)
	if err != nil {
		return err
	}
	input, err := extract.Given(d)
	if err != nil {
		return err
	}
	values, err := json.Marshal(map[string]any{"messages": []map[string]string{{"id": s.NewID(), "type": "human", "content": d.Text}}, "input": input})
	if err != nil {
		return err
	}
	spec := runs.Spec{Graph: name, Saved: map[string]string{"graph_id": name}, Settings: map[string]json.RawMessage{"schema": b.Schema}, Asked: d.Source}
	if spec.Input, err = g.App.Values(values); err != nil {
		return &runs.InvalidError{Err: err}
	}
	if spec.Metadata, err = json.Marshal(spec.Saved); err != nil {
		return err
	}
	spec.Marks = spec.Metadata
	if err := os.Remove(part(dir, i+1, "answer")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before := b.Papers[i].Thread
	b.Papers[i].Run, b.Papers[i].Thread = "", ""
	r, err := s.Begin(ctx, spec)
	if err != nil {
		return err
	}
	b.Papers[i].Run, b.Papers[i].Thread = r.ID, r.Thread
	return forget(ctx, s, before)
}

// forget removes the thread of a paper.
func forget(ctx context.Context, s *runs.Space, thread string) error {
	if thread == "" {
		return nil
	}
	if err := s.DeleteThread(ctx, thread); err != nil && !errors.As(err, new(*runs.NotFoundError)) {
		return err
	}
	return nil
}

// answer is the answer of a paper's run; without one, whether the run goes on, or why there is none. It is
// kept beside the paper.
func (p *papers) answer(ctx context.Context, s *runs.Space, dir string, n int, one paper) (a *extract.Answer, live bool, why string, err error) {
	at := part(dir, n, "answer")
	if err = readJSON(at, &a); !errors.Is(err, fs.ErrNotExist) {
		return a, false, "", err
	}
	if one.Run == "" {
		return nil, false, "it waits to be read", nil
	}
	missing := new(*runs.NotFoundError)
	r, err := s.Run(ctx, one.Run)
	switch {
	case errors.As(err, missing):
		return nil, false, "its run is not kept any more", nil
	case err != nil || !r.Status.Ended():
		return nil, err == nil, "", err
	}
	snap, _, err := s.State(ctx, r.Thread, "")
	if err != nil && !errors.As(err, missing) {
		return nil, false, "", err
	}
	var talk conversation.State
	if snap != nil {
		if err := json.Unmarshal(snap.State, &talk); err != nil {
			return nil, false, "", err
		}
	}
	if len(talk.Answer) == 0 || json.Unmarshal(talk.Answer, &a) != nil || a == nil || a.RunID != r.ID {
		return nil, false, cmp.Or(r.Reason, r.Error, "its run gave no answer"), nil
	}
	if a.Status == state.StatusFailed || a.Status == state.StatusUnavailable {
		return nil, false, a.Words(), nil
	}
	return a, false, "", writeJSON(at, a)
}

// Correct implements page.Papers.
func (p *papers) Correct(ctx context.Context, s *runs.Space, id string, n int, values map[string]*string) (err error) {
	defer func() { err = p.fault("keeping a correction", err) }()
	return p.change(s, id, func(b *bundle, dir string) error {
		if n < 1 || n > len(b.Papers) {
			return &runs.NotFoundError{What: "paper", ID: strconv.Itoa(n)}
		}
		one := &b.Papers[n-1]
		a, _, _, err := p.answer(ctx, s, dir, n, *one)
		if err != nil {
			return err
		}
		if a == nil {
			return page.Refuse("this paper has not been read: there is nothing to correct")
		}
		for path, value := range values {
			was := ""
			for _, v := range a.Fields {
				if v.Field == path {
					was = v.Value
				}
			}
			if value == nil || *value == was {
				delete(one.Corrected, path)
				continue
			}
			if len(*value) > longestValue {
				return page.Refuse("a value has %d bytes at most", longestValue)
			}
			if one.Corrected == nil {
				one.Corrected = map[string]correction{}
			}
			one.Corrected[path] = correction{Value: *value, Was: was, By: s.Caller().Subject, At: p.Now().UTC()}
		}
		return nil
	})
}

// longestValue bounds the bytes of a corrected value.
const longestValue = 10_000

// Remove implements page.Papers.
func (p *papers) Remove(ctx context.Context, s *runs.Space, id string) (err error) {
	defer func() { err = p.fault("removing papers", err) }()
	p.mu.Lock()
	defer p.mu.Unlock()
	b, dir, err := p.load(s, id)
	if err != nil {
		return err
	}
	for _, one := range b.Papers {
		if err := forget(ctx, s, one.Thread); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// A namedSchema is a schema that can be chosen.
type namedSchema struct {
	name string
	data []byte
	own  bool
}

// schemas are those that a person has saved, and those of the program.
func (p *papers) schemas(s *runs.Space) (out []namedSchema, err error) {
	shipped, err := casestudies.Schemas()
	if err != nil {
		return nil, err
	}
	for _, from := range []fs.FS{os.DirFS(filepath.Join(p.root(s), schemasDir)), shipped} {
		entries, err := fs.ReadDir(from, ".")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".json")
			if !ok || slices.ContainsFunc(out, func(n namedSchema) bool { return n.name == name }) {
				continue
			}
			data, err := fs.ReadFile(from, e.Name())
			if err != nil {
				return nil, err
			}
			out = append(out, namedSchema{name, data, from != shipped})
		}
	}
	return out, nil
}
