package extract

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A check is a comparison between fields: "total == sum(items.amount) + tax". It supports numbers,
// paths of fields, sum, count, min and max of a list's field, + − * /, parentheses, and == != <= >=
// < >. A path is relative to the object with the annotation, or else to the root.
type check struct {
	text        string
	within      string // path of its object; empty for the root
	left, right expr
	op          string
	fields      []string // paths in the check
}

// An expr is a part of a check: a number, a field, a function of a list, or a binary operation.
type expr struct {
	op          byte // 'n' number, 'f' field, 's' sum, 'c' count, 'm' min, 'M' max, else + - * /
	number      float64
	path        string
	left, right *expr
}

// tolerance is the allowed difference between two sums: amounts are rounded to cents.
const tolerance = 0.005

func parseCheck(text, within string) (check, error) {
	p := &checkParser{rest: text}
	c := check{text: text, within: within}
	var err error
	if c.left, err = p.sum(0); err != nil {
		return c, fmt.Errorf("reading %q: %w", text, err)
	}
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.take(op) {
			c.op = op
			break
		}
	}
	if c.op == "" {
		return c, fmt.Errorf("reading %q: want ==, !=, <=, >=, < or > at %q", text, p.rest)
	}
	if c.right, err = p.sum(0); err != nil {
		return c, fmt.Errorf("reading %q: %w", text, err)
	}
	if p.space(); p.rest != "" {
		return c, fmt.Errorf("reading %q: %q is too much", text, p.rest)
	}
	if c.fields = p.fields; len(c.fields) == 0 {
		return c, fmt.Errorf("reading %q: it names no field", text)
	}
	return c, nil
}

type checkParser struct {
	rest   string
	fields []string
}

func (p *checkParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\n") }

func (p *checkParser) take(token string) bool {
	p.space()
	after, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = after
	}
	return ok
}

func (p *checkParser) sum(depth int) (expr, error) {
	return p.chain("+-", depth, func() (expr, error) { return p.chain("*/", depth, func() (expr, error) { return p.atom(depth) }) })
}

// chain parses operands between operators of one precedence, from the left.
func (p *checkParser) chain(ops string, depth int, operand func() (expr, error)) (expr, error) {
	left, err := operand()
	for err == nil {
		p.space()
		if p.rest == "" || !strings.Contains(ops, p.rest[:1]) {
			return left, nil
		}
		op := p.rest[0]
		p.rest = p.rest[1:]
		var right expr
		if right, err = operand(); err == nil {
			l := left
			left = expr{op: op, left: &l, right: &right}
		}
	}
	return left, err
}

var functions = []struct {
	name string
	op   byte
}{{"sum", 's'}, {"count", 'c'}, {"min", 'm'}, {"max", 'M'}}

func (p *checkParser) atom(depth int) (expr, error) {
	if depth > deepestNesting {
		return expr{}, fmt.Errorf("parentheses are nested deeper than %d", deepestNesting)
	}
	if p.take("(") {
		e, err := p.sum(depth + 1)
		if err == nil && !p.take(")") {
			err = fmt.Errorf("want ) at %q", p.rest)
		}
		return e, err
	}
	word := p.word()
	if word == "" {
		return expr{}, fmt.Errorf("want a number or a field at %q", p.rest)
	}
	if n, err := strconv.ParseFloat(word, 64); err == nil && word[0] <= '9' {
		return expr{op: 'n', number: n}, nil
	}
	for _, f := range functions {
		if word == f.name && p.take("(") {
			path := p.word()
			if path == "" || !p.take(")") {
				return expr{}, fmt.Errorf("want a field in %s( )", f.name)
			}
			p.fields = append(p.fields, path)
			return expr{op: f.op, path: path}, nil
		}
	}
	p.fields = append(p.fields, word)
	return expr{op: 'f', path: word}, nil
}

// word parses a number or the name of a field.
func (p *checkParser) word() string {
	p.space()
	end := strings.IndexFunc(p.rest, func(r rune) bool { return strings.ContainsRune(" \t\n()+-*/=!<>", r) })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

// numbersAt returns the numbers at a path; for a path through a list, those of all elements in
// order.
type numbersAt func(path string) []float64

// holds evaluates a check; ok is false when a field in it has no number.
func (c check) holds(at numbersAt) (holds bool, left, right float64, ok bool) {
	left, ok = c.left.value(at)
	if !ok {
		return false, 0, 0, false
	}
	if right, ok = c.right.value(at); !ok {
		return false, 0, 0, false
	}
	near := math.Abs(left-right) <= tolerance+1e-9
	switch c.op {
	case "==":
		holds = near
	case "!=":
		holds = !near
	case "<=":
		holds = left < right || near
	case ">=":
		holds = left > right || near
	case "<":
		holds = left < right && !near
	case ">":
		holds = left > right && !near
	}
	return holds, left, right, true
}

func (e expr) value(at numbersAt) (float64, bool) {
	switch e.op {
	case 'n':
		return e.number, true
	case 'f':
		values := at(e.path)
		if len(values) != 1 {
			return 0, false
		}
		return values[0], true
	case 's', 'c', 'm', 'M':
		values := at(e.path)
		if len(values) == 0 {
			return 0, false
		}
		out := values[0]
		for _, v := range values[1:] {
			switch e.op {
			case 's':
				out += v
			case 'm':
				out = min(out, v)
			case 'M':
				out = max(out, v)
			}
		}
		if e.op == 'c' {
			out = float64(len(values))
		}
		return out, true
	}
	left, ok := e.left.value(at)
	if !ok {
		return 0, false
	}
	right, ok := e.right.value(at)
	if !ok || e.op == '/' && right == 0 {
		return 0, false
	}
	switch e.op {
	case '+':
		return left + right, true
	case '-':
		return left - right, true
	case '*':
		return left * right, true
	}
	return left / right, true
}
