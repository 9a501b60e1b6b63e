package main

import (
	"fmt"
	"strings"
)

// A settingLine is one setting as the doctor shows it.
type settingLine struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`          // "default", "file", "variable" or "flag"
	Where  string `json:"where,omitempty"` // file and line, the variable or the flag
}

// settingLines lists the settings that have a value, with where each stands.
func settingLines(s settings, table []setting) []settingLine {
	var out []settingLine
	for _, t := range expanded(s, table) {
		value := t.show(&s)
		if value == "" {
			continue
		}
		line := settingLine{Key: t.key, Value: value, Origin: "default"}
		if from, ok := s.origins[t.key]; ok {
			line.Origin, line.Where = from.kind, from.where
		}
		out = append(out, line)
	}
	return out
}

// expanded is the table with the settings of free keys that are given.
func expanded(s settings, table []setting) []setting {
	var out []setting
	for _, t := range table {
		if t.within == nil {
			out = append(out, t)
			continue
		}
		for _, key := range t.given(&s) {
			out = append(out, t.within(key))
		}
	}
	return out
}

// commentedConfig is a configuration of every setting with its default or,
// where that is nothing, an example. Without the "#" before keys it is one.
func commentedConfig(s settings, table []setting) string {
	var b strings.Builder
	b.WriteString(`# Configuration of agent. Remove the "#" before a key, and before its section,
# to set it. The variable beside a key comes before this file, and a flag before
# both. Values that are no defaults are examples; agent doctor shows what holds.
`)
	in := ""
	for _, t := range table {
		if t.within != nil {
			fmt.Fprintf(&b, "\n#%s:\n  # %s\n#  %s\n", t.key, t.about, t.example)
			in = t.key
			continue
		}
		section, key, ok := strings.Cut(t.key, ".")
		indent := "  "
		if !ok {
			section, key, indent = "", t.key, ""
		}
		if section != in {
			fmt.Fprintf(&b, "\n#%s:\n", section)
		} else if section == "" {
			b.WriteString("\n")
		}
		in = section
		value := t.show(&s)
		if value == "" {
			value = t.example
		}
		fmt.Fprintf(&b, "%s# %s (%s)\n#%s%s: %s\n", indent, t.about, t.variable, indent, key, value)
	}
	return b.String()
}
