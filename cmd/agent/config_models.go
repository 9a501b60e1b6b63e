package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"example.com/assay/llm"
	"example.com/assay/skills"
)

// A section is one mapping of a configuration, read key by key.
type section struct {
	path, name string
	keys       []string
}

// read calls take for each known key with the text of its value.
func (p *parser) read(s section, value *yaml.Node, take func(key string, from origin, text string)) {
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	if value.Kind != yaml.MappingNode {
		p.fail(usagef("%s:%d: %s: it needs lines of \"key: value\" below it; known keys: %s", s.path, value.Line, s.name, strings.Join(s.keys, ", ")))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(value.Content); i += 2 {
		key, v := value.Content[i], value.Content[i+1]
		if line, twice := seen[key.Value]; twice {
			p.fail(usagef("%s:%d: key %q stands already in line %d", s.path, key.Line, key.Value, line))
		}
		seen[key.Value] = key.Line
		from := origin(fmt.Sprintf("%s:%d: %s.%s", s.path, v.Line, s.name, key.Value))
		if v.Kind == yaml.AliasNode {
			v = v.Alias
		}
		switch {
		case !slices.Contains(s.keys, key.Value):
			p.fail(usagef("%s:%d: unknown key %q in %s%s; known keys: %s", s.path, key.Line, key.Value, s.name, didYouMean(key.Value, s.keys), strings.Join(s.keys, ", ")))
		case v.Kind != yaml.ScalarNode || v.Tag == "!!null":
			p.fail(usagef("%s: it needs one value", from))
		default:
			take(key.Value, from, v.Value)
		}
	}
}

// defaultModel is the key of models that means all skills without their own.
const defaultModel = "default"

// models reads which model answers which skill.
func (p *parser) models(a *app, o *overrides, path string, value *yaml.Node) {
	set, err := skills.Load(nil)
	if err != nil {
		p.fail(err)
		return
	}
	keys := append([]string{defaultModel}, set.Names()...)
	o.skillModels = map[string]string{}
	p.read(section{path, "models", keys}, value, func(key string, from origin, text string) {
		model := p.model(a, from, text)
		if key != defaultModel {
			o.skillModels[key] = *model
			return
		}
		if o.model != nil {
			p.fail(usagef("%s: model stands in this file, too; keep one", from))
		}
		o.model = model
	})
}

var limitKeys = []string{
	"concurrency", "max_retries", "backoff_base", "backoff_jitter_max", "timeout",
	"requests_per_minute", "tokens_per_minute", "max_calls", "max_tokens",
}

// limits reads how models of providers are kept under control.
func (p *parser) limits(o *overrides, path string, value *yaml.Node) {
	var limits llm.ControlOptions
	p.read(section{path, "model_limits", limitKeys}, value, func(key string, from origin, text string) {
		switch key {
		case "concurrency":
			limits.Concurrency = p.count(from, text, 1)
		case "max_retries":
			if limits.Retry.MaxRetries = p.count(from, text, 0); limits.Retry.MaxRetries == 0 {
				limits.Retry.MaxRetries = -1 // none; 0 would be the default
			}
		case "backoff_base":
			limits.Retry.Base = p.duration(from, text, time.Nanosecond)
		case "backoff_jitter_max":
			if limits.Retry.JitterMax = p.duration(from, text, 0); limits.Retry.JitterMax == 0 {
				limits.Retry.JitterMax = -1
			}
		case "timeout":
			limits.Timeout = p.duration(from, text, time.Nanosecond)
		case "requests_per_minute":
			limits.Rate.RequestsPerMinute = p.count(from, text, 1)
		case "tokens_per_minute":
			limits.Rate.TokensPerMinute = p.count(from, text, 1)
		case "max_calls":
			limits.Budget.MaxCalls = p.count(from, text, 1)
		case "max_tokens":
			limits.Budget.MaxTokens = p.count(from, text, 1)
		}
	})
	o.limits = &limits
}

func (p *parser) count(from origin, v string, least int) int {
	n, err := strconv.Atoi(v)
	if err != nil || n < least {
		p.fail(usagef("%s is %q: it must be a whole number of at least %d", from, v, least))
	}
	return n
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
		p.fail(usagef("%s is %q: it must be a time such as 2s or 500ms, and %s", from, v, what))
	}
	return d
}
