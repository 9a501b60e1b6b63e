package extract

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Thresholds are the conditions for an extraction to pass. The zero value works.
type Thresholds struct {
	// Confidence is the minimum mean confidence of the values. Default 0.5.
	Confidence float64
	// Doubt is the confidence below which a value is an issue: LOW, or MEDIUM below half of it; one
	// level higher for a required field. Default 0.6.
	Doubt float64
}

func (t Thresholds) filled() Thresholds {
	t.Confidence, t.Doubt = cmp.Or(t.Confidence, 0.5), cmp.Or(t.Doubt, 0.6)
	return t
}

// Verify checks values by rules, without a model. Others are issues from elsewhere: conflicts
// between windows, opinions. The report passes without CRITICAL and HIGH issues, with all required
// fields, and with the minimum confidence.
func (s *Schema) Verify(found []FieldValue, others []Issue, t Thresholds) Report {
	t = t.filled()
	r := &ruler{schema: s, values: found, limits: t, has: map[string]bool{}, holds: map[string]bool{}}
	for _, v := range found {
		name, _ := pattern(v.Field)
		r.has[name] = true
		if v.Place != nil {
			r.holds[name] = true
		}
	}
	r.coverage()
	r.conform()
	r.grounded()
	r.plausible()
	r.arithmetic()
	r.duplicates()
	r.issues = append(r.issues, others...)
	for _, o := range others {
		if o.Kind == IssueConflict {
			r.broken++
			r.checked++
		}
	}
	report := Report{
		Confidence: confidence(found), RequiredCoverage: r.share(true), Completeness: r.share(false), Consistency: 1, Issues: sorted(r.issues),
	}
	if r.checked > 0 {
		report.Consistency = 1 - float64(min(r.broken, r.checked))/float64(r.checked)
	}
	severe := slices.ContainsFunc(report.Issues, func(i Issue) bool { return i.Severity.Rank() <= SeverityHigh.Rank() })
	report.Passed = !severe && report.RequiredCoverage == 1 && report.Confidence >= t.Confidence
	report.Score = Score(report)
	return report
}

// Score is 0.3·confidence + 0.4·required coverage + 0.2·completeness + 0.1·consistency, less 0.2
// for each CRITICAL issue, and 0.1 more when the verification passed. A negative score is worse
// than no extraction.
func Score(r Report) float64 {
	score := 0.3*r.Confidence + 0.4*r.RequiredCoverage + 0.2*r.Completeness + 0.1*r.Consistency
	for _, i := range r.Issues {
		if i.Severity == SeverityCritical {
			score -= 0.2
		}
	}
	if r.Passed {
		score += 0.1
	}
	return score
}

// sorted sorts issues by severity; equal ones keep their order.
func sorted(issues []Issue) []Issue {
	out := append([]Issue{}, issues...)
	slices.SortStableFunc(out, func(a, b Issue) int { return cmp.Compare(a.Severity.Rank(), b.Severity.Rank()) })
	return out
}

func confidence(found []FieldValue) float64 {
	if len(found) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range found {
		sum += v.Confidence
	}
	return sum / float64(len(found))
}

// A ruler collects the issues of one extraction.
type ruler struct {
	schema          *Schema
	values          []FieldValue
	limits          Thresholds
	has             map[string]bool // fields with a value
	holds           map[string]bool // fields with a value that the document contains
	issues          []Issue
	checked, broken int // checks across fields
}

func (r *ruler) add(kind IssueKind, severity Severity, field, message, suggestion string) {
	r.issues = append(r.issues, Issue{Kind: kind, Severity: severity, Field: field, Message: message, Suggestion: suggestion})
}

// share returns the share of the fields, or of the required ones, whose value the document
// contains.
func (r *ruler) share(required bool) float64 {
	have, all := 0, 0
	for _, f := range r.schema.Fields {
		if required && !f.Required {
			continue
		}
		all++
		if r.holds[f.Path] {
			have++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(have) / float64(all)
}

func (r *ruler) coverage() {
	for _, f := range r.schema.Fields {
		hint := "look for it again"
		if len(f.Anchors) > 0 {
			hint = "look near: " + strings.Join(f.Anchors, ", ")
		}
		switch {
		case r.has[f.Path]:
		case f.Required:
			r.add(IssueMissing, SeverityCritical, f.Path, "it is required and has no value", hint)
		default:
			r.add(IssueAbsent, SeverityLow, f.Path, "it has no value", hint+", or leave it out when the document does not state it")
		}
	}
}

// conform checks the result against the schema itself.
func (r *ruler) conform() {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.schema.write(r.values)))
	if err != nil {
		r.add(IssueType, SeverityHigh, "", "the result is not JSON: "+err.Error(), "give each value in the form of its type")
		return
	}
	if bad, ok := r.schema.valid.Validate(v).(*jsonschema.ValidationError); ok {
		r.leaves(bad)
	}
}

// leaves turns the innermost causes of a validation error into issues.
func (r *ruler) leaves(e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			r.leaves(c)
		}
		return
	}
	path, what := fieldPath(e.InstanceLocation), e.ErrorKind.LocalizedString(english)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			full := strings.TrimPrefix(path+"."+name, ".")
			told := slices.ContainsFunc(r.issues, func(i Issue) bool {
				return i.Kind == IssueMissing && (i.Field == full || strings.HasPrefix(i.Field, full+".") || strings.HasPrefix(i.Field, full+"["))
			})
			if !told {
				r.add(IssueMissing, SeverityHigh, full, "it is required there and has no value", "look for it beside the other fields of the same part")
			}
		}
	case *kind.Type:
		r.add(IssueType, SeverityHigh, path, what, "give a value of the field's type")
	case *kind.Format:
		r.add(IssueFormat, SeverityHigh, path, what, "write it in the form "+k.Want)
	case *kind.Enum, *kind.Const:
		r.add(IssueEnum, SeverityHigh, path, what, "choose one of the values that are allowed")
	case *kind.Pattern:
		r.add(IssuePattern, SeverityMedium, path, what, "check for characters that were misread or left out")
	default:
		r.add(IssueConstraint, SeverityMedium, path, what, "check the value against the document")
	}
}

// fieldPath converts the tokens of a JSON pointer to a field's path.
func fieldPath(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		if _, err := strconv.Atoi(t); err == nil && b.Len() > 0 {
			b.WriteString("[" + t + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(t)
	}
	return b.String()
}

func (r *ruler) grounded() {
	for _, v := range r.values {
		switch {
		case v.Place == nil:
			r.add(IssueNotInDocument, SeverityCritical, v.Field, fmt.Sprintf("the document does not hold “%s”", v.Value), "copy the value from the document, or leave it out")
		case v.Confidence < r.limits.Doubt:
			severity, what := SeverityLow, "is not sure"
			if v.Confidence < r.limits.Doubt/2 {
				severity, what = SeverityMedium, "is a guess"
			}
			if f, _, ok := r.schema.field(v.Field); ok && f.Required { // one level higher
				severity = map[Severity]Severity{SeverityLow: SeverityMedium, SeverityMedium: SeverityHigh}[severity]
			}
			r.add(IssueConfidence, severity, v.Field, fmt.Sprintf("“%s” %s (%.2f)", v.Value, what, v.Confidence), "compare it with the document, or look for another value")
		}
	}
}

// plausible checks whether a value is usual for its kind.
func (r *ruler) plausible() {
	doubt := func(v FieldValue, why, hint string) {
		r.add(IssueImplausible, SeverityMedium, v.Field, fmt.Sprintf("“%s” %s", v.Value, why), hint)
	}
	for _, v := range r.values {
		f, _, ok := r.schema.field(v.Field)
		if !ok {
			continue
		}
		number, err := strconv.ParseFloat(v.Value, 64)
		isNumber := err == nil
		switch {
		case f.Format == "date" && (v.Value < "1900" || v.Value >= "2101"):
			doubt(v, "is before 1900 or after 2100", "check the year")
		case f.Format == "percent" && isNumber && (number < 0 || number > 100):
			doubt(v, "is no share of a hundred", "check the decimal point")
		case f.Format == "currency" && isNumber && number < 0:
			doubt(v, "is negative", "check the sign")
		case (f.Format == "currency" || f.Numeric()) && isNumber && number > 1e12:
			doubt(v, "is more than a trillion", "check the decimal point")
		case (f.Format == "company" || f.Format == "party") && !strings.ContainsFunc(v.Value, unicode.IsLetter):
			doubt(v, "has no letter", "look for a name")
		case f.Format == "address" && !strings.ContainsFunc(v.Value, unicode.IsDigit):
			doubt(v, "has no number", "look for the street and the postal code")
		}
	}
}

func (r *ruler) arithmetic() {
	all := numbersOf(r.values)
	for _, c := range r.schema.checks {
		for _, element := range c.elements(r.values) {
			holds, left, right, ok := c.holds(all.within(element))
			switch {
			case !ok:
				r.add(IssueUnchecked, SeverityLow, element, fmt.Sprintf("“%s” cannot be checked: a field of it has no value", c.text), "look for "+strings.Join(c.fields, ", "))
				continue
			case !holds:
				r.broken++
				field := strings.TrimPrefix(element+"."+c.fields[0], ".")
				r.add(IssueArithmetic, SeverityHigh, field, fmt.Sprintf("“%s” does not hold: %.2f and %.2f", c.text, left, right), "read again "+strings.Join(c.fields, ", "))
			}
			r.checked++
		}
	}
}

// duplicates finds fields that were read from the same bytes, and list elements that are equal.
func (r *ruler) duplicates() {
	type span struct{ start, end int }
	seen := map[span]string{}
	for _, v := range r.values {
		if v.Place == nil {
			continue
		}
		at := span{v.Place.Start, v.Place.End}
		r.checked++
		if other, ok := seen[at]; ok {
			r.broken++
			r.add(IssueDuplicate, SeverityMedium, v.Field, fmt.Sprintf("it was read from the same place as %s", other), "look for the place of each")
			continue
		}
		seen[at] = v.Field
	}
	elements := map[string][]string{}
	var order []string
	for _, v := range r.values {
		if at := strings.Index(v.Field, "]"); at >= 0 {
			key := v.Field[:at+1]
			if elements[key] == nil {
				order = append(order, key)
			}
			elements[key] = append(elements[key], v.Field[at+1:]+"="+v.Value)
		}
	}
	first := map[string]string{}
	for _, key := range order {
		list, _, _ := strings.Cut(key, "[")
		id := list + "\x00" + strings.Join(elements[key], "\x00")
		if other, ok := first[id]; ok {
			r.add(IssueDuplicate, SeverityLow, key, "it says the same as "+other, "leave it out unless the document has it twice")
			continue
		}
		first[id] = key
	}
}
