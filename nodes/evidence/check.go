package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// A Checked is the result of checking an audit again.
type Checked struct {
	Documents  int      `json:"documents_checked"`
	Quotes     int      `json:"quotes_checked"`
	Statements int      `json:"statements_checked"`
	Problems   []string `json:"problems"` // empty: everything holds
}

// Check verifies an audit against the documents, without a model and without trusting its author.
// Each document must be unchanged, and each quote must be at its bytes. Each statement of the
// answer must be listed with its IDs, and each ID must belong to a verified requirement. A
// statement must not have a number, a must or a may that its quotes lack. Summaries, references,
// counts and the sources' quotes must follow from these. Check does not know whether the
// requirements are complete or answer the question.
func Check(a Audit) Checked {
	c := checker{audit: a, out: Checked{Problems: []string{}}, texts: map[string][]byte{}, byID: map[string]Requirement{}}
	c.documents()
	c.requirements()
	c.statements()
	c.follows()
	return c.out
}

type checker struct {
	audit Audit
	out   Checked
	texts map[string][]byte // by source
	byID  map[string]Requirement
}

func (c *checker) fail(format string, args ...any) {
	c.out.Problems = append(c.out.Problems, fmt.Sprintf(format, args...))
}

func (c *checker) documents() {
	for _, d := range c.audit.Documents {
		c.out.Documents++
		data, err := os.ReadFile(d.Path)
		if err != nil {
			c.fail("document %s: %v", d.Source, err)
			continue
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != d.Hash {
			c.fail("document %s: %s is not the file that was read: its SHA-256 is %x", d.Source, d.Path, sum)
		}
		c.texts[d.Source] = data
	}
}

func (c *checker) requirements() {
	for _, r := range c.audit.Extracted {
		if _, twice := c.byID[r.ID]; twice {
			c.fail("requirement %s is listed twice", r.ID)
		}
		c.byID[r.ID] = r
		c.quote(r.ID, state.Quote{Source: r.Source, Start: r.Start, End: r.End, Text: r.Quote})
		for _, stem := range r.Stems {
			c.quote(r.ID, stem)
		}
	}
	for _, v := range append(slices.Clone(c.audit.Verified), c.audit.Rejected...) {
		switch {
		case v.Verified && (v.Reason != "" || v.Error != ""):
			c.fail("requirement %s is both verified and rejected: %s", v.ID, strings.TrimSpace(string(v.Reason)+" "+v.Error))
		case !v.Verified && v.Reason == "":
			c.fail("requirement %s is rejected for no reason", v.ID)
		}
	}
	for _, v := range c.audit.Rejected {
		if v.Verified {
			c.fail("requirement %s is verified and listed among those that are rejected", v.ID)
		}
	}
	for _, v := range c.audit.Verified {
		if r, ok := c.byID[v.ID]; !ok || !v.Verified || v.Quote != r.Quote {
			c.fail("verified requirement %s is not one of those that were extracted", v.ID)
		}
	}
}

func (c *checker) quote(id string, q state.Quote) {
	c.out.Quotes++
	text, ok := c.texts[q.Source]
	switch {
	case !ok:
		c.fail("requirement %s: its document %s cannot be read", id, q.Source)
	case q.Start < 0 || q.End > len(text) || q.Start >= q.End || string(text[q.Start:q.End]) != q.Text:
		c.fail("requirement %s: bytes %d–%d of %s are not its quote", id, q.Start, q.End, q.Source)
	}
}

func (c *checker) statements() {
	a := c.audit
	found := Statements(a.Final)
	if a.Final != a.Answer.Answer {
		c.fail("answer and final_answer differ")
	}
	if len(found) != len(a.Statements) {
		c.fail("the answer has %d statements and %d are listed", len(found), len(a.Statements))
	}
	if (len(found) > 0) != (a.Result == ResultAnswered) {
		c.fail("the result is %s, with %d statements", a.Result, len(found))
	}
	verdicts := State{}
	for _, v := range a.Verified {
		verdicts.Verdicts = append(verdicts.Verdicts, v.Verdict)
	}
	for _, v := range a.Rejected {
		verdicts.Verdicts = append(verdicts.Verdicts, v.Verdict)
	}
	for i, st := range found {
		c.out.Statements++
		if i < len(a.Statements) && (a.Statements[i].Text != st.Text || !slices.Equal(a.Statements[i].IDs, st.IDs)) {
			c.fail("statement %d is listed otherwise than the answer has it", i+1)
		}
		problems := checkIDs(verdicts, st)
		if len(problems) == 0 {
			problems = c.words(st)
		}
		for _, f := range problems {
			c.fail("statement %d (%s): %s", i+1, f.Kind, f.Detail)
		}
		c.lineage(i, st)
	}
}

// conflicting matches the conflicts that finalizeNode writes.
var conflicting = pattern.New(`^Conflict \([a-z]+\): “([^“”]*)” against “([^“”]*)”$`)

func (c *checker) words(st Statement) []Finding {
	cited := make([]Requirement, len(st.IDs))
	for i, id := range st.IDs {
		cited[i] = c.byID[id]
	}
	if m := conflicting.FindStringSubmatch(strings.TrimSpace(st.Text)); m != nil && len(cited) == 2 {
		for i := range cited {
			if !strings.Contains(cited[i].Spoken(), m[i+1]) {
				return []Finding{objection(state.FindContradicted, st, cited[i].ID+" does not say “"+m[i+1]+"”")}
			}
		}
		return nil
	}
	found, _ := checkWords(st, cited)
	return found
}

// lineage compares the sources of a statement with the requirements and documents of the
// audit.
func (c *checker) lineage(i int, st Statement) {
	if i >= len(c.audit.Statements) {
		return
	}
	listed := c.audit.Statements[i].Lineage
	if len(listed) != len(st.IDs) {
		c.fail("statement %d has %d ids and the lineage of %d", i+1, len(st.IDs), len(listed))
		return
	}
	for j, l := range listed {
		if want := c.audit.lineage(c.byID[st.IDs[j]]); l != want {
			c.fail("statement %d: its lineage to %s is not that of the requirement", i+1, st.IDs[j])
		}
	}
}

// follows compares the rest of an audit with the values that its requirements and statements imply.
func (c *checker) follows() {
	a := c.audit
	statements := Statements(a.Final)
	final := State{Requirements: a.Extracted}
	for _, v := range append(slices.Clone(a.Verified), a.Rejected...) {
		final.Verdicts = append(final.Verdicts, v.Verdict)
		if r := c.byID[v.ID]; v.Quote != r.Quote || v.Document != r.Document || v.Heading != r.Heading {
			c.fail("the verdict on %s shows another quote than the requirement's", v.ID)
		}
	}
	verified := final.Verified()
	refs, unused := used(verified, statements)
	if !slices.Equal(refs, a.References) || !slices.Equal(unused, a.Unused) {
		c.fail("requirement_references and unused_requirements are not what the answer cites")
	}
	if a.Statutes != summary(verified, statements, Statute) || a.Policies != summary(verified, statements, Policy) {
		c.fail("statute_summary and policy_summary are not the verified requirements")
	}
	if want := grounding(verified, statements); a.Grounding != want {
		c.fail("grounding_confidence is %q and follows to be %q", a.Grounding, want)
	}
	if t := a.Trail; t.Extracted != len(a.Extracted) || t.Verified != len(verified) || t.PassRate != passRate(len(verified), len(a.Extracted)) {
		c.fail("evidence_audit_trail does not count the requirements that are listed")
	}
	for _, s := range a.Sources {
		for _, q := range s.Quotes {
			if !slices.ContainsFunc(a.Extracted, func(r Requirement) bool { return r.Start == q.Start && r.End == q.End && r.Quote == q.Text }) {
				c.fail("source %d: bytes %d–%d are not its quote of a requirement", s.N, q.Start, q.End)
			}
		}
	}
}
