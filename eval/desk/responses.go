package desk

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/memory"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// A Response is verified against the documents. Each of its claims was judged by hand.
type Response struct {
	ID, Question, Response string
	Claims                 []Judged
}

// A Judged is a claim as written in a response, with whether the documents support it.
type Judged struct {
	Claim     string `json:"claim"`
	Supported *bool  `json:"supported"`
	Evidence  string `json:"evidence"` // the deciding text in the documents; empty if there is none
}

// ReadResponses reads DIR/responses.jsonl. Faults name the file and the line.
func ReadResponses(ctx context.Context, dir string, progress task.Progress) ([]Response, error) {
	type record struct {
		ID       jsonl.Ident `json:"id"`
		Question string      `json:"question"`
		Response string      `json:"response"`
		Claims   []Judged    `json:"claims"`
	}
	var out []Response
	seen := map[string]int{}
	err := jsonl.Each(ctx, filepath.Join(dir, "responses.jsonl"), "id", progress.Of(task.Reading), func(at jsonl.Place, r record) error {
		got := Response{orLine(r.ID, at), r.Question, r.Response, r.Claims}
		out = append(out, got)
		if err := errors.Join(at.Unique(seen, got.ID), at.Want("response", strings.TrimSpace(r.Response) != ""), at.Want("claims", len(r.Claims) > 0)); err != nil {
			return err
		}
		from := 0
		for _, c := range r.Claims {
			if c.Supported == nil || c.Claim == "" {
				return at.Fault("claims", "one has no claim or does not say whether it is supported", "give both")
			}
			i := strings.Index(r.Response[from:], c.Claim)
			if i < 0 {
				return at.Fault("claims", fmt.Sprintf("%q does not stand in the response behind the claim before it", c.Claim), "copy it as it stands, in the order of the response")
			}
			from += i + len(c.Claim)
		}
		return nil
	})
	return out, err
}

// A Checked is the verification of a response.
type Checked struct {
	ID         string       `json:"id"`
	Status     state.Status `json:"status"`
	Right      bool         `json:"right"` // all of its claims are supported by the documents
	Confidence float64      `json:"confidence"`
	True       int          `json:"true"`   // claims that the documents support
	Kept       int          `json:"kept"`   // of those, with the verdict that they do
	False      int          `json:"false"`  // other claims
	Passed     int          `json:"passed"` // of those, with the verdict that the documents support them
	Tried      bool         `json:"tried"`  // a correction was written
	Better     bool         `json:"better"` // and was suggested, since it is better supported
	Mended     bool         `json:"mended"` // and is right: see mended
	Correction string       `json:"correction,omitempty"`
}

var checkFigures = []task.Figure[Checked]{
	{Name: "true_kept", Of: func(c Checked) (task.Fraction, bool) { return task.Ratio(c.Kept, c.True, c.True), c.True > 0 }},
	{Name: "false_pass", Of: func(c Checked) (task.Fraction, bool) { return task.Ratio(c.Passed, c.False, c.False), c.False > 0 }},
	{Name: "right_side", Of: func(c Checked) (task.Fraction, bool) {
		return task.Yes((c.Confidence >= verify.DefaultThreshold) == c.Right), true
	}},
	{Name: "tried_on_right", Of: func(c Checked) (task.Fraction, bool) { return task.Yes(c.Tried), c.Right }},
	{Name: "tried_on_wrong", Of: func(c Checked) (task.Fraction, bool) { return task.Yes(c.Tried), !c.Right }},
	{Name: "better", Of: func(c Checked) (task.Fraction, bool) { return task.Yes(c.Better), c.Tried }},
	{Name: "better_and_right", Of: func(c Checked) (task.Fraction, bool) { return task.Yes(c.Better && c.Mended), c.Tried }},
}

// Verified holds the results of a folder of responses.
type Verified struct {
	task.Score
	N       map[string]int // items of each metric: claims, responses or corrections
	Items   []Checked
	Skipped []memory.Skip // documents that could not be read
}

// EvaluateResponses ingests documents into a temporary folder and verifies each response against them.
// The first error ends it.
func EvaluateResponses(ctx context.Context, documents string, list []Response, opts Options, progress task.Progress) (_ *Verified, err error) {
	d, err := open(ctx, documents, opts.Words, progress)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	out := &Verified{Skipped: d.skipped}
	do := func(ctx context.Context, i int) (Checked, error) { return d.check(ctx, list[i]) }
	if out.Items, out.Score, err = task.Timed(ctx, progress, "measuring", len(list), opts.Jobs, do); err != nil {
		return nil, err
	}
	out.N, err = task.Figures(&out.Score, out.Items, checkFigures)
	return out, err
}

func (d *bench) check(ctx context.Context, r Response) (Checked, error) {
	final, err := d.checks.Run(ctx, verify.Input{Query: r.Question, Response: r.Response}, nil)
	if err != nil {
		return Checked{}, fmt.Errorf("verifying response %q: %w", r.ID, err)
	}
	answer := verify.Result(final, nil, d.corpus)
	if err := failed(answer.Status, answer.Error); err != nil {
		return Checked{}, fmt.Errorf("verifying response %q: %w", r.ID, err)
	}
	given, _ := final.Given()
	c := Checked{ID: r.ID, Status: answer.Status, Right: true, Confidence: given.Confidence, Tried: answer.Attempts > 0}
	from := 0
	for _, claim := range r.Claims {
		start := from + strings.Index(r.Response[from:], claim.Claim)
		from = start + len(claim.Claim)
		kept := supportedIn(given.Verdicts, start, from)
		if *claim.Supported {
			c.True, c.Kept = c.True+1, c.Kept+one(kept)
		} else {
			c.False, c.Passed, c.Right = c.False+1, c.Passed+one(kept), false
		}
	}
	if best, _ := final.Best(); best.N > 0 && answer.Correction != nil {
		c.Better, c.Correction = best.Confidence > given.Confidence, best.Response
		c.Mended = mended(best.Response, r.Claims)
	}
	return c, nil
}

// supportedIn reports whether a part of a response has verdicts, all of them supported.
func supportedIn(verdicts []state.Verdict, start, end int) bool {
	n := 0
	for _, v := range verdicts {
		if v.Start < end && start < v.End {
			if n++; v.Status != state.Supported || v.Error != "" {
				return false
			}
		}
	}
	return n > 0
}

// mended reports whether a correction is right: it contains no false claim, and for each claim that
// the documents decide, the deciding text, or the claim if it is true.
func mended(text string, claims []Judged) bool {
	for _, c := range claims {
		stands := strings.Contains(text, c.Claim)
		if !*c.Supported && stands {
			return false
		}
		if c.Evidence != "" && !(*c.Supported && stands) && !metrics.Holds(text, []string{c.Evidence}) {
			return false
		}
	}
	return true
}
