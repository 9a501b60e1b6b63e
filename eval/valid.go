package eval

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/state"
)

// Names of the pipelines, as a case gives them.
const (
	Research = "research"
	Comply   = "comply"
	Edges    = "edges"
	Extract  = "extract"
	Verify   = "verify"
)

// pipelines are the five pipelines in the order of the documentation.
var pipelines = []string{Research, Comply, Edges, Extract, Verify}

// own represents, in uses, every graph that Register adds.
const own = "*"

// A use says which pipelines need a key and which may have it.
type use struct{ needs, may string }

// uses are the keys that not every pipeline has. A registered graph may have those that do
// not depend on how a pipeline works.
var uses = map[string]use{
	"corpus":               {needs: Research + " " + Comply + " " + Edges, may: Verify + " " + own},
	"question":             {needs: Research + " " + Comply, may: Verify + " " + own},
	"input":                {may: own},
	"filter":               {may: Comply},
	"response":             {needs: Verify},
	"context":              {may: Verify},
	"edges":                {needs: Edges},
	"document":             {needs: Extract},
	"schema":               {needs: Extract},
	"skip_injection_check": {may: Research},

	"settings.confidence_threshold":           {may: Research},
	"settings.verification":                   {may: Research},
	"settings.verification_threshold":         {may: Research + " " + Verify},
	"settings.max_crag_attempts":              {may: Research + " " + Verify},
	"settings.unsupported":                    {may: Research + " " + Verify},
	"settings.max_revisions":                  {may: Comply},
	"settings.model_review":                   {may: Comply},
	"settings.max_judge_iterations":           {may: Edges},
	"settings.grounding_confidence_threshold": {may: Edges},
	"settings.enable_adversarial_pass":        {may: Edges},
	"settings.top_k":                          {may: Edges},
	"settings.max_iterations":                 {may: Extract},
	"settings.llm_verification":               {may: Extract},

	"gold.choice": {may: Research}, "want.choice": {may: Research}, "want.steps": {may: Research}, "want.failed": {may: Research},
	"gold.answer": {may: Research + " " + Comply + " " + own}, "want.grounding": {may: Comply},
	"gold.claims": {may: Research + " " + Verify + " " + own}, "want.no_unsupported_claim": {may: Research + " " + Verify + " " + own},
	"gold.passages": {may: Research + " " + Comply + " " + Edges + " " + Verify + " " + own}, "want.cites": {may: Research + " " + Comply + " " + Edges + " " + Verify + " " + own},
	"gold.fields": {may: Extract}, "gold.edges": {may: Edges},
}

// check returns an error for keys that the pipeline does not use, missing required keys, and values
// out of range.
func (c Case) check() error {
	as, named := c.Pipeline, c.Pipeline
	switch {
	case as == "":
		return fmt.Errorf("%s: pipeline is empty; it is %s, or the name of a registered graph", c.File, strings.Join(pipelines, ", "))
	case !slices.Contains(pipelines, as):
		as, named = own, fmt.Sprintf("%q, which is none of %s", as, strings.Join(pipelines, ", "))
	}
	given := given("", reflect.ValueOf(c))
	for _, key := range slices.Sorted(maps.Keys(uses)) {
		u := uses[key]
		needs, may := strings.Fields(u.needs), strings.Fields(u.needs+" "+u.may)
		switch {
		case slices.Contains(needs, as) && !given[key]:
			return fmt.Errorf("%s: %s is empty: %s needs it", c.File, key, c.Pipeline)
		case given[key] && !slices.Contains(may, as):
			known := strings.ReplaceAll(strings.Join(may, ", "), own, "registered graphs")
			return fmt.Errorf("%s: %s does nothing in %s; it is for %s", c.File, key, named, known)
		}
	}
	if c.Pipeline == Verify && !given["corpus"] && !given["context"] {
		return fmt.Errorf("%s: there is no evidence: name files as context, or a corpus", c.File)
	}
	for _, err := range []error{c.Want.check(as), c.Settings.check(), c.Gold.check()} {
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
	}
	return nil
}

// given says which keys a mapping gives, such as "corpus" and "gold.answer". in is the parent key
// followed by a dot, or empty.
func given(in string, v reflect.Value) map[string]bool {
	out := map[string]bool{}
	_, fields := keysOf(v)
	for key, f := range fields { // each into its own entry: the order does not matter
		switch f.Kind() {
		case reflect.String:
			out[in+key] = strings.TrimSpace(f.String()) != ""
		case reflect.Slice, reflect.Map:
			out[in+key] = f.Len() > 0
		case reflect.Struct:
			maps.Copy(out, given(in+key+".", f))
			fallthrough
		default:
			out[in+key] = !f.IsZero()
		}
	}
	return out
}

func (w Want) check(pipeline string) error {
	groundings := []evidence.GroundingConfidence{evidence.GroundedHigh, evidence.GroundedMedium, evidence.GroundedLow, evidence.GroundedInsufficient}
	switch {
	case w.Status != "" && !slices.Contains(state.Statuses, w.Status):
		return fmt.Errorf("want.status is %q; known are %q", w.Status, state.Statuses)
	case w.Grounding != "" && !slices.Contains(groundings, w.Grounding):
		return fmt.Errorf("want.grounding is %q; known are %q", w.Grounding, groundings)
	case min(w.Steps, w.Failed, w.Calls, w.MaxCalls) < 0:
		return errors.New("a number under want is below 0")
	case w.MaxCost != nil && !(*w.MaxCost >= 0): // also NaN
		return errors.New("want.max_cost must be 0 or more")
	case w.ExitCode != nil && (*w.ExitCode < 0 || *w.ExitCode > 255):
		return errors.New("want.exit_code must be 0 to 255")
	}
	for _, name := range slices.Sorted(maps.Keys(w.Metrics)) {
		if pipeline != own && !slices.Contains(metricNames, name) { // a registered graph has its own scores
			return fmt.Errorf("want.metrics.%s is not known; known are %s", name, strings.Join(metricNames, ", "))
		}
	}
	return nil
}

func (g Gold) check() error {
	for _, text := range slices.Sorted(maps.Keys(g.Claims)) {
		if s := state.ClaimStatus(g.Claims[text]); s != state.Supported && s != state.PartiallySupported && s != state.Unsupported {
			return fmt.Errorf("gold.claims: %q is %q; known are %s, %s, %s", text, s, state.Supported, state.PartiallySupported, state.Unsupported)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(g.Edges)) {
		if s := causal.EdgeStatus(g.Edges[id]); s != causal.EdgeGrounded && s != causal.EdgeRejected {
			return fmt.Errorf("gold.edges: %s is %q; known are %s and %s", id, s, causal.EdgeGrounded, causal.EdgeRejected)
		}
	}
	return nil
}
