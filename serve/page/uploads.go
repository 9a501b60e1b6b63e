package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

// Uploads keep files that people add to corpora, and have them read. What Refuse
// returned says to the sender why something is not done.
type Uploads interface {
	// Into returns why a tenant may not add files to a corpus, which need not exist; nil if it may.
	Into(tenant, corpus string) error
	// Most returns how many bytes one request may have.
	Most() int64
	// Add keeps a file of a corpus under the name that its sender gave it, or a safe one like it. A file
	// of that name is replaced, once all of the new one has been read.
	Add(ctx context.Context, tenant, corpus, name string, from io.Reader) error
	// Remove removes a file that was kept.
	Remove(tenant, corpus, name string) error
	// Read has the corpus read what is kept for it, in the background: soon, if it is being read now.
	// Refused are files that were not kept, each with the reason, for Reading.
	Read(tenant, corpus string, refused []Fact)
	// Reading says how far that is.
	Reading(tenant, corpus string) Reading
	// Files lists what is kept for a corpus, sorted by name.
	Files(ctx context.Context, tenant, corpus string) ([]Uploaded, error)
}

// Reading is how far a corpus has read its uploads, since the server started.
type Reading struct {
	Busy        bool   `json:"busy"`
	Phase       string `json:"phase"`
	Done        int    `json:"done"`
	Total       int    `json:"total"`
	Ended       bool   `json:"-"` // the last one has ended; it has the following results
	Added       int    `json:"-"`
	Changed     int    `json:"-"`
	Removed     int    `json:"-"`
	LeftOut     []Fact `json:"-"` // files that were refused or cannot be read, each with the reason
	LeftOutMore int    `json:"-"` // further ones
	Failed      string `json:"-"` // why nothing was read
}

// An Uploaded is a file that somebody added.
type Uploaded struct {
	Name   string
	Bytes  int64
	Source string // its text in the corpus; empty while it is in none
	Why    string // why it is in none, if that is known
}

// Refuse returns an error of Uploads that says to a sender why something is not done.
func Refuse(format string, args ...any) error {
	return refusal.New(http.StatusForbidden, format, args...)
}

// Refused reports whether an error is the sender's to know and to mend.
func Refused(err error) bool { return refusal.Status(err) < http.StatusInternalServerError }

// adding is what the pages of corpora say about adding files.
type adding struct {
	Corpus  string // empty for one that is still to be named
	Known   []Corpus
	Most    int64
	Why     string // why no file can be added here; empty if one can
	Files   []Uploaded
	Reading Reading
}

// streams is the path of forms with files, whose handler reads and limits the body itself.
const streams = root + "corpora"

// Streams reports whether the handler reads a request's body piece by piece, so that nothing before it
// reads or limits the body.
func Streams(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == streams || r.URL.Path == papersPath)
}

// adding describes the form for a corpus; nil if this page shows none.
func (v *visit) adding(corpus string) (*adding, error) {
	a := &adding{Corpus: corpus, Why: v.HowToUpload}
	if v.Uploads == nil {
		return a, nil
	}
	a.Why, a.Most = "", v.Uploads.Most()
	if corpus == "" {
		return a, nil
	}
	if err := v.Uploads.Into(v.tenant, corpus); err != nil {
		a.Why = sentence(err.Error())
		return a, nil
	}
	a.Reading = v.Uploads.Reading(v.tenant, corpus)
	var err error
	a.Files, err = v.Uploads.Files(v.r.Context(), v.tenant, corpus)
	a.Reading.LeftOut = slices.DeleteFunc(slices.Clone(a.Reading.LeftOut), func(f Fact) bool { // the list of files says it
		return slices.ContainsFunc(a.Files, func(u Uploaded) bool { return u.Name == f.Name && u.Why != "" })
	})
	return a, err
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// mayUpload returns an error unless files may be added to a corpus.
func (v *visit) mayUpload(corpus string) error {
	if v.Uploads == nil {
		return refusal.New(http.StatusForbidden, "%s", v.HowToUpload)
	}
	return v.Uploads.Into(v.tenant, corpus)
}

// maxField bounds the bytes of a form's field before the files, and mostFiles the files of a form.
const (
	maxField  = 4 << 10
	mostFiles = 1000
	// patience is how long the next piece of a file may take.
	patience = 30 * time.Second
)

// parts returns the parts of a form with files, in the order of the form, with limits on their size and on
// the time between pieces.
func (v *visit) parts() (*multipart.Reader, error) {
	if v.form != nil {
		return v.form, nil
	}
	most := int64(maxField)
	if papers := v.r.URL.Path == papersPath; papers && v.Papers != nil {
		most = v.Papers.Most()
	} else if !papers && v.Uploads != nil {
		most = v.Uploads.Most()
	}
	body := &patient{http.MaxBytesReader(v.w, v.r.Body, most+maxField*mostFiles), http.NewResponseController(v.w)}
	_, kind, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type")) // MultipartReader refuses another
	v.r.Body = struct {
		io.Reader
		io.Closer
	}{&cleaner{from: bufio.NewReader(body), boundary: []byte("--" + kind["boundary"])}, v.r.Body}
	form, err := v.r.MultipartReader()
	if err != nil {
		return nil, refusal.New(http.StatusBadRequest, "the form cannot be read: %v", err)
	}
	v.form = form
	return form, nil
}

// A patient reader gives each piece its own time.
type patient struct {
	io.Reader
	out *http.ResponseController
}

func (p *patient) Read(data []byte) (int, error) {
	_ = p.out.SetReadDeadline(time.Now().Add(patience)) // a test's recorder has none
	n, err := p.Reader.Read(data)
	if errors.Is(err, io.EOF) {
		_ = p.out.SetReadDeadline(time.Time{})
	}
	return n, err
}

// A cleaner replaces control characters in the heads of a form's parts. Names of files may have them, and
// package multipart refuses the whole form.
type cleaner struct {
	from     *bufio.Reader
	boundary []byte
	rest     []byte // of the line that was read
	inLine   bool
	inHead   bool
}

func (c *cleaner) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		line, err := c.from.ReadSlice('\n')
		if len(line) == 0 {
			return 0, err
		}
		switch {
		case !c.inLine && bytes.HasPrefix(line, c.boundary):
			c.inHead = true
		case c.inHead && !c.inLine && len(bytes.TrimRight(line, "\r\n")) == 0:
			c.inHead = false
		case c.inHead:
			for i, b := range line {
				if b < ' ' && !bytes.ContainsRune([]byte("\t\r\n"), rune(b)) || b == 0x7f {
					line[i] = '_'
				}
			}
		}
		c.rest, c.inLine = line, line[len(line)-1] != '\n'
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// field reads the value of a field.
func field(part io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(part, maxField))
	return strings.TrimSpace(string(data)), err
}

// upload keeps the files of a form and has them read.
func (v *visit) upload() error {
	form, err := v.parts()
	if err != nil {
		return err
	}
	corpus, admitted, sent := "", false, 0
	var refused []Fact
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unread(err)
		}
		if part.FormName() == "corpus" {
			if corpus, err = field(part); err != nil {
				return unread(err)
			}
		}
		if part.FormName() != "file" || part.FileName() == "" {
			continue
		}
		if !admitted {
			if err := v.mayUpload(corpus); err != nil {
				return err
			}
			admitted = true
		}
		if sent++; sent > mostFiles {
			if sent == mostFiles+1 {
				refused = append(refused, Fact{"further files", fmt.Sprintf("a form has %d files at most", mostFiles)})
			}
			continue
		}
		err = v.Uploads.Add(v.r.Context(), v.tenant, corpus, part.FileName(), part)
		if why := new(refusal.Error); errors.As(err, &why) {
			refused = append(refused, Fact{part.FileName(), why.Text})
		} else if errors.As(err, new(*http.MaxBytesError)) {
			return unread(err)
		} else if err != nil {
			return err
		}
	}
	if err := v.mayUpload(corpus); err != nil {
		return err
	}
	if sent == 0 {
		return refusal.New(http.StatusUnprocessableEntity, "no file was chosen: go back and choose one")
	}
	v.Uploads.Read(v.tenant, corpus, refused)
	return v.to(join("corpora", corpus) + "#add")
}

// unread says why a form could not be read to its end.
func unread(err error) error {
	if long := new(http.MaxBytesError); errors.As(err, &long) {
		return refusal.New(http.StatusRequestEntityTooLarge, "the files have more than %s together: send them in parts", size(long.Limit))
	}
	return refusal.New(http.StatusBadRequest, "the form cannot be read: %v", err)
}

// reading tells how far the corpus has read its uploads.
func (v *visit) reading() error {
	corpus := v.r.PathValue("corpus")
	if err := v.mayUpload(corpus); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(v.w).Encode(v.Uploads.Reading(v.tenant, corpus))
}

// named leads to the page of a corpus that a form names, which need not exist.
func (v *visit) named(name string) error {
	if err := v.mayUpload(name); err != nil {
		return err
	}
	return v.to(join("corpora", name))
}

// fresh shows a corpus that does not exist and that a person may make, also while its first files are
// being read. For another it returns the error of opening it.
func (v *visit) fresh(name string, fault error) error {
	if v.mayUpload(name) != nil || !errors.As(fault, new(*runs.NotFoundError)) && !v.Uploads.Reading(v.tenant, name).Busy {
		return fault
	}
	out := reading{Corpus: Corpus{Name: name}, New: true}
	var err error
	if out.Adding, err = v.adding(name); err != nil {
		return err
	}
	return v.show(corpusPage, "Documents", v.corpusFrame(name, out.Adding), out)
}

// corpusFrame returns the frame of a corpus's page.
func (v *visit) corpusFrame(name string, a *adding) look.Frame {
	f := look.Frame{Title: name, Eyebrow: "Documents"}
	if a != nil && a.Why == "" {
		f.Scripts = []string{root + "static/upload.js"}
	}
	return f
}

var removePage = parsed("remove.tmpl")

// removal asks whether a file shall be removed.
func (v *visit) removal() error {
	corpus, name := v.r.PathValue("corpus"), v.r.URL.Query().Get("file")
	if err := v.mayUpload(corpus); err != nil {
		return err
	}
	files, err := v.Uploads.Files(v.r.Context(), v.tenant, corpus)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Name == name {
			return v.show(removePage, "Documents", look.Frame{Title: "Remove a file", Eyebrow: "Documents of " + corpus}, struct {
				Corpus string
				File   Uploaded
				Last   bool
			}{corpus, f, len(files) == 1})
		}
	}
	return &runs.NotFoundError{What: "file", ID: name}
}

// remove removes a file, and has the corpus read what is left.
func (v *visit) remove() error {
	corpus := v.r.PathValue("corpus")
	if err := v.mayUpload(corpus); err != nil {
		return err
	}
	if err := v.Uploads.Remove(v.tenant, corpus, v.r.PostFormValue("file")); err != nil {
		return err
	}
	v.Uploads.Read(v.tenant, corpus, nil)
	return v.to(join("corpora", corpus) + "#add")
}
