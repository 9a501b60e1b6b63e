package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
	"example.com/assay/state/proof"
)

// Papers keep papers from which fields are read, in bundles with the same fields. What Refuse returned
// says to a caller why something is not done.
type Papers interface {
	// Most returns how many bytes one form may have.
	Most() int64
	// List returns the bundles of a tenant, the newest first.
	List(s *runs.Space) ([]Bundle, error)
	// Add keeps a file in a bundle as one paper or several, and returns the bundle's ID: that of a new
	// one for "". A bundle remembers the files that were refused.
	Add(ctx context.Context, s *runs.Space, bundle, name string, from io.Reader) (string, error)
	// Open returns a bundle with its papers.
	Open(ctx context.Context, s *runs.Space, bundle string) (*Bundle, error)
	// Read reads fields from all papers of a bundle, each in a run of its own.
	Read(ctx context.Context, s *runs.Space, bundle string, fields Choice) error
	// Correct keeps values that a person gives for fields of a paper, by their paths; nil takes what was
	// read.
	Correct(ctx context.Context, s *runs.Space, bundle string, paper int, values map[string]*string) error
	// Write writes a bundle as "csv", "json" or "case": an archive with a case for each corrected paper, or
	// for each if none is. With a paper, it writes only that one's case, or its file as "pdf".
	Write(ctx context.Context, s *runs.Space, bundle string, paper int, as string, w io.Writer) error
	// Remove removes a bundle with its papers and runs.
	Remove(ctx context.Context, s *runs.Space, bundle string) error
}

// A Bundle is papers whose fields are read together.
type Bundle struct {
	ID, Title string
	Made      time.Time
	Count     int    // of papers
	LeftOut   []Fact // files that were refused, each with the reason

	// Set by Open.
	Papers  []Paper
	Schema  string        // JSON; empty until fields are chosen
	Heads   []string      // names of the parts of papers
	Drawn   []DrawnField  // the fields that were drawn, or else those that the papers seem to have
	Kinds   []string      // of drawn fields
	Schemas []NamedSchema // that can be chosen
}

// A DrawnField is a field as a person draws it.
type DrawnField struct {
	Name, Kind, About string
	Required, Taken   bool
	Sample            string // what a paper has for it
}

// A NamedSchema is a schema that can be chosen.
type NamedSchema struct {
	Name, Fields string // Fields are their names, in a line
	Own, Likely  bool   // a person has saved it; a line of a paper begins with its name
}

// A Choice is the fields that are to be read: one of Drawn, Named and Schema, or those of before.
type Choice struct {
	Drawn  []DrawnField
	Named  string
	Schema string // JSON
	Save   string // the name under which to save them; empty for none
}

// A Paper is a paper, with its values once it was read.
type Paper struct {
	Name, Run string
	Live      bool   // it is being read
	Failed    string // why it has no values
	Parts     []Part // in the order of the bundle's Heads
	Corrected int
	Doubtful  int // values that are missing or doubtful
	Notes     []string
	Proof     proof.Proof
	Documents proof.Documents
}

// A Part is a field, or a list.
type Part struct {
	Name   string
	Value  *Value // nil for a list
	Heads  []string
	Rows   [][]Value // the last one is empty, for a further element
	IsList bool
	State  string // of a list that is missing
	Tone   string
}

// A Value is the value of a field.
type Value struct {
	At          string   // ID of its element
	Name        string   // for a reader
	Field, Text string   // Field is its path, with indices
	ID, Mark    string   // IDs of its finding and of its mark; empty for none
	State       string   // in words; empty for a value that is in the paper and has no fault
	Tone        string   // of State
	Why         []string // what the rules say
	Given       bool     // by a person
	Was         string   // what was read
}

// papersPath is the path of the form with papers; see Streams.
const papersPath = root + "extract"

var (
	extractPage  = parsed("extract.tmpl")
	fieldsPage   = parsed("fields.tmpl", "papers.tmpl")
	readPage     = parsed("read.tmpl", "papers.tmpl")
	readingRoom  = "Read fields"
	blankRows    = 5
	mostRows     = 200
	mostSchema   = 1 << 20
	extractKinds = map[string][2]string{"csv": {"text/csv; charset=utf-8", "fields.csv"}, "json": {"application/json", "fields.json"}, "case": {"application/zip", "cases.zip"}, "pdf": {"application/pdf", "paper.pdf"}}
)

// extract shows the form for papers, and the bundles.
func (v *visit) extract() error {
	list, err := v.Papers.List(v.Space)
	if err != nil {
		return err
	}
	return v.show(extractPage, readingRoom, look.Frame{Title: readingRoom, Heading: "Read fields from papers", Scripts: []string{root + "static/upload.js"}}, struct {
		Most    int64
		Bundles []Bundle
	}{v.Papers.Most(), list})
}

// addPapers keeps the papers of a form as a bundle.
func (v *visit) addPapers() error {
	form, err := v.parts()
	if err != nil {
		return err
	}
	bundle, kept, why := "", 0, []string(nil) // why files were refused
	for sent := 0; ; {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unread(err)
		}
		name := part.FileName()
		if part.FormName() == "text" {
			name = "Pasted text.txt"
		} else if part.FormName() != "file" || name == "" {
			continue
		}
		if sent++; sent > mostFiles {
			return refusal.New(http.StatusRequestEntityTooLarge, "a form has %d files at most: send them in parts", mostFiles)
		}
		id, err := v.Papers.Add(v.r.Context(), v.Space, bundle, name, part)
		if bundle = id; err == nil {
			kept++
			continue
		}
		refused := new(refusal.Error)
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			err = unread(err)
		case errors.As(err, &refused):
			why = append(why, fmt.Sprintf("%.100q: %s", name, refused.Text))
			continue
		}
		return errors.Join(err, v.unkept(bundle))
	}
	if kept == 0 && why == nil {
		return refusal.New(http.StatusUnprocessableEntity, "nothing was chosen: go back, and choose a file or paste a text")
	}
	if kept == 0 {
		return errors.Join(refusal.New(http.StatusUnprocessableEntity, "Nothing was kept. %s", strings.Join(why, ". ")), v.unkept(bundle))
	}
	return v.to(join("extract", bundle))
}

// unkept removes a bundle that a form did not complete.
func (v *visit) unkept(bundle string) error {
	if bundle == "" {
		return nil
	}
	return v.Papers.Remove(v.r.Context(), v.Space, bundle)
}

// bundle opens the bundle of the path.
func (v *visit) bundle() (*Bundle, error) {
	return v.Papers.Open(v.r.Context(), v.Space, v.r.PathValue("bundle"))
}

// An extraction is the page of a bundle.
type extraction struct {
	*Bundle
	Busy     int // papers that are being read
	Unread   int // papers that can be read again
	N        int // the shown paper, from 1
	Paper    *Paper
	Evidence template.HTML // its document
}

// papers shows the values of a bundle, or asks which fields to read.
func (v *visit) papers() error {
	b, err := v.bundle()
	if err != nil {
		return err
	}
	if b.Schema == "" {
		return v.showFields(http.StatusOK, b, "")
	}
	out := extraction{Bundle: b}
	if out.N, err = v.number("paper", 1); err != nil {
		return err
	}
	if out.N < 1 || out.N > len(b.Papers) {
		return &runs.NotFoundError{What: "paper", ID: strconv.Itoa(out.N)}
	}
	out.Paper = &b.Papers[out.N-1]
	for _, p := range b.Papers {
		if p.Live {
			out.Busy++
		} else if p.Failed != "" {
			out.Unread++
		}
	}
	if out.Paper.Documents != nil {
		if out.Evidence, err = evidence.Section(v.r.Context(), out.Paper.Proof, out.Paper.Documents, &evidence.Options{Alone: true}); err != nil {
			return err
		}
	}
	frame := look.Frame{Title: b.Title, Eyebrow: readingRoom, Full: true}
	if out.Busy > 0 {
		frame.Scripts = []string{root + "static/upload.js"}
	}
	return v.show(readPage, readingRoom, frame, out)
}

// Href leads to a paper, and to an element of its page.
func (e extraction) Href(i int, id string) string {
	href := query(join("extract", e.ID), "paper", strconv.Itoa(i+1))
	if id != "" {
		href += "#" + id
	}
	return href
}

// A cell is a value in the table of all papers.
type cell struct {
	Href  string
	Value Value
}

// Cell returns a value of a paper with the address of its mark, or else of its field.
func (e extraction) Cell(i int, v Value) cell { return cell{e.Href(i, cmp.Or(v.Mark, v.At)), v} }

// Is reports whether a paper is the shown one.
func (e extraction) Is(i int) bool { return i+1 == e.N }

// papersRead says how many papers of a bundle have been read.
func (v *visit) papersRead() error {
	b, err := v.bundle()
	if err != nil {
		return err
	}
	at := Reading{Total: len(b.Papers), Done: len(b.Papers)}
	for _, p := range b.Papers {
		if p.Live {
			at.Busy = true
			at.Done--
		}
	}
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(at)
}

// fields asks which fields to read.
func (v *visit) fields() error {
	b, err := v.bundle()
	if err != nil {
		return err
	}
	return v.showFields(http.StatusOK, b, "")
}

func (v *visit) showFields(status int, b *Bundle, refused string) error {
	for range min(blankRows, mostRows-len(b.Drawn)) {
		b.Drawn = append(b.Drawn, DrawnField{Taken: true})
	}
	return v.answer(status, fieldsPage, readingRoom, look.Frame{Title: b.Title, Eyebrow: readingRoom, Heading: "Which fields?"}, struct {
		*Bundle
		Refused string
	}{b, refused})
}

// read reads the fields that a form chooses.
func (v *visit) read() error {
	b, err := v.bundle()
	if err != nil {
		return err
	}
	c := Choice{Named: v.r.PostFormValue("named"), Schema: strings.TrimSpace(v.r.PostFormValue("schema")), Save: v.r.PostFormValue("save")}
	if file, _, err := v.r.FormFile("file"); err == nil {
		data, err := io.ReadAll(io.LimitReader(file, int64(mostSchema)+1))
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		if len(data) > 0 {
			c.Schema = string(data)
		}
	}
	by := v.r.PostFormValue("by")
	if by == "drawn" {
		b.Drawn = nil
		for i := range mostRows {
			at := strconv.Itoa(i)
			d := DrawnField{Name: strings.TrimSpace(v.r.PostFormValue("name." + at)), Kind: v.r.PostFormValue("kind." + at), About: v.r.PostFormValue("about." + at), Required: v.r.PostFormValue("must."+at) != "", Taken: v.r.PostFormValue("take."+at) != "", Sample: v.r.PostFormValue("sample." + at)}
			if d.Name == "" {
				continue
			}
			if b.Drawn = append(b.Drawn, d); d.Taken {
				c.Drawn = append(c.Drawn, d)
			}
		}
	}
	switch {
	case by == "drawn" && len(c.Drawn) == 0:
		err = Refuse("no field is ticked")
	case by == "schema" && c.Schema == "":
		err = Refuse("there is no schema: paste one, or choose a file")
	case len(c.Schema) > mostSchema:
		err = Refuse("the schema has more than %s", size(int64(mostSchema)))
	default:
		err = v.Papers.Read(v.r.Context(), v.Space, b.ID, c)
	}
	if refused := new(refusal.Error); errors.As(err, &refused) {
		refusal.Later(v.w.Header(), err)
		return v.showFields(http.StatusUnprocessableEntity, b, refused.Text)
	}
	if err != nil {
		return err
	}
	return v.to(join("extract", b.ID))
}

// correct keeps the values that a person has changed in a form, which has of each what it was.
func (v *visit) correct() error {
	b, err := v.bundle()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(v.r.PostFormValue("paper"))
	if err != nil || n < 1 || n > len(b.Papers) {
		return &runs.NotFoundError{What: "paper", ID: v.r.PostFormValue("paper")}
	}
	changed, last := map[string]*string{}, ""
	for _, value := range b.Papers[n-1].Values() {
		if v.r.PostFormValue("back") == value.Field { // to what was read
			changed[value.Field], last = nil, "#"+value.At
			continue
		}
		posted, has := v.r.PostForm["value."+value.Field]
		if !has || len(posted) != 1 {
			continue
		}
		text := strings.Join(strings.Fields(posted[0]), " ")
		if text != strings.Join(strings.Fields(v.r.PostFormValue("was."+value.Field)), " ") {
			changed[value.Field], last = &text, "#"+value.At
		}
	}
	if len(changed) > 0 {
		err = v.Papers.Correct(v.r.Context(), v.Space, b.ID, n, changed)
	}
	if err != nil {
		return err
	}
	return v.to(query(join("extract", b.ID), "paper", strconv.Itoa(n)) + last)
}

// Values are all values of a paper, also the empty ones.
func (p Paper) Values() []Value {
	var out []Value
	for _, part := range p.Parts {
		if part.Value != nil {
			out = append(out, *part.Value)
		}
		out = append(out, slices.Concat(part.Rows...)...)
	}
	return out
}

// Found are the elements of a list that have a value.
func (p Part) Found() [][]Value { return p.Rows[:max(0, len(p.Rows)-1)] }

// PaperPath returns the address of the PDF that a paper of a bundle is.
func PaperPath(bundle string, paper int) string {
	return query(join("extract", bundle, "values"), "as", "pdf", "paper", strconv.Itoa(paper))
}

// values sends a bundle as a file.
func (v *visit) values() error {
	n, err := v.number("paper", 0)
	if err != nil {
		return err
	}
	as := v.r.URL.Query().Get("as")
	kind, ok := extractKinds[as]
	if !ok {
		return &runs.NotFoundError{What: "format", ID: as}
	}
	var b strings.Builder
	if err := v.Papers.Write(v.r.Context(), v.Space, v.r.PathValue("bundle"), n, as, &b); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", kind[0])
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set("Content-Disposition", `attachment; filename="`+kind[1]+`"`)
	http.ServeContent(v.w, v.r, "", time.Time{}, strings.NewReader(b.String()))
	return nil
}

// removePapers removes a bundle.
func (v *visit) removePapers() error {
	if err := v.Papers.Remove(v.r.Context(), v.Space, v.r.PathValue("bundle")); err != nil {
		return err
	}
	return v.to(papersPath)
}
