package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// configKeys are the keys of a configuration, in the order of the help.
var configKeys = []string{"corpus", "model", "confidence_threshold", "skip_injection_check", "memory", "skills", "models", "model_limits"}

// parseConfig reads a configuration. Errors name the file, the line and the
// key, and what would be right.
func (a *app) parseConfig(path string, data []byte) (overrides, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return overrides{}, nil // empty, or comments only
	} else if err != nil {
		return overrides{}, usagef("%s: %w", path, err)
	}
	var more yaml.Node
	if err := decoder.Decode(&more); err == nil {
		return overrides{}, usagef("%s:%d: a second document: a configuration is one", path, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return overrides{}, usagef("%s: %w", path, err)
	}
	top := doc.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return overrides{}, nil
	}
	if top.Kind != yaml.MappingNode {
		return overrides{}, usagef("%s:%d: a configuration is a list of \"key: value\" lines; known keys: %s", path, top.Line, strings.Join(configKeys, ", "))
	}
	var o overrides
	var p parser
	seen := map[string]int{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if line, twice := seen[key.Value]; twice {
			p.fail(usagef("%s:%d: key %q stands already in line %d", path, key.Line, key.Value, line))
		}
		seen[key.Value] = key.Line
		p.configKey(a, &o, path, key, value)
	}
	return o, p.err
}

func (p *parser) configKey(a *app, o *overrides, path string, key, value *yaml.Node) {
	from := origin(fmt.Sprintf("%s:%d: %s", path, value.Line, key.Value))
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	known := value.Kind == yaml.ScalarNode && value.Tag != "!!null"
	switch key.Value {
	case "corpus", "model", "confidence_threshold", "skip_injection_check", "memory", "skills":
		if !known {
			p.fail(usagef("%s: it needs one value", from))
			return
		}
	}
	switch key.Value {
	case "corpus":
		o.corpus = p.corpus(from, value.Value)
	case "model":
		if o.model != nil {
			p.fail(usagef("%s: models.default stands in this file, too; keep one", from))
		}
		o.model = p.model(a, from, value.Value)
	case "models":
		p.models(a, o, path, value)
	case "model_limits":
		p.limits(o, path, value)
	case "confidence_threshold":
		o.threshold = p.threshold(from, value.Value)
	case "skip_injection_check":
		o.skipInjection = p.boolean(from, value.Value)
	case "memory":
		o.memory = p.boolean(from, value.Value)
	case "skills":
		dir := value.Value
		if dir == "" {
			p.fail(usagef("%s: name a directory", from))
		}
		if !filepath.IsAbs(dir) { // relative to the configuration
			dir = filepath.Join(filepath.Dir(path), dir)
		}
		o.skills = &dir
	default:
		p.fail(usagef("%s:%d: unknown key %q%s; known keys: %s", path, key.Line, key.Value, didYouMean(key.Value, configKeys), strings.Join(configKeys, ", ")))
	}
}
