package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"

	"example.com/assay/decide/obligation"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/train/linear"
)

// obligationSentences are the sentences that the model of obligations is trained
// on. They were written for the project.
//
//go:embed data/obligations.txt
var obligationSentences []byte

// obligationRidge is the penalty of its weights.
const obligationRidge = .3

// obligationFolds is the number of folds of its cross-validation.
const obligationFolds = 5

// A ruled sentence has a person's label of whether it states a duty.
type ruled struct {
	text string
	duty bool
}

// obligations trains the model of obligations.
func obligations(context.Context, string) (*learned, error) {
	sentences, err := readRuled(obligationSentences)
	if err != nil {
		return nil, fmt.Errorf("reading data/obligations.txt: %w", err)
	}
	w, score, err := fitObligations(sentences)
	if err != nil {
		return nil, fmt.Errorf("training obligations: %w", err)
	}
	hash := sha256.Sum256(obligationSentences)
	page := fmt.Sprintf(`# Weights of obligations

Made by `+"`go run ./eval/train obligations`"+` from eval/train/data/obligations.txt,
%d sentences that were written for the project (SHA-256 %s).
Logistic regression over the cues of cues.go, ridge %v. Cross-validated in %d
folds: F1 %.3f, precision %.3f, recall %.3f. Nothing in it is random.
`, len(sentences), hex.EncodeToString(hash[:]), obligationRidge, obligationFolds, score.F1(), score.Precision(), score.Recall())
	weights, err := encoded(w, " ")
	return weighed(weights, []byte(page)), err
}

// readRuled reads lines of "+ sentence" and "- sentence".
func readRuled(data []byte) ([]ruled, error) {
	var out []ruled
	for i, line := range strings.Split(string(data), "\n") {
		sign, sentence, _ := strings.Cut(line, " ")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case (sign == "+" || sign == "-") && strings.TrimSpace(sentence) != "":
			out = append(out, ruled{sentence, sign == "+"})
		default:
			return nil, fmt.Errorf("line %d is %q: it must begin with + or - and a space", i+1, line)
		}
	}
	return out, nil
}

// fitObligations trains on all sentences, and evaluates by cross-validation.
func fitObligations(sentences []ruled) (obligation.Weights, metrics.Confusion, error) {
	var score metrics.Confusion
	groups := make([]string, len(sentences))
	for i, s := range sentences {
		groups[i] = s.text
	}
	folds := linear.Folds(groups, obligationFolds)
	for fold := range obligationFolds {
		var train, test []ruled
		for i, s := range sentences {
			if folds[i] == fold {
				test = append(test, s)
			} else {
				train = append(train, s)
			}
		}
		w, err := obligationWeights(train)
		if err != nil {
			return w, score, err
		}
		m, err := obligation.New(w)
		if err != nil {
			return w, score, err
		}
		for _, s := range test {
			score.Count(s.duty, m.Read(s.text).Obligation)
		}
	}
	w, err := obligationWeights(sentences)
	return w, score, err
}

func obligationWeights(sentences []ruled) (obligation.Weights, error) {
	rows, duty := make([][]float64, len(sentences)), make([]bool, len(sentences))
	for i, s := range sentences {
		rows[i], duty[i] = obligation.Features(s.text), s.duty
	}
	m, err := linear.FitLogistic(rows, duty, nil, obligationRidge)
	if err != nil {
		return obligation.Weights{}, err
	}
	w := obligation.Weights{Bias: round(m.Bias)}
	for i, name := range obligation.FeatureNames() {
		w.Features = append(w.Features, obligation.Feature{Name: name, Weight: round(m.Weights[i])})
	}
	return w, nil
}
