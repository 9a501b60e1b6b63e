package store

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxNamespace = 1024 // bytes of a path
	maxKey       = 1024 // both together fit into an index entry of Postgres, which has at most 2704
)

// A path is a namespace as backends see it: every label ends with a zero byte,
// which no label has. Then paths sort by bytes as namespaces sort by labels,
// and what is below a namespace begins with its path.
func pathOf(namespace []string) string {
	var b strings.Builder
	for _, label := range namespace {
		b.WriteString(label)
		b.WriteByte(0)
	}
	return b.String()
}

func namespaceOf(path string) []string {
	return strings.Split(strings.TrimSuffix(path, "\x00"), "\x00")
}

func checkNamespace(namespace []string) *InvalidError {
	if len(namespace) == 0 {
		return invalid("namespace", "it has no labels")
	}
	if namespace[0] == "langgraph" {
		return invalid("namespace", "the first label %q is reserved", "langgraph")
	}
	return checkLabels(namespace)
}

// checkLabels checks labels under the rules for whole namespaces and for parts of them.
func checkLabels(labels []string) *InvalidError {
	size := 0
	for i, label := range labels {
		size += len(label) + 1
		switch {
		case label == "":
			return invalid("namespace", "label %d is empty", i+1)
		case strings.Contains(label, "."):
			return invalid("namespace", "label %.80q has a %q", label, ".")
		case strings.Contains(label, "\x00"):
			return invalid("namespace", "label %.80q has U+0000", label)
		case !utf8.ValidString(label):
			return invalid("namespace", "label %.80q is not UTF-8", label)
		}
	}
	if size > maxNamespace {
		return invalid("namespace", "it takes %d bytes, more than %d", size, maxNamespace)
	}
	return nil
}

func checkKey(key string) *InvalidError {
	switch {
	case key == "":
		return invalid("key", "it is empty")
	case strings.Contains(key, "\x00"):
		return invalid("key", "it has U+0000")
	case !utf8.ValidString(key):
		return invalid("key", "it is not UTF-8")
	case len(key) > maxKey:
		return invalid("key", "it has %d bytes, more than %d", len(key), maxKey)
	}
	return nil
}

func checkName(namespace []string, key string) *InvalidError {
	if err := checkNamespace(namespace); err != nil {
		return err.of(slices.Clone(namespace), key)
	}
	if err := checkKey(key); err != nil {
		return err.of(slices.Clone(namespace), key)
	}
	return nil
}

// hasSuffix reports whether a namespace ends with these labels.
func hasSuffix(namespace, suffix []string) bool {
	return len(suffix) <= len(namespace) && slices.Equal(namespace[len(namespace)-len(suffix):], suffix)
}
