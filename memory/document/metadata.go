package document

import (
	"net/mail"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// Bounds of metadata. Longer values are text rather than metadata and are left out, as are keys and
// values beyond the bounds, in their order.
const (
	maxMetaValue = 256 // bytes
	maxMetaKeys  = 64
	maxMetaList  = 64 // values of a key
	longestMeta  = maxMetaList * maxMetaValue
)

// Keys that every document has, unless it declares them itself.
const (
	keyDir      = "dir"       // the source's directory, slash-separated; absent at the top
	keyType     = "file_type" // the format
	keyEncoding = "encoding"  // of a text file that was not in UTF-8
	keyReader   = "reader"    // Document.Reader, where there is one
)

// A metadata is a set of keys and values. The first value of a key stays.
type metadata map[string]string

// set adds a value; several values are its lines.
func (m metadata) set(key string, values ...string) {
	var kept []string
	for _, v := range values {
		if v = text.OneLine(v); v != "" && len(v) <= maxMetaValue && len(kept) < maxMetaList && !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	key = text.Key(key)
	if _, known := m[key]; key != "" && len(key) <= maxMetaValue && !known && len(kept) > 0 && len(m) < maxMetaKeys {
		m[key] = strings.Join(kept, "\n")
	}
}

// setDate sets the document's date from one in a program's form, year first, or in the form of mail
// headers and HTTP.
func (m metadata) setDate(s string) {
	s = strings.TrimSpace(s)
	if m := writtenDate.FindString(s); m != "" {
		s = m
	} else if at, err := mail.ParseDate(s); err == nil {
		s = at.Format("2006-01-02 15:04")
	} else if s, _ = values.Date(s, nil); s == "" {
		return
	}
	m.set(keyDate, s)
}

var writtenDate = pattern.New(`^\d{4}-\d{2}-\d{2}`)

func (m metadata) complete(d *Document) {
	m.set(keyType, d.Format)
	m.set(keyReader, d.Reader)
	if dir := path.Dir(d.Source); dir != "." {
		m.set(keyDir, dir)
	}
}

// over returns m with the keys of base that it lacks.
func (m metadata) over(base map[string]string) map[string]string {
	if len(m) == 0 {
		return base
	}
	for key, value := range base {
		if _, known := m[key]; !known {
			m[key] = value
		}
	}
	return m
}

// metaLine is a line that begins a key's value.
var metaLine = pattern.New(`^([\pL\pN_](?:[\pL\pN_. -]*[\pL\pN_])?)[ \t]*[:=][ \t]*(.*)$`)

// frontMatter returns the length of the metadata at the start of s between two lines of "---"
// (YAML) or "+++" (TOML), and its declarations: top-level keys whose value is a scalar or a list of
// scalars. A horizontal rule at the start of the text is not metadata: its next line would have to
// look like "key: value".
func frontMatter(s string) (length int, declared metadata) {
	first, rest, _ := strings.Cut(s, "\n")
	fence := strings.TrimRight(first, " \t\r")
	if fence != "---" && fence != "+++" {
		return 0, nil
	}
	if line, _, _ := strings.Cut(rest, "\n"); !metaLine.MatchString(strings.TrimRight(line, " \t\r")) {
		return 0, nil
	}
	declared = metadata{}
	key, value, inTable := "", "", false
	for pos := len(first) + 1; pos < len(s); {
		line, _, _ := strings.Cut(s[pos:], "\n")
		pos = min(pos+len(line)+1, len(s))
		line = strings.TrimRight(line, " \t\r")
		closes := line == fence || fence == "---" && line == "..."
		table := fence == "+++" && strings.HasPrefix(line, "[") // its keys are not at the top
		m := metaLine.FindStringSubmatch(line)
		if m == nil && !closes && !table {
			if len(value) <= longestMeta {
				value += "\n" + line
			}
			continue
		}
		if !inTable {
			declared.set(key, metaValues(value)...)
		}
		if closes {
			return pos, declared
		}
		if inTable = inTable || table; !table {
			key, value = m[1], m[2]
		}
	}
	return 0, nil // never closed
}

// metaValues reads a value of front matter. Values of TOML are written as in YAML. A value in
// neither form, such as a text with a colon, is its first line.
func metaValues(value string) []string {
	line, _, _ := strings.Cut(value, "\n")
	line, _, _ = strings.Cut(line, " #")
	var doc yaml.Node
	if len(value) > longestMeta || yaml.Unmarshal([]byte(value), &doc) != nil {
		return []string{line}
	}
	if len(doc.Content) == 0 {
		return nil
	}
	top := doc.Content[0]
	list := []*yaml.Node{top}
	switch {
	case top.Kind == yaml.SequenceNode:
		list = top.Content
	case top.Kind == yaml.MappingNode && line != "" && line[0] != '{':
		return []string{line}
	}
	var out []string
	for _, n := range list {
		if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
			out = append(out, n.Value)
		}
	}
	return out
}
