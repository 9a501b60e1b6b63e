package page

import (
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

// A checking is the form for a text.
type checking struct {
	Text, Corpus string
	Corpora      []string
	Refused      string // why the check did not begin
}

// checker is the graph that checks texts.
func (v *visit) checker() (runs.Graph, error) {
	for _, g := range v.Graphs() {
		if g.Name == v.Checker {
			return g, nil
		}
	}
	return runs.Graph{}, off(false, "page that checks texts")
}

// check shows the form.
func (v *visit) check() error {
	return v.showCheck(http.StatusOK, checking{Corpus: v.r.URL.Query().Get(settingCorpus)})
}

func (v *visit) showCheck(status int, c checking) error {
	g, err := v.checker()
	if err != nil {
		return err
	}
	for _, s := range g.Settings {
		if s.Name == settingCorpus && s.Values != nil {
			if c.Corpora, err = s.Values(v.tenant); err != nil {
				return err
			}
		}
	}
	return v.answer(status, checkPage, "Check a text", look.Frame{Title: "Check a text"}, c)
}

// beginCheck begins the check of a text.
func (v *visit) beginCheck() error {
	c := checking{Text: strings.ReplaceAll(v.r.PostFormValue("text"), "\r\n", "\n"), Corpus: v.r.PostFormValue(settingCorpus)}
	run, err := v.startCheck(c)
	if err == nil {
		return v.to(join("check", run.ID))
	}
	refusal.Later(v.w.Header(), err)
	status := refusal.Status(err)
	if status == http.StatusInternalServerError {
		return err
	}
	c.Refused = err.Error()
	return v.showCheck(status, c)
}

func (v *visit) startCheck(c checking) (runs.Run, error) {
	switch {
	case strings.TrimSpace(c.Text) == "":
		return runs.Run{}, refusal.New(http.StatusUnprocessableEntity, "there is no text")
	case len(c.Text) > maxDraft:
		return runs.Run{}, refusal.New(http.StatusUnprocessableEntity, "the text has %s, and %s can be checked at once: check it in parts", size(int64(len(c.Text))), size(maxDraft))
	}
	g, err := v.checker()
	if err != nil {
		return runs.Run{}, err
	}
	spec := runs.Spec{Graph: g.Name, Saved: map[string]string{"graph_id": g.Name}, Settings: map[string]json.RawMessage{}}
	values, err := json.Marshal(map[string]any{"messages": []map[string]string{{"id": v.NewID(), "type": "human", "content": c.Text}}})
	if err != nil {
		return runs.Run{}, err
	}
	if spec.Input, err = g.App.Values(values); err != nil {
		return runs.Run{}, &runs.InvalidError{Err: err}
	}
	if c.Corpus != "" {
		if spec.Settings[settingCorpus], err = json.Marshal(c.Corpus); err != nil {
			return runs.Run{}, err
		}
	}
	if spec.Metadata, err = json.Marshal(spec.Saved); err != nil {
		return runs.Run{}, err
	}
	spec.Marks = spec.Metadata
	return v.Begin(v.r.Context(), spec)
}

// A checkedView is the page of a text that was checked.
type checkedView struct {
	Run       string
	Status    statusWord
	Live      bool
	Failed    string // why there is no result
	Corpus    string
	Chosen    string // the corpus of the form; empty for the server's
	Words     string // the outcome
	Tone      proof.Tone
	Marked    []marked
	Repairs   []repair
	Accepted  []string // findings whose correction is accepted
	Corrected string
	Changed   bool
	Text      string // address of the export
	Evidence  template.HTML
}

// A marked is a run of words of the text as it was given.
type marked struct {
	Text    string
	Finding *proof.Finding // about them; nil for none
	Sign    string         // shown after it
	Repair  string         // ID of its repair; empty for none
	Done    bool           // the repair is accepted
}

// A repair is a correction that can be accepted.
type repair struct {
	Finding  proof.Finding
	Old, New string
	Accepted bool
	Others   []string // findings that are accepted besides
}

// checked shows a text with what was found about its sentences. What a person has accepted is in the address.
func (v *visit) checked() error {
	r, out, p, docs, err := v.readCheck()
	if err != nil {
		return err
	}
	frame := look.Frame{Title: title(r), Heading: "Check a text", Full: true}
	if out.Live {
		frame.Scripts = []string{root + "static/live.js"}
	}
	if p == nil {
		return v.show(checkedPage, "Check a text", frame, out)
	}
	out.mark(p)
	bare := *p
	bare.Answer, bare.Words, bare.Measures = "", "", nil // they are above
	bare.Findings = slices.Clone(p.Findings)
	for i, f := range bare.Findings {
		bare.Findings[i].Verdict = verdict(f)
	}
	bare.Notes = slices.DeleteFunc(slices.Clone(p.Notes), func(n proof.Note) bool { return !n.Aside && n.Tone == proof.Plain })
	if out.Evidence, err = evidence.Section(v.r.Context(), bare, docs, nil); err != nil {
		return err
	}
	return v.show(checkedPage, "Check a text", frame, out)
}

// readCheck reads the run of a check. Without a result the proof is nil.
func (v *visit) readCheck() (r runs.Run, out *checkedView, p *proof.Proof, docs proof.Documents, err error) {
	if _, err = v.checker(); err != nil {
		return r, nil, nil, nil, err
	}
	if r, err = v.Run(v.r.Context(), v.r.PathValue("run")); err != nil {
		return r, nil, nil, nil, err
	}
	if r.Graph != v.Checker {
		return r, nil, nil, nil, &runs.NotFoundError{What: "check", ID: r.ID}
	}
	out = &checkedView{Run: r.ID, Status: worded(r), Live: !r.Status.Ended()}
	_ = json.Unmarshal(r.Settings[settingCorpus], &out.Chosen) // without one it is the server's
	if out.Live {
		return r, out, nil, nil, nil
	}
	a, err := v.account(r, want{})
	if err != nil {
		return r, nil, nil, nil, err
	}
	_, state, err := v.final(r, a)
	if err != nil {
		return r, nil, nil, nil, err
	}
	if state != nil && v.Proof != nil {
		if p, docs, err = v.Proof(v.r.Context(), v.tenant, r, state); err != nil {
			return r, nil, nil, nil, err
		}
	}
	if p == nil || p.Draft == nil {
		out.Failed = r.Error
		if out.Failed == "" && p != nil {
			out.Failed = p.Words
		}
		if out.Failed == "" {
			out.Failed = "the text was not checked"
		}
		return r, out, nil, nil, nil
	}
	for _, part := range p.Draft.Parts {
		if part.Repair != nil && slices.Contains(v.r.URL.Query()["accept"], part.Finding) {
			out.Accepted = append(out.Accepted, part.Finding)
		}
	}
	out.Corrected = p.Draft.Corrected(out.Accepted)
	return r, out, p, docs, nil
}

// mark splits the text at its parts, and lists the corrections.
func (c *checkedView) mark(p *proof.Proof) {
	c.Corpus, c.Changed = p.Corpus, len(c.Accepted) > 0
	c.Text = join("check", c.Run, "text") + "?" + url.Values{"accept": c.Accepted}.Encode()
	d, at := p.Draft, 0
	for _, part := range d.Parts {
		i := slices.IndexFunc(p.Findings, func(f proof.Finding) bool { return f.ID == part.Finding })
		if i < 0 {
			continue
		}
		f := p.Findings[i]
		f.Verdict = verdict(f)
		if at < part.Span.Start {
			c.Marked = append(c.Marked, marked{Text: d.Text[at:part.Span.Start]})
		}
		at = part.Span.End
		one := marked{Text: d.Text[part.Span.Start:at], Finding: &f}
		if f.Tone != proof.Good {
			one.Sign = f.Label
		}
		if part.Repair != nil {
			r := repair{Finding: f, Old: one.Text, New: part.Repair.With, Accepted: slices.Contains(c.Accepted, f.ID)}
			for _, id := range c.Accepted {
				if id != f.ID {
					r.Others = append(r.Others, id)
				}
			}
			one.Repair, one.Done = "repair-"+f.ID, r.Accepted
			c.Repairs = append(c.Repairs, r)
		}
		c.Marked = append(c.Marked, one)
	}
	if at < len(d.Text) {
		c.Marked = append(c.Marked, marked{Text: d.Text[at:]})
	}
	c.sum(p)
}

// sum says in a sentence how much of the text is supported.
func (c *checkedView) sum(p *proof.Proof) {
	all, good := 0, 0
	for _, f := range p.Findings {
		if f.Kind == proof.Claim {
			all++
			if f.Tone == proof.Good {
				good++
			}
		}
	}
	switch {
	case all == 0:
		c.Words, c.Tone = "No sentence states anything that documents could support.", proof.Warn
	case good == all:
		c.Words, c.Tone = "The documents support all of it: "+look.Count(all, "sentence")+".", proof.Good
	default:
		c.Words, c.Tone = fmt.Sprintf("The documents support %d of %s.", good, look.Count(all, "sentence")), proof.Warn
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
	_, out, p, _, err := v.readCheck()
	if err == nil && p == nil {
		err = &runs.NotFoundError{What: "result of the check", ID: out.Run}
	}
	if err != nil {
		return err
	}
	text, kind, name := out.Corrected, "text/plain", "text.txt"
	if v.r.URL.Query().Get("as") == "md" {
		text, kind, name = report(out, p), "text/markdown", "text.md"
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
		fmt.Fprintf(&b, "%s. %s — **%s**", f.Label, line(f.Text), verdict(f))
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
