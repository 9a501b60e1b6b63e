package document

import (
	"net/mail"
	"path"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// Bounds of metadata. A longer value is text, not metadata, and is left out. So are keys
// and values beyond the bounds, in their order.
const (
	maxMetaValue = 256 // bytes
	maxMetaKeys  = 64
	maxMetaList  = 64 // values of a key
)

// Keys that every document has, unless it declares them itself.
const (
	keyDir      = "dir"       // the source's directory, slash-separated; absent at the top
	keyType     = "file_type" // the format
	keyEncoding = "encoding"  // of a text file that was not in UTF-8
	keyReader   = "reader"    // Document.Reader, where there is one
)

// A metadata collects keys and values. The first value of a key stays.
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

// setDate sets the document's date from one that a program wrote, year first, or as mails
// and servers write it.
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

var (
	metaLine = pattern.New(`^([\pL\pN_. -]*[\pL\pN_])[ \t]*[:=][ \t]*(.*)$`)
	metaItem = pattern.New(`^\s*-[ \t]+(.*)$`)
)

// frontMatter returns the length of the metadata that opens s between two
// lines of "---" (YAML) or "+++" (TOML), and what it declares: keys at its top
// level whose value is a scalar or a list of scalars. A rule that merely opens
// the text is not metadata: its next line would have to look like "key: value".
func frontMatter(s string) (length int, declared metadata) {
	first, rest, _ := strings.Cut(s, "\n")
	fence := strings.TrimRight(first, " \t\r")
	if fence != "---" && fence != "+++" {
		return 0, nil
	}
	if line, _, _ := strings.Cut(rest, "\n"); !metaLine.MatchString(strings.TrimRight(line, " \t\r")) {
		return 0, nil
	}
	f := front{declared: metadata{}}
	for pos := len(first) + 1; pos < len(s); {
		line, _, _ := strings.Cut(s[pos:], "\n")
		pos = min(pos+len(line)+1, len(s))
		line = strings.TrimRight(line, " \t\r")
		if line == fence || fence == "---" && line == "..." {
			f.flush()
			return pos, f.declared
		}
		f.line(line)
	}
	return 0, nil // never closed
}

type front struct {
	declared metadata
	key      string // of the value that lines may add to; empty for none
	values   []string
	block    bool // the value is the indented text that follows
	array    bool // the value is a list in brackets that is not closed
	table    bool // inside a table of TOML, whose keys are not at the top
}

// flush ends the open key.
func (f *front) flush() {
	if f.block {
		f.values = []string{strings.Join(f.values, " ")}
	}
	if f.key != "" {
		f.declared.set(f.key, f.values...)
	}
	*f = front{declared: f.declared, table: f.table}
}

func (f *front) line(line string) {
	trimmed := strings.TrimSpace(line)
	indented := line != "" && (line[0] == ' ' || line[0] == '\t')
	switch {
	case f.array:
		f.array = !strings.HasSuffix(trimmed, "]")
		f.values = append(f.values, elements(strings.TrimSuffix(trimmed, "]"))...)
		return
	case trimmed == "" || trimmed[0] == '#':
		return
	case f.block && indented:
		f.values = append(f.values, trimmed)
		return
	}
	if m := metaItem.FindStringSubmatch(line); m != nil {
		if f.key != "" && !metaLine.MatchString(m[1]) || strings.HasPrefix(m[1], `"`) {
			f.values = append(f.values, scalar(m[1]))
		}
		return
	}
	if indented { // below a key of another level
		if len(f.values) == 0 {
			f.key = ""
		}
		return
	}
	f.flush()
	if trimmed[0] == '[' {
		f.table = true
	}
	m := metaLine.FindStringSubmatch(trimmed)
	if m == nil || f.table {
		return
	}
	f.key = m[1]
	switch value := m[2]; {
	case value == "":
	case strings.Trim(value, "|>+-0123456789") == "" && strings.ContainsAny(value[:1], "|>"):
		f.block = true
	case value[0] == '[':
		inner, closed := strings.CutSuffix(strings.TrimSpace(value[1:]), "]")
		f.values, f.array = elements(inner), !closed
	case value[0] == '{' || value[0] == '&' || value[0] == '*':
		f.key = ""
	default:
		f.values = []string{scalar(value)}
	}
}

func elements(s string) []string {
	var out []string
	from, quote := 0, byte(0)
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && quote == 0:
			out = append(out, scalar(strings.TrimSpace(s[from:i])))
			from = i + 1
		case quote == 0 && (s[i] == '"' || s[i] == '\'') && strings.TrimSpace(s[from:i]) == "":
			quote = s[i]
		case s[i] == quote:
			quote = 0
		}
	}
	return out
}

// scalar takes quotes, or a comment, off a value. Null is no value.
func scalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 && (end+2 == len(s) || strings.HasPrefix(strings.TrimSpace(s[end+2:]), "#")) {
			return s[1 : end+1]
		}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	if s == "null" || s == "~" {
		return ""
	}
	return s
}
