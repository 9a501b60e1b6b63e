package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory/text"
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

// A configReader is a configuration as it is read.
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

// lines calls a function with each key and value below a node. For any other node the
// message says the form that is needed, and a hint.
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
