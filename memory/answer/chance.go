package answer

import "math"

// Least is the chance from which the best quote is an answer. Below it the question is
// refused: of the questions that were fitted on and left out in turn, this refuses fewer
// right answers than wrong ones.
const Least = 0.29

// The curve that turns what is known of the best quote into the share of such quotes that
// answered. It was fitted on 227 questions over manuals and ordinary papers, each kind of
// corpus left out in turn: docs/measurements.md. The weights of a value of the wrong kind and
// of a name that is not there are larger than fitted: few of the questions had any.
const (
	offset        = -2.76
	perTop        = 0.091
	perLead       = 0.46
	perAbsent     = -1.84
	perConfidence = 1.10
	perValue      = 0.80
	perUnnamed    = -1.20
)

// The same where an encoder took part: its likeness is a part of the score, so that other weights hold.
// Fitted on 317 questions over ordinary papers: docs/measurements.md.
const (
	meantOffset     = -3.71
	meantTop        = 0.03
	meantLead       = 0.59
	meantAbsent     = -0.71
	meantConfidence = 0.08
	meantValue      = 0.72
	meantUnnamed    = -1.46
	perMeaning      = 1.33
)

// What that sum and the odds of whoever has read the question and the best together make of it. Chosen on
// the papers of desk/dev and on questions about manuals: docs/measurements.md.
const (
	readOffset = -1.05
	perSum     = 0.95
	perRead    = 0.30
)

// About is how near in meaning a stretch must be to a question to be about it: what the encoder's
// tuning learnt as the border of "none of them answers" (train/tune.py).
const About = 0.386

// valueless is what is left of the chance of a quote without any value of the kind that is
// asked for, where such values are told by how they are written.
const valueless = 0.3

// undefined is what is left of the chance of a quote that uses a word and does not say what it
// is, where just that is asked.
const undefined = 0.3

// usualConfidence is the least confidence that is believed of a search in another language than
// English, which confidence is calibrated for.
const usualConfidence = 0.6

// chance is how often a best quote like this one answered.
func (r *Ranking) chance(confidence float64) float64 {
	sum := offset + perTop*r.Top + perLead*r.Lead + perAbsent*r.Absent + perConfidence*confidence + perValue*r.Value + perUnnamed*r.Unnamed
	if r.Meaning != 0 {
		sum = meantOffset + meantTop*r.Top + meantLead*r.Lead + meantAbsent*r.Absent + meantConfidence*confidence + meantValue*r.Value + meantUnnamed*r.Unnamed + perMeaning*r.Meaning
	}
	if r.Read != nil {
		sum = readOffset + perSum*sum + perRead**r.Read
	}
	p := 1 / (1 + math.Exp(-sum))
	if r.Valueless {
		p *= valueless
	}
	if r.Undefined {
		p *= undefined
	}
	return p
}

// When further quotes are shown: where the best is not sure enough, those that come near it,
// nearer where they are from another document.
const (
	sure      = 0.75
	near      = 2.5
	nearMeant = 3.3 // where an encoder took part, whose likeness is a part of the score
	elsewhere = 1.0
)

// shows reports whether a quote adds an answer to the best one.
func (r *Ranking) shows(q Quote, sources []Source) bool {
	if len(r.Quotes) == 0 {
		return true
	}
	best := r.Quotes[0]
	gap := near
	if r.Meaning != 0 {
		gap = nearMeant
	}
	if sources[q.Source].Doc != sources[best.Source].Doc {
		gap -= elsewhere
	}
	return r.Chance < sure && q.Score >= best.Score-gap
}
