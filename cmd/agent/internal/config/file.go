package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// keyModelShort is the key that means the same as models.default.
const keyModelShort = "model"

// parseConfig reads a configuration into the entries of its settings. Errors name the
// file, the line, the key, and the valid values.
func parseConfig(path string, data []byte, table []Setting) ([]entry, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil // empty, or comments only
	} else if err != nil {
		return nil, cli.Usagef("%s: %w", path, err)
	}
	var more yaml.Node
	if err := decoder.Decode(&more); err == nil {
		return nil, cli.Usagef("%s:%d: a second document begins here; a configuration has only one", path, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, cli.Usagef("%s: %w", path, err)
	}
	top := doc.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil, nil
	}
	f := &configReader{path: path, keys: map[string][]string{}}
	for _, t := range table {
		section, key, ok := strings.Cut(t.key, ".")
		if !ok {
			section, key = "", t.key
		} else if f.keys[section] == nil {
			f.keys[""] = append(f.keys[""], section)
		}
		f.keys[section] = append(f.keys[section], key)
	}
	f.keys[""] = slices.Insert(f.keys[""], 1, keyModelShort)
	f.read("", top)
	if f.err != nil {
		return nil, f.err
	}
	return f.entries, nil
}

// A configReader reads one configuration.
type configReader struct {
	parser
	path    string
	keys    map[string][]string // by section, "" for the top, in the order of messages
	entries []entry
}

// read takes the lines of a section, or of the whole configuration.
func (f *configReader) read(section string, value *yaml.Node) {
	in, form := "", `a configuration is a list of "key: value" lines`
	if section != "" {
		in, form = " in "+section, section+needsLines
	}
	keys := f.keys[section]
	f.lines(value, form, "known keys: "+strings.Join(keys, ", "), func(key, v *yaml.Node) {
		switch {
		case !slices.Contains(keys, key.Value):
			f.fail(cli.Usagef("%s:%d: unknown key %q%s%s; known keys: %s", f.path, key.Line, key.Value, in, text.DidYouMean(key.Value, keys), strings.Join(keys, ", ")))
		case section == "" && key.Value == KeyPrices:
			f.prices(v)
		case section == "" && key.Value == KeyServers:
			f.servers(v)
		case section == "" && f.keys[key.Value] != nil:
			f.read(key.Value, v)
		default:
			f.take(section, key.Value, v)
		}
	})
}

// prices reads the section of prices. Each model must have all parts.
func (f *configReader) prices(value *yaml.Node) {
	f.lines(value, KeyPrices+needsLines, `a key is a model's name, such as "openai:gpt-4.1-mini"`, func(model, price *yaml.Node) {
		section, parts := KeyPrices+"."+model.Value, map[string]bool{}
		hint := "known keys: " + strings.Join(priceParts, ", ")
		f.lines(price, section+needsLines, hint, func(part, v *yaml.Node) {
			if !slices.Contains(priceParts, part.Value) {
				f.fail(cli.Usagef("%s:%d: unknown key %q in %s%s; %s", f.path, part.Line, part.Value, section, text.DidYouMean(part.Value, priceParts), hint))
			}
			parts[part.Value] = true
			f.take(section, part.Value, v)
		})
		for _, part := range priceParts {
			if !parts[part] {
				f.fail(cli.Usagef("%s:%d: %s: its %s is missing; write 0 if it is free", f.path, model.Line, section, part))
			}
		}
	})
}

// needsLines is the message for a section that is not a list of lines.
const needsLines = `: it needs lines of "key: value" below it`

// lines calls a function with each key and value below a node. It refuses a node without keys;
// the message has the form that is needed, and a hint.
func (f *configReader) lines(value *yaml.Node, form, hint string, each func(key, v *yaml.Node)) {
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	if value.Kind != yaml.MappingNode {
		f.fail(cli.Usagef("%s:%d: %s; %s", f.path, value.Line, form, hint))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(value.Content); i += 2 {
		key, v := value.Content[i], value.Content[i+1]
		if line, twice := seen[key.Value]; twice {
			f.fail(cli.Usagef("%s:%d: key %q is already set in line %d", f.path, key.Line, key.Value, line))
		}
		seen[key.Value] = key.Line
		each(key, v)
	}
}

// take adds one value to the entries.
func (f *configReader) take(section, key string, v *yaml.Node) {
	full := key
	if section != "" {
		full = section + "." + key
	}
	where := fmt.Sprintf("%s:%d", f.path, v.Line)
	from := origin{Kind: "file", where: where, dir: filepath.Dir(f.path), name: where + ": " + full}
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
		f.fail(cli.Usagef("%s: it needs one value", from))
		return
	}
	other := KeyModel
	if full == KeyModel {
		other = keyModelShort
	}
	if full == keyModelShort {
		full = KeyModel
	}
	if slices.ContainsFunc(f.entries, func(e entry) bool { return e.key == full }) {
		f.fail(cli.Usagef("%s: this file also has %s; keep one of them", from, other))
	}
	f.entries = append(f.entries, entry{full, v.Value, from})
}

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

// CheckCorpus refuses an invalid name of a corpus. Where is the subject of the message.
func CheckCorpus(where, name string) error {
	var p parser
	p.corpus(origin{name: where}, name)
	return p.err
}

// CheckModelName refuses an invalid name of a model. Where is the subject of the message.
func CheckModelName(a *cli.App, where, name string) error {
	var p parser
	p.model(a, origin{name: where}, name)
	return p.err
}

// corpus checks a name, so that an invalid one is not reported later as a missing corpus.
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
		p.fail(cli.Usagef("%s is %q: it must be one of %s", from, v, strings.Join(known, ", ")))
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

// plainName matches the names that may become part of an address.
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
