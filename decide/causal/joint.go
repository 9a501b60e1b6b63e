package causal

import "math"

// A joint is a token that joins a cause to its effect: a word that signals the relation, or the
// first words between the two.

// jointReach is how many tokens on either side describe a possible joint.
const jointReach = 5

// JointFeatures are the features of a token: its word, the words around it, and the cue classes of
// it and its neighbours.
func JointFeatures(s *Sentence, i int, dimensions uint32) Vector {
	var c collector
	at := func(j int) (word, stem string) {
		if j < 0 || j >= len(s.Tokens) {
			return "#", "#"
		}
		return s.Tokens[j].Low, s.Tokens[j].Stem
	}
	word, stem := at(i)
	before, _ := at(i - 1)
	after, afterStem := at(i + 1)
	second, _ := at(i - 2)
	next, _ := at(i + 2)
	c.add(1, "w", word)
	c.add(1, "s", stem)
	c.add(.5, "-1", before)
	c.add(.5, "+1", after)
	c.add(.3, "-2", second)
	c.add(.3, "+2", next)
	c.add(.7, "b", stem, after)
	c.add(.7, "a", before, stem)
	if len(word) > 3 {
		c.add(.5, "x", word[len(word)-3:])
	}
	for _, f := range s.cues {
		name := classNames[f.class]
		if f.from <= i && i < f.to {
			c.add(.7, "C", name)
			c.add(.5, "C>", name, afterStem)
		}
		if f.from <= i+1 && i+1 < f.to {
			c.add(.5, "C+", name)
		}
		if f.from <= i-1 && i-1 < f.to {
			c.add(.5, "C-", name)
		}
	}
	for d := 1; d <= jointReach; d++ {
		_, left := at(i - d)
		_, right := at(i + d)
		c.add(.3, "L", left)
		c.add(.3, "R", right)
	}
	return c.row(dimensions, 1)
}

// surest bounds the joint probability of a sentence's joints.
const surest = .999

// NewsP is the probability that a news sentence states a cause. It combines the probability of the
// whole sentence with the probability that any of its tokens is a joint.
func NewsP(whole float64, joints []float64) float64 {
	none := 1.0
	for _, p := range joints {
		none *= 1 - p
	}
	return 1 / (1 + math.Exp(-(logit(whole)+logit(1-none))/2))
}

func logit(p float64) float64 {
	p = min(max(p, 1-surest), surest)
	return math.Log(p / (1 - p))
}
