// Package pattern has regular expressions that are compiled on first use, so that a program with
// hundreds of them starts fast. The syntax is that of package regexp. It is not for expressions
// from users: a wrong one panics on first use.
package pattern

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// A Pattern is a regular expression of package regexp, whose methods of the same names it has.
// Several goroutines may use it.
type Pattern struct {
	source  string
	compile sync.Once
	re      *regexp.Regexp
}

// Tests compile at once, so that a wrong expression fails the tests of its package.
var inTests = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns the pattern of an expression. The first use panics if the expression is wrong.
func New(expression string) *Pattern {
	p := &Pattern{source: expression}
	if inTests {
		p.Regexp()
	}
	return p
}

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.compile.Do(func() { p.re = regexp.MustCompile(p.source) })
	return p.re
}

func (p *Pattern) String() string { return p.source }

// MatchString is regexp.Regexp.MatchString.
func (p *Pattern) MatchString(s string) bool { return p.Regexp().MatchString(s) }

// FindString is regexp.Regexp.FindString.
func (p *Pattern) FindString(s string) string { return p.Regexp().FindString(s) }

// FindStringIndex is regexp.Regexp.FindStringIndex.
func (p *Pattern) FindStringIndex(s string) []int { return p.Regexp().FindStringIndex(s) }

// FindStringSubmatch is regexp.Regexp.FindStringSubmatch.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.Regexp().FindStringSubmatch(s) }

// FindStringSubmatchIndex is regexp.Regexp.FindStringSubmatchIndex.
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.Regexp().FindStringSubmatchIndex(s)
}

// FindAllString is regexp.Regexp.FindAllString.
func (p *Pattern) FindAllString(s string, n int) []string { return p.Regexp().FindAllString(s, n) }

// FindAllStringIndex is regexp.Regexp.FindAllStringIndex.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is regexp.Regexp.FindAllStringSubmatch.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Regexp().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is regexp.Regexp.FindAllStringSubmatchIndex.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is regexp.Regexp.ReplaceAllString.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.Regexp().ReplaceAllString(s, by) }

// ReplaceAllStringFunc is regexp.Regexp.ReplaceAllStringFunc.
func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.Regexp().ReplaceAllStringFunc(s, by)
}

// Split is regexp.Regexp.Split.
func (p *Pattern) Split(s string, n int) []string { return p.Regexp().Split(s, n) }
