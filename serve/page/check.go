package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
	"example.com/assay/state/proof"
)

var (
	checkPage   = parsed("check.tmpl")
	checkedPage = parsed("checked.tmpl")
)

// maxDraft bounds a text that is checked, in bytes.
const maxDraft = 256 << 10

// checking returns the form for a text: that of the graph that checks it.
func (v *visit) checking(text, corpus string) (*asking, error) {
	a, err := v.asking(url.Values{"graph": {v.Checker}, settingField + settingCorpus: {corpus}})
	if err == nil {
		a.Question = text
	}
	return a, err
}

// check shows the form.
func (v *visit) check() error {
	a, err := v.checking("", v.r.URL.Query().Get(settingCorpus))
	if err != nil {
		return err
	}
	return v.show(checkPage, "Check a text", look.Frame{Title: "Check a text"}, a)
}

// beginCheck begins the check of a text.
func (v *visit) beginCheck() error {
	a, err := v.checking(strings.ReplaceAll(v.r.PostFormValue("text"), "\r\n", "\n"), v.r.PostFormValue(settingCorpus))
	if err != nil {
		return err
	}
	var run runs.Run
	switch n := len(a.Question); {
	case strings.TrimSpace(a.Question) == "":
		err = refusal.New(http.StatusUnprocessableEntity, "there is no text")
	case n > maxDraft:
		err = refusal.New(http.StatusUnprocessableEntity, "the text has %s, and %s can be checked at once: check it in parts", size(int64(n)), size(maxDraft))
	default:
		run, err = v.beginRun(v.r.Context(), a)
	}
	if err == nil {
		return v.to(join("check", run.ID))
	}
	refusal.Later(v.w.Header(), err)
	status := refusal.Status(err)
	if status == http.StatusInternalServerError {
		return err
	}
	a.Refused = err.Error()
	return v.answer(status, checkPage, "Check a text", look.Frame{Title: "Check a text"}, a)
}

// A checkedView is the page of a text that was checked.
type checkedView struct {
	Run       string
	Status    statusWord
	Live      bool
	Failed    string // why there is no result
	Chosen    string // the corpus of the form; empty for the server's
	All, Good int    // sentences that state something, and those of them that documents support
	Parts     []checkedPart
	After     string   // the text behind the last part
	Repairs   int      // how many corrections are proposed
	Accepted  []string // findings whose correction is accepted
	Corrected string
	Changed   bool
	Text      string // address of the export
	Evidence  template.HTML
	run       runs.Run
	proof     *proof.Proof // nil without a result
	docs      proof.Documents
}

// A checkedPart is a part of the text with what was found about it.
type checkedPart struct {
	Before  string // the text between the part before and this one
	Text    string
	Finding proof.Finding
	Repair  *proof.Repair // the correction that is proposed; nil for none
	Done    bool          // the correction is accepted
	Others  []string      // findings that are accepted besides
}

// checked shows a text with what was found about its sentences. What a person has accepted is in the address.
func (v *visit) checked() error {
	out, err := v.readCheck()
	if err != nil {
		return err
	}
	frame := look.Frame{Title: title(out.run), Heading: "Check a text", Full: true}
	if out.Live {
		frame.Scripts = []string{root + "static/live.js"}
	}
	if p := out.proof; p != nil {
		out.mark(p)
		bare := *p
		bare.Answer, bare.Words, bare.Measures = "", "", nil // they are above
		bare.Notes = slices.DeleteFunc(slices.Clone(p.Notes), func(n proof.Note) bool { return !n.Aside && n.Tone == proof.Plain })
		if out.Evidence, err = evidence.Section(v.r.Context(), bare, out.docs, nil); err != nil {
			return err
		}
	}
	return v.show(checkedPage, "Check a text", frame, out)
}

// readCheck reads the run of a check.
func (v *visit) readCheck() (*checkedView, error) {
	r, err := v.Run(v.r.Context(), v.r.PathValue("run"))
	if err == nil && r.Graph != v.Checker {
		err = &runs.NotFoundError{What: "check", ID: r.ID}
	}
	if err != nil {
		return nil, err
	}
	out := &checkedView{Run: r.ID, Status: worded(r), Live: !r.Status.Ended(), run: r}
	_ = json.Unmarshal(r.Settings[settingCorpus], &out.Chosen) // without one it is the server's
	if out.Live {
		return out, nil
	}
	a, err := v.account(r, want{})
	if err != nil {
		return nil, err
	}
	p, docs, err := v.proofOf(r, a)
	if err != nil {
		return nil, err
	}
	if p == nil || p.Draft == nil {
		words := ""
		if p != nil {
			words = p.Words
		}
		out.Failed = cmp.Or(r.Error, words, "the text was not checked")
		return out, nil
	}
	out.proof, out.docs = p, docs
	for i, f := range p.Findings {
		p.Findings[i].Verdict = verdict(f)
	}
	for _, part := range p.Draft.Parts {
		if part.Repair != nil && slices.Contains(v.r.URL.Query()["accept"], part.Finding) {
			out.Accepted = append(out.Accepted, part.Finding)
		}
	}
	out.Corrected = p.Draft.Corrected(out.Accepted)
	return out, nil
}

// mark splits the text at its parts, and counts.
func (c *checkedView) mark(p *proof.Proof) {
	c.Changed = len(c.Accepted) > 0
	c.Text = join("check", c.Run, "text") + "?" + url.Values{"accept": c.Accepted}.Encode()
	at := 0
	for _, part := range p.Draft.Parts {
		i := slices.IndexFunc(p.Findings, func(f proof.Finding) bool { return f.ID == part.Finding })
		if i < 0 {
			continue
		}
		one := checkedPart{Before: p.Draft.Text[at:part.Span.Start], Finding: p.Findings[i], Repair: part.Repair, Done: slices.Contains(c.Accepted, part.Finding)}
		at = part.Span.End
		one.Text = p.Draft.Text[part.Span.Start:at]
		one.Others = slices.DeleteFunc(slices.Clone(c.Accepted), func(id string) bool { return id == part.Finding })
		if c.Parts = append(c.Parts, one); one.Repair != nil {
			c.Repairs++
		}
	}
	c.After = p.Draft.Text[at:]
	for _, f := range p.Findings {
		if f.Kind == proof.Claim {
			c.All++
			if f.Tone == proof.Good {
				c.Good++
			}
		}
	}
}

// verdict is the verdict on a sentence, in a person's words.
func verdict(f proof.Finding) string {
	if f.Tone != proof.Bad {
		return f.Verdict
	}
	if slices.ContainsFunc(f.Quotes, func(q proof.Quote) bool { return q.Stand == proof.Against }) {
		return "contradicted"
	}
	return "not in the documents"
}

// export sends the text with what was accepted: plain, or as markdown with what was found about it.
func (v *visit) export() error {
	out, err := v.readCheck()
	if err == nil && out.proof == nil {
		err = &runs.NotFoundError{What: "result of the check", ID: out.Run}
	}
	if err != nil {
		return err
	}
	text, kind, name := out.Corrected, "text/plain", "text.txt"
	if v.r.URL.Query().Get("as") == "md" {
		text, kind, name = report(out, out.proof), "text/markdown", "text.md"
	}
	v.w.Header().Set("Content-Type", kind+"; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	_, _ = v.w.Write([]byte(text)) // the browser has left
	return nil
}

// report is the corrected text, and what was found about each sentence of the given one.
func report(c *checkedView, p *proof.Proof) string {
	var b strings.Builder
	line := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	fmt.Fprintf(&b, "%s\n\n---\n\n## What the documents say (%s)\n\n", strings.TrimRight(c.Corrected, "\n"), p.Corpus)
	for _, f := range p.Findings {
		if f.Kind != proof.Claim {
			continue
		}
		fmt.Fprintf(&b, "%s. %s — **%s**", f.Label, line(f.Text), f.Verdict)
		if slices.Contains(c.Accepted, f.ID) {
			b.WriteString(", corrected")
		}
		b.WriteString("\n")
		for _, q := range f.Quotes {
			against := ""
			if q.Stand == proof.Against {
				against = "against: "
			}
			fmt.Fprintf(&b, "   - %s“%s” (%s, bytes %d to %d)\n", against, line(q.Text), p.Documents[q.Doc].Name, q.Start, q.End)
		}
	}
	return b.String()
}
