package show

import (
	"encoding/json"
	"fmt"
	"slices"

	"example.com/assay/eval"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// A shownCase is an item as the page shows it.
type shownCase struct {
	eval.Item
	Anchor  string // of its element
	Name    string
	Verdict string
	Why     []string
	Open    bool
	Blocks  []block // of the answer

	Check        *state.ClaimCheck
	Claims       []shownClaim
	Statements   []shownClaim
	Requirements []shownRequirement
	Rejected     []shownRequirement
	Conflicts    []evidence.Conflict
	Findings     []evidence.Finding
	Grounding    evidence.GroundingConfidence
	Missing      []string
	Edges        []shownEdge
	Fields       []shownField
	Issues       []extract.Issue
	Passages     []*passage
	Warnings     []string
	Quotes       state.Verification

	Lanes    []*lane
	LengthMS float64
}

// A shownClaim is a sentence with what was found on it.
type shownClaim struct {
	ID, Text, Status, Reason string
	Confidence               float64
	Conflicts                []state.Conflict
	Miscited                 bool
	Evidence                 []shownQuote
}

// A shownQuote is a quote between the words around it, and where else the page
// marks it: nowhere when no passage holds it.
type shownQuote struct {
	Against             bool
	Before, Text, After string
	Where               string
	Places              []link
}

type shownRequirement struct {
	ID, Name, Text, Document, Heading, Reason, Rationale string
	Places                                               []link
}

type shownEdge struct {
	causal.Edge
	ID     string
	Quotes []shownQuote
}

type shownField struct {
	extract.FieldValue
	ID     string
	Where  string
	Places []link
}

// show lays out an item. The error is that its result is not what its pipeline
// writes.
func show(item eval.Item, n int) (*shownCase, error) {
	c := &shownCase{Item: item, Anchor: fmt.Sprintf("case-%d", n), Name: item.Name(), Verdict: verdict(item), Why: reasons(item), Open: !item.Pass}
	c.Lanes, c.LengthMS = lanesOf(item.Timeline, item.NodeUsage)
	ps := &passages{prefix: c.Anchor}
	anchors := map[string]string{}
	if len(item.Result) > 0 {
		if err := c.fill(ps, anchors); err != nil {
			return nil, fmt.Errorf("reading the result of case %q: %w", c.Name, err)
		}
	}
	ps.cut()
	c.Passages = ps.list
	c.Blocks = blocksOf(item.Answer, anchors)
	return c, nil
}

// fill reads the pipeline's answer.
func (c *shownCase) fill(ps *passages, anchors map[string]string) error {
	switch c.Pipeline {
	case eval.Comply:
		var a evidence.Audit
		if err := json.Unmarshal(c.Result, &a); err != nil {
			return err
		}
		c.common(a.Answer, ps, anchors)
		c.comply(a, ps, anchors)
	case eval.Edges:
		var a causal.Answer
		if err := json.Unmarshal(c.Result, &a); err != nil {
			return err
		}
		c.common(a.Answer, ps, anchors)
		c.edges(a.Edges, ps)
	case eval.Extract:
		var a extract.Answer
		if err := json.Unmarshal(c.Result, &a); err != nil {
			return err
		}
		c.common(a.Answer, ps, anchors)
		c.extract(a, ps)
	case eval.Verify:
		var a verify.Answer
		if err := json.Unmarshal(c.Result, &a); err != nil {
			return err
		}
		c.common(a.Answer, ps, anchors)
		c.claims(ps)
	default:
		var a state.Answer
		if err := json.Unmarshal(c.Result, &a); err != nil {
			return err
		}
		c.common(a, ps, anchors)
		c.claims(ps)
	}
	return nil
}

// common is what every pipeline's answer has.
func (c *shownCase) common(a state.Answer, ps *passages, anchors map[string]string) {
	c.Warnings, c.Check, c.Quotes = a.Warnings, a.Verification.ClaimCheck, a.Verification
	for _, s := range a.Sources {
		p := &passage{Head: fmt.Sprintf("Source %d", s.N), Where: place(s.Where, s.Doc, s.Start, s.End), Stale: s.Stale, doc: s.Doc, text: s.Text, start: s.Start}
		names := []string{}
		if s.Query > 0 {
			p.Head = fmt.Sprintf("Query %d, source %d", s.Query, s.Source)
			names = append(names, fmt.Sprintf("[Query %d][Source %d]", s.Query, s.Source))
		}
		if s.Label != "" {
			p.Head = fmt.Sprintf("Passage %d, cited as %s", s.N, s.Label)
			names = append(names, "["+s.Label+"]")
		}
		ps.add(p, s.Quotes)
		for _, name := range names {
			if anchors[name] == "" { // a label of several passages leads to the first
				anchors[name] = p.ID
			}
		}
	}
}

func place(where, doc string, start, end int) string {
	bytes := fmt.Sprintf("%s, bytes %d–%d", doc, start, end)
	if where == "" || where == doc {
		return bytes
	}
	return where + " · " + bytes
}

func (c *shownCase) claims(ps *passages) {
	if c.Check == nil {
		return
	}
	for i, claim := range c.Check.Claims {
		one := shownClaim{
			ID: fmt.Sprintf("%s-claim-%d", c.Anchor, i+1), Text: claim.Claim, Status: string(claim.Status), Confidence: claim.Confidence, Reason: claim.Reasoning,
			Conflicts: claim.Conflicts, Miscited: claim.Miscited,
		}
		if claim.Error != "" {
			one.Reason = claim.Error
		}
		label := link{fmt.Sprintf("claim %d", i+1), one.ID}
		for _, q := range claim.Evidence {
			one.Evidence = append(one.Evidence, quoted(ps, q, label))
		}
		for _, q := range claim.Against {
			against := quoted(ps, q, link{"against " + label.Text, label.ID})
			against.Against = true
			one.Evidence = append(one.Evidence, against)
		}
		c.Claims = append(c.Claims, one)
	}
}

func quoted(ps *passages, q state.Quote, label link) shownQuote {
	one := shownQuote{Text: q.Text, Where: place("", q.Source, q.Start, q.End), Places: ps.quote(q.Source, q.Start, q.End, q.Text, label)}
	if len(one.Places) > 0 {
		one.Before, one.After = ps.around(one.Places[0].ID)
	}
	return one
}

func (c *shownCase) comply(a evidence.Audit, ps *passages, anchors map[string]string) {
	c.Grounding, c.Missing, c.Conflicts, c.Findings = a.Grounding, a.Missing, a.Conflicts, a.Findings
	spans := map[string]evidence.Requirement{}
	for _, r := range a.Extracted {
		spans[r.ID] = r
	}
	shown := func(v evidence.VerifiedRequirement) shownRequirement {
		r := spans[v.ID]
		one := shownRequirement{ID: c.Anchor + "-" + v.ID, Name: v.ID, Text: v.Quote, Document: v.Document, Heading: v.Heading, Reason: string(v.Reason), Rationale: v.Rationale}
		one.Places = ps.quote(r.Source, r.Start, r.End, r.Quote, link{v.ID, one.ID})
		return one
	}
	for _, v := range a.Verified {
		c.Requirements = append(c.Requirements, shown(v))
		anchors["["+v.ID+"]"] = c.Anchor + "-" + v.ID
	}
	for _, v := range a.Rejected {
		c.Rejected = append(c.Rejected, shown(v))
	}
	for i, s := range a.Statements {
		one := shownClaim{ID: fmt.Sprintf("%s-statement-%d", c.Anchor, i+1), Text: s.Text}
		for _, id := range s.IDs {
			r, to := spans[id], link{id, c.Anchor + "-" + id}
			quote := quoted(ps, state.Quote{Source: r.Source, Start: r.Start, End: r.End, Text: r.Quote}, to)
			quote.Places = append([]link{to}, quote.Places...)
			one.Evidence = append(one.Evidence, quote)
		}
		c.Statements = append(c.Statements, one)
	}
}

func (c *shownCase) edges(edges []causal.Edge, ps *passages) {
	for i, e := range edges {
		one := shownEdge{Edge: e, ID: fmt.Sprintf("%s-edge-%d", c.Anchor, i+1)}
		for _, q := range e.Evidence.Quotes {
			one.Quotes = append(one.Quotes, quoted(ps, q, link{e.ID, one.ID}))
		}
		c.Edges = append(c.Edges, one)
	}
}

func (c *shownCase) extract(a extract.Answer, ps *passages) {
	c.Issues = a.Report.Issues
	if c.Document != "" {
		ps.add(&passage{Head: "Document", Where: a.Document, doc: a.Document, text: c.Document}, nil)
	}
	for i, f := range a.Fields {
		one := shownField{FieldValue: f, ID: fmt.Sprintf("%s-field-%d", c.Anchor, i+1), Where: "not in the document"}
		if p := f.Place; p != nil {
			one.Where = fmt.Sprintf("bytes %d–%d", p.Start, p.End)
			if p.Page > 0 {
				one.Where = fmt.Sprintf("page %d, %s", p.Page, one.Where)
			}
			one.Places = ps.quote(a.Document, p.Start, p.End, p.Text, link{f.Field, one.ID})
		}
		c.Fields = append(c.Fields, one)
	}
}

// A group is the cases of one pipeline.
type group struct {
	Pipeline string
	Passed   int
	Cases    []*shownCase
}

// groupsOf groups cases by pipeline, by name.
func groupsOf(cases []*shownCase) []*group {
	var out []*group
	for _, c := range cases {
		at := slices.IndexFunc(out, func(g *group) bool { return g.Pipeline == c.Pipeline })
		if at < 0 {
			at = len(out)
			out = append(out, &group{Pipeline: c.Pipeline})
		}
		out[at].Cases = append(out[at].Cases, c)
		if c.Pass {
			out[at].Passed++
		}
	}
	slices.SortFunc(out, func(a, b *group) int {
		if a.Pipeline < b.Pipeline {
			return -1
		}
		return 1
	})
	return out
}
