package config

import (
	"math"
	"slices"
	"strconv"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// A parser turns the texts of settings into values and keeps the first error.
type parser struct{ err error }

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// text refuses an empty value.
func (p *parser) text(from origin, v, what string) string {
	if v == "" {
		p.fail(cli.Usagef("%s is empty: name %s", from, what))
	}
	return v
}

// CheckCorpus refuses what cannot be the name of a corpus.
func CheckCorpus(where, name string) error {
	var p parser
	p.corpus(origin{name: where}, name)
	return p.err
}

// CheckModelName refuses what cannot be the name of a model.
func CheckModelName(a *cli.App, where, name string) error {
	var p parser
	p.model(a, origin{name: where}, name)
	return p.err
}

// corpus checks the name here, so that an invalid name is not reported as a missing
// corpus.
func (p *parser) corpus(from origin, v string) string {
	if memory.CheckName(v) != nil {
		p.fail(cli.Usagef("%s is %q: %s", from, v, memory.NameRule))
	}
	return v
}

func (p *parser) model(a *cli.App, from origin, v string) string {
	if err := checkModel(a, v); err != nil {
		p.fail(cli.Usagef("%s is %q: %w", from, v, err))
	}
	return v
}

func (p *parser) threshold(from origin, v string) float64 {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x > 0 && x <= 1) { // also NaN
		p.fail(cli.Usagef("%s is %q: it must be a number above 0 and up to 1, such as 0.7", from, v))
	}
	return x
}

func (p *parser) within(from origin, v string, least, most float64) float64 {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x >= least && x <= most) {
		p.fail(cli.Usagef("%s is %q: it must be a number from %.3g to %g", from, v, least, most))
	}
	return x
}

func (p *parser) boolean(from origin, v string) bool {
	b, err := strconv.ParseBool(v)
	if err != nil {
		p.fail(cli.Usagef("%s is %q: it must be 1 or 0, true or false", from, v))
	}
	return b
}

func (p *parser) oneOf(from origin, v string, known ...string) string {
	if !slices.Contains(known, v) {
		p.fail(cli.Usagef("%s is %q: it must be one of %s", from, v, Joined(known)))
	}
	return v
}

func (p *parser) count(from origin, v string, least int) int {
	n, err := strconv.Atoi(v)
	if err != nil || n < least {
		p.fail(cli.Usagef("%s is %q: it must be a whole number of at least %d", from, v, least))
	}
	return n
}

// amount reads an amount of money, which state.Money must be able to hold.
func (p *parser) amount(from origin, v string, free bool) float64 {
	x, err := strconv.ParseFloat(v, 64)
	if money := state.MoneyOf(x); err != nil || math.IsNaN(x) || money < 0 || money == math.MaxInt64 || money == 0 && (x != 0 || !free) {
		what := "above 0"
		if free {
			what = "of 0 or more"
		}
		p.fail(cli.Usagef("%s is %q: it must be a number %s, such as 0.5, without a currency", from, v, what))
	}
	return x
}

// plainName checks a name that becomes part of an address.
var plainName = pattern.New(`^[A-Za-z0-9][A-Za-z0-9.:-]*$`)

func (p *parser) name(from origin, v string) string {
	if !plainName.MatchString(v) {
		p.fail(cli.Usagef("%s is %q: it must be a name of letters, digits and . : -", from, v))
	}
	return v
}

// duration reads a time such as 500ms, or a number of seconds.
func (p *parser) duration(from origin, v string, least time.Duration) time.Duration {
	d, err := time.ParseDuration(v)
	if seconds, numberErr := strconv.ParseFloat(v, 64); numberErr == nil && seconds < 1e9 && seconds > -1e9 {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || d < least {
		what := "positive"
		if least == 0 {
			what = "0 or more"
		}
		p.fail(cli.Usagef("%s is %q: it must be a time such as 2s or 500ms, and %s", from, v, what))
	}
	return d
}
