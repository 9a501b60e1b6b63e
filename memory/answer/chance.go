package answer

import "math"

// Least is the chance at which the best quote counts as an answer. A question whose best quote has
// a lower chance is refused: with the fitting questions left out in turn, this refuses fewer right
// answers than wrong ones.
const Least = 0.29

// The coefficients of the curve that turns the features of the best quote into the share of such
// quotes that answered. They were fitted on 227 questions over manuals and ordinary papers, with
// each kind of corpus left out in turn: docs/measurements.md. The weights of a value of the wrong
// kind and of a missing name are larger than fitted, because few of the questions had either.
const (
	offset        = -2.76
	perTop        = 0.091
	perLead       = 0.46
	perAbsent     = -1.84
	perConfidence = 1.10
	perValue      = 0.80
	perUnnamed    = -1.20
)

// The same coefficients where an encoder took part: its similarity is part of the score, so other
// weights apply. Fitted on 317 questions over ordinary papers: docs/measurements.md.
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

// The coefficients that combine that sum with the log-odds of a model that read the question and
// the best quote together. Chosen on the papers of desk/dev and on questions about manuals:
// docs/measurements.md.
const (
	readOffset = -1.05
	perSum     = 0.95
	perRead    = 0.30
)

// About is the similarity from which a passage is about a question: the threshold that the
// encoder's tuning learnt for "none of them answers" (train/tune.py).
const About = 0.386

// valueless is the factor on the chance of a quote without a value of the kind asked for, for kinds
// that are recognised by how they are written.
const valueless = 0.3

// undefined is the factor on the chance of a quote that uses a word without defining it, for a
// question that asks for the definition.
const undefined = 0.3

// usualConfidence is the lowest search confidence assumed for questions in other languages than
// English, for which confidence is calibrated.
const usualConfidence = 0.6

// chance returns the share of best quotes like this one that answered.
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
