package serve

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/extract"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// An answeredPaper is a paper with its answer, in which corrections have taken the place of what was read.
type answeredPaper struct {
	paper
	document extract.FieldDocument
	answer   *extract.Answer // nil for none
	live     bool
	why      string // there is no answer
}

// given are the corrected values of a paper.
func (a answeredPaper) given() map[string]string {
	out := map[string]string{}
	for path, c := range a.Corrected {
		out[path] = c.Value
	}
	return out
}

// answered reads the papers of a bundle, without the schema if no fields are chosen.
func (p *papers) answered(ctx context.Context, s *runs.Space, id string) (b bundle, schema *extract.Schema, dir string, out []answeredPaper, err error) {
	if b, dir, err = p.load(s, id); err != nil {
		return b, nil, dir, nil, err
	}
	if b.Schema != nil {
		if schema, err = extract.ParseSchema(b.Schema); err != nil {
			return b, nil, dir, nil, err
		}
	}
	for i, one := range b.Papers {
		a := answeredPaper{paper: one}
		if err := readJSON(part(dir, i+1, "document"), &a.document); err != nil {
			return b, nil, dir, nil, err
		}
		if schema != nil {
			if a.answer, a.live, a.why, err = p.answer(ctx, s, dir, i+1, one); err != nil {
				return b, nil, dir, nil, err
			}
		}
		a.Corrected = map[string]correction{}
		for path, c := range one.Corrected {
			if schema != nil && fieldOf(schema, path).Path != "" { // other fields may have been chosen since
				a.Corrected[path] = c
			}
		}
		if a.answer != nil {
			corrected := schema.Correct(a.document, *a.answer, a.given())
			corrected.Document = one.Name
			a.answer = &corrected
		}
		out = append(out, a)
	}
	return b, schema, dir, out, nil
}

// Open implements page.Papers.
func (p *papers) Open(ctx context.Context, s *runs.Space, id string) (_ *page.Bundle, err error) {
	defer func() { err = p.fault("opening papers", err) }()
	b, schema, dir, all, err := p.answered(ctx, s, id)
	if err != nil {
		return nil, err
	}
	out := &page.Bundle{ID: id, Title: b.Title, Made: b.Made, Count: len(b.Papers), LeftOut: b.LeftOut, Schema: string(b.Schema), Kinds: extract.Kinds()}
	var docs []extract.FieldDocument
	for i, a := range all {
		docs = append(docs, a.document)
		one := page.Paper{Name: a.Name, Run: a.Run, Live: a.live, Failed: a.why}
		if a.answer != nil {
			content := extract.Content(a.document)
			if !strings.HasSuffix(a.File, pdfFile) {
				content.Blocks = open.ShownBlocks(strings.TrimPrefix(filepath.Ext(a.File), "."), content.Text, a.document.Blocks)
			} else {
				content.Paper = &proof.Paper{Address: page.PaperPath(id, i+1), Place: func(ctx context.Context, spans []proof.Span) ([]proof.Page, error) {
					raw, err := os.ReadFile(filepath.Join(dir, a.File))
					if err != nil {
						return nil, p.fault("reading a paper", err)
					}
					return placesIn(ctx, raw, content.Text, spans)
				}}
			}
			shown(schema, a, content, &one)
		}
		out.Papers = append(out.Papers, one)
	}
	if schema != nil {
		for _, part := range partsOf(schema, nil) {
			out.Heads = append(out.Heads, part.Name)
		}
	}
	p.drawn(b, docs, out)
	return out, p.choices(s, docs, out)
}

// pdfFile ends the name of a file whose pages can be shown as they look.
const pdfFile = ".pdf"

// mostTaken bounds the proposed fields that are ticked.
const mostTaken = 24

// drawn adds the fields that were drawn, and those that the papers seem to have.
func (p *papers) drawn(b bundle, docs []extract.FieldDocument, out *page.Bundle) {
	for _, d := range b.Drawn {
		out.Drawn = append(out.Drawn, page.DrawnField{Name: d.Name, Kind: d.Kind, About: d.About, Required: d.Required, Taken: true})
	}
	for i, f := range extract.Propose(docs...) {
		if at := slices.IndexFunc(out.Drawn, func(d page.DrawnField) bool { return d.Name == f.Name }); at >= 0 {
			out.Drawn[at].Sample = f.Sample
			continue
		}
		out.Drawn = append(out.Drawn, page.DrawnField{Name: f.Name, Kind: f.Kind, Sample: f.Sample, Taken: b.Schema == nil && i < mostTaken})
	}
}

// choices adds the schemas that can be chosen, those whose name a paper has first.
func (p *papers) choices(s *runs.Space, docs []extract.FieldDocument, out *page.Bundle) error {
	all, err := p.schemas(s)
	if err != nil {
		return err
	}
	for _, n := range all {
		one := page.NamedSchema{Name: n.name, Own: n.own}
		schema, err := extract.ParseSchema(n.data)
		if err != nil {
			continue // somebody else has written the file
		}
		var names []string
		for _, part := range partsOf(schema, nil) {
			names = append(names, part.Name)
		}
		one.Fields = strings.Join(names, ", ")
		begins := regexp.MustCompile(`(?im)^\s*` + regexp.QuoteMeta(n.name) + `\b`)
		one.Likely = slices.ContainsFunc(docs, func(d extract.FieldDocument) bool { return begins.MatchString(d.Text) })
		out.Schemas = append(out.Schemas, one)
	}
	slices.SortStableFunc(out.Schemas, func(a, b page.NamedSchema) int {
		if a.Likely != b.Likely {
			return map[bool]int{true: -1, false: 1}[a.Likely]
		}
		return 0
	})
	return nil
}

// shown fills in a paper's values, with its places.
func shown(schema *extract.Schema, a answeredPaper, content proof.Content, out *page.Paper) {
	out.Corrected = len(a.Corrected)
	out.Proof = a.answer.Proof()
	out.Proof.Words = ""
	out.Documents = func(context.Context, proof.Document) (proof.Content, error) { return content, nil }
	values := map[string]page.Value{}
	marks := map[[2]int]string{} // values of the same bytes have one mark
	for i, v := range a.answer.Fields {
		one := page.Value{Field: v.Field, Text: v.Value, ID: out.Proof.Findings[i].ID}
		if pl := v.Place; pl != nil {
			at := [2]int{pl.Start, pl.End}
			if marks[at] == "" {
				marks[at] = one.ID + "-quote-1"
			}
			one.Mark = marks[at]
		} else {
			one.State, one.Tone = "not in the paper", string(proof.Bad)
		}
		values[v.Field] = one
	}
	for path, c := range a.Corrected {
		one := values[path]
		one.Field, one.Text, one.Given, one.Was = path, cmp.Or(one.Text, c.Value), true, c.Was
		values[path] = one
	}
	for _, i := range a.answer.Report.Issues {
		v, known := values[i.Field]
		switch {
		case i.Kind == extract.IssueAbsent, i.Kind == extract.IssueUnchecked, i.Kind == extract.IssueNotInDocument:
		case !known && i.Kind != extract.IssueMissing:
			out.Notes = append(out.Notes, strings.TrimPrefix(i.Field+": ", ": ")+i.Message)
		default:
			v.Field = i.Field
			v.Why = append(v.Why, i.Message)
			if v.State == "" {
				v.State, v.Tone = "doubtful", string(proof.Warn)
			}
			if i.Kind == extract.IssueMissing {
				v.State, v.Tone, v.Why = "missing", string(proof.Bad), nil
			}
			values[i.Field] = v
		}
	}
	for path, v := range values {
		f := fieldOf(schema, path)
		switch {
		case v.Given && v.Text == "":
			v.State, v.Tone = "a person says: not in the paper", string(proof.Plain)
		case v.Given && v.Mark == "" && f.Type == "boolean":
			v.State, v.Tone = "", ""
		case v.Given && v.Mark == "":
			v.State, v.Tone = "the paper does not hold this", string(proof.Warn)
		}
		values[path] = v
		if v.State != "" && !v.Given {
			out.Doubtful++
		}
	}
	if slices.ContainsFunc(a.answer.Fields, func(v extract.FieldValue) bool { return elementOf(v.Field) >= mostShownRows }) {
		out.Notes = append(out.Notes, fmt.Sprintf("A list has more than %d elements: the further ones are only in the files for download.", mostShownRows))
	}
	out.Parts = partsOf(schema, values)
	names := map[string]string{}
	for _, v := range out.Values() {
		names[v.Field] = v.Name
	}
	for i := range out.Proof.Findings {
		f := &out.Proof.Findings[i]
		f.Label = cmp.Or(names[f.Label], f.Label)
	}
}

func fieldOf(schema *extract.Schema, path string) extract.Field {
	at := slices.IndexFunc(schema.Fields, func(f extract.Field) bool { return f.Is(path) })
	if at < 0 {
		return extract.Field{}
	}
	return schema.Fields[at]
}

// partsOf lists the fields of a schema, the columns of a list together.
func partsOf(schema *extract.Schema, values map[string]page.Value) (out []page.Part) {
	lists, n := map[string]int{}, 0
	value := func(path, name string) page.Value {
		v := values[path]
		n++
		v.Field, v.Name, v.At = path, name, fmt.Sprintf("value-%d", n)
		return v
	}
	for _, f := range schema.Fields {
		list, column, listed := strings.Cut(f.Path, "[]")
		if !listed {
			v := value(f.Path, cmp.Or(f.Title, inWords(f.Path)))
			if v.Text == "" && v.State == "" {
				v.State = "not found"
			}
			out = append(out, page.Part{Name: v.Name, Value: &v})
			continue
		}
		at, known := lists[list]
		if !known {
			at = len(out)
			lists[list] = at
			out = append(out, page.Part{Name: inWords(list), IsList: true})
			rows := 0
			for path := range values {
				if head, _, ok := strings.Cut(path, "["); ok && head == list {
					rows = max(rows, min(elementOf(path)+1, mostShownRows))
				}
			}
			out[at].Rows = make([][]page.Value, rows+1)
		}
		p := &out[at]
		if missing := values[f.Path]; missing.State != "" {
			p.State, p.Tone = missing.State, missing.Tone
		}
		head := cmp.Or(f.Title, inWords(strings.TrimPrefix(column, ".")), p.Name)
		p.Heads = append(p.Heads, head)
		for i := range p.Rows {
			p.Rows[i] = append(p.Rows[i], value(fmt.Sprintf("%s[%d]%s", list, i, column), fmt.Sprintf("%s %d", head, i+1)))
		}
	}
	return out
}

// elementOf is the index in the path of a field; -1 for none.
func elementOf(path string) int {
	_, rest, _ := strings.Cut(path, "[")
	index, _, _ := strings.Cut(rest, "]")
	n, err := strconv.Atoi(index)
	if err != nil {
		return -1
	}
	return n
}

// mostShownRows bounds the elements of a list that are shown.
const mostShownRows = 1000

// inWords is a path as a reader may call it.
func inWords(path string) string {
	r := []rune(strings.NewReplacer("_", " ", ".", " · ").Replace(path))
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

// Write implements page.Papers.
func (p *papers) Write(ctx context.Context, s *runs.Space, id string, n int, as string, w io.Writer) (err error) {
	defer func() { err = p.fault("writing the values", err) }()
	b, schema, dir, all, err := p.answered(ctx, s, id)
	if err != nil {
		return err
	}
	if n > len(all) {
		return &runs.NotFoundError{What: "paper", ID: strconv.Itoa(n)}
	}
	if as == "pdf" {
		if n < 1 || !strings.HasSuffix(all[n-1].File, pdfFile) {
			return &runs.NotFoundError{What: "PDF", ID: strconv.Itoa(n)}
		}
		data, err := os.ReadFile(filepath.Join(dir, all[n-1].File))
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	var answers []extract.Answer
	var given []map[string]string
	var corrected []map[string]correction
	for _, a := range all {
		if a.answer != nil {
			answers, given, corrected = append(answers, *a.answer), append(given, a.given()), append(corrected, a.Corrected)
		}
	}
	if len(answers) == 0 {
		return page.Refuse("no paper has been read yet")
	}
	switch as {
	case "csv":
		data, err := render.FieldTable(schema, answers, given)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	case "json":
		type document struct {
			extract.Answer
			Corrected map[string]correction `json:"corrected"` // by paths of fields
		}
		out := struct {
			Schema    int        `json:"schema"`
			Pipeline  string     `json:"pipeline"`
			Documents []document `json:"documents"`
		}{Schema: state.AnswerSchema, Pipeline: "extract"}
		for i, a := range answers {
			out.Documents = append(out.Documents, document{a, corrected[i]})
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(out)
	}
	return writeCases(w, b, dir, all, n)
}

// A caseFile is a case.yaml of agent eval cases.
type caseFile struct {
	Pipeline string `yaml:"pipeline"`
	Notes    string `yaml:"notes"`
	Document string `yaml:"document"`
	Schema   string `yaml:"schema"`
	Gold     struct {
		Fields map[string]string `yaml:"fields"`
	} `yaml:"gold"`
	Want struct {
		Metrics map[string]float64 `yaml:"metrics"`
	} `yaml:"want"`
}

// writeCases writes an archive with a folder for each case: of paper n, or else of each corrected paper,
// or of each if none is.
func writeCases(w io.Writer, b bundle, dir string, all []answeredPaper, n int) error {
	some := slices.ContainsFunc(all, func(a answeredPaper) bool { return len(a.Corrected) > 0 })
	z, wrote := zip.NewWriter(w), false
	for i, a := range all {
		if a.answer == nil || len(a.answer.Fields) == 0 || n > 0 && n != i+1 || n == 0 && some && len(a.Corrected) == 0 {
			continue
		}
		wrote = true
		name, data, err := a.asFile(dir)
		if err != nil {
			return err
		}
		c := caseFile{Pipeline: "extract", Notes: a.notes(), Document: name, Schema: "schema.json"}
		c.Gold.Fields, c.Want.Metrics = map[string]string{}, map[string]float64{"field_f1": 1}
		for _, v := range a.answer.Fields {
			c.Gold.Fields[v.Field] = v.Value
		}
		described, err := yaml.Marshal(c)
		if err != nil {
			return err
		}
		folder := fmt.Sprintf("%02d-%s/", i+1, plainName(a.Name))
		for _, f := range []struct {
			name string
			data []byte
		}{{"case.yaml", described}, {name, data}, {c.Schema, b.Schema}} {
			out, err := z.Create(folder + f.name)
			if err == nil {
				_, err = out.Write(f.data)
			}
			if err != nil {
				return err
			}
		}
	}
	if !wrote {
		return page.Refuse("no value is known: there is nothing that a case could ask for")
	}
	return z.Close()
}

// asFile is the paper as agent extract reads it.
func (a answeredPaper) asFile(dir string) (name string, data []byte, err error) {
	if a.File != "" {
		data, err = os.ReadFile(filepath.Join(dir, a.File))
		_, ext, _ := strings.Cut(a.File, ".")
		return "paper." + cmp.Or(ext, "txt"), data, err
	}
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	for _, x := range a.document.Boxes {
		err = errors.Join(err, e.Encode(struct {
			Text string `json:"text"`
			Box  [4]int `json:"box"`
		}{a.document.Text[x.Start:x.End], [4]int{x.Box.X1, x.Box.Y1, x.Box.X2, x.Box.Y2}}))
	}
	return "paper.jsonl", lines.Bytes(), err
}

// notes say what a person has corrected.
func (a answeredPaper) notes() string {
	out := "The values of a paper, as the page of agent serve has them."
	for _, path := range slices.Sorted(maps.Keys(a.Corrected)) {
		c := a.Corrected[path]
		out += fmt.Sprintf(" A person has corrected %s: it is “%s”, and was read as “%s”.", path, c.Value, c.Was)
	}
	return out
}

// plainName is a name for a folder of any system.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, strings.TrimSuffix(name, filepath.Ext(name)))
	return cmp.Or(strings.Trim(name[:min(len(name), 40)], "-"), "paper")
}
