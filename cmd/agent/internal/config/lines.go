package config

import (
	"fmt"
	"strings"
)

// A Line is one setting as the doctor shows it.
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`          // "default", "file", "variable" or "flag"
	Where  string `json:"where,omitempty"` // file and line, the variable or the flag
}

// Lines lists the settings that have a value, each with its origin.
func Lines(s Settings, table []Setting) []Line {
	var out []Line
	for _, t := range expanded(s, table) {
		value := t.show(&s)
		if value == "" {
			continue
		}
		line := Line{Key: t.key, Value: value, Origin: "default"}
		if from, ok := s.Origins[t.key]; ok {
			line.Origin, line.Where = from.Kind, from.where
		}
		out = append(out, line)
	}
	return out
}

// expanded is the table, extended by the free keys that have a value.
func expanded(s Settings, table []Setting) []Setting {
	var out []Setting
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

// CommentedConfig is a file of every setting with its default or, where there is none, an
// example. Without the "#" before its keys it is a valid configuration.
func CommentedConfig(s Settings, table []Setting) string {
	var b strings.Builder
	b.WriteString(`# Configuration of agent. To set a key, remove the "#" before it and before its
# section. A variable, named in brackets, overrides this file; a flag overrides both.
# A value is the default or, where there is none, an example. agent doctor shows the
# values in force.
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
