package extract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/assay/decide/fields"
	"example.com/assay/state"
)

// A Drawn is a field as a person describes it, without knowing JSON Schema.
type Drawn struct {
	Name     string `json:"name"` // "Invoice number"; "Items / Price" for a column of the list Items
	Kind     string `json:"kind"` // one of Kinds; empty for text
	About    string `json:"about,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// A Proposal is a field that a document seems to have.
type Proposal struct {
	Drawn
	Sample string // a value that the document has for it
}

// kinds are the kinds of drawn fields with their types and formats, the likeliest for a value first.
var kinds = []struct{ name, kind, format string }{
	{"date", "string", "date"}, {"email", "string", "email"}, {"percent", "number", "percent"}, {"money", "number", "currency"},
	{"number", "number", ""}, {"whole number", "integer", ""}, {"phone", "string", "phone"}, {"yes or no", "boolean", ""},
	{"length of time", "string", "period"}, {"company", "string", "company"}, {"address", "string", "address"},
}

// KindText is the kind of a drawn field that may be anything.
const KindText = "text"

// Kinds returns the names of the kinds of drawn fields.
func Kinds() []string {
	out := []string{KindText}
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

const (
	// listMark parts the name of a list from that of a column.
	listMark = "/"
	// mostProposed bounds the fields that are proposed for a document, and longestName the bytes of a name.
	mostProposed, longestName = 60, 100
)

// Draw returns the JSON Schema of drawn fields. Fields without a name are left out. The labels of a
// document that are like a field's name are looked for near its value.
func Draw(title string, list []Drawn) (json.RawMessage, error) {
	root := &drawnObject{}
	lists := map[string]*drawnObject{}
	for _, d := range list {
		head, column, listed := strings.Cut(d.Name, listMark)
		name := key(head)
		if name == "" {
			continue
		}
		into, label := root, head
		if listed {
			if key(column) == "" {
				return nil, fmt.Errorf("“%s” names a list without a column: write “%s / Price”", d.Name, strings.TrimSpace(head))
			}
			if lists[name] == nil {
				lists[name] = &drawnObject{}
				if !root.add(name, map[string]any{"type": "array", "title": oneLine(head), "items": lists[name]}, false) {
					return nil, fmt.Errorf("two fields are called “%s”", oneLine(head))
				}
			}
			into, label = lists[name], column
		}
		leaf := map[string]any{"type": "string", "title": oneLine(label)}
		at := slices.IndexFunc(kinds, func(k struct{ name, kind, format string }) bool { return k.name == d.Kind })
		if at < 0 && d.Kind != "" && d.Kind != KindText {
			return nil, fmt.Errorf("“%s” is no kind of field: there are %s", d.Kind, strings.Join(Kinds(), ", "))
		}
		if at >= 0 {
			leaf["type"] = kinds[at].kind
			if kinds[at].format != "" {
				leaf["format"] = kinds[at].format
			}
		}
		if about := oneLine(d.About); about != "" {
			leaf["description"] = about
		}
		if !into.add(key(label), leaf, d.Required) {
			return nil, fmt.Errorf("two fields are called “%s”", oneLine(d.Name))
		}
	}
	if len(root.properties) == 0 {
		return nil, fmt.Errorf("no field has a name: tick one, or write one")
	}
	root.title = title
	return json.MarshalIndent(root, "", "  ")
}

// A drawnObject is an object of a schema, with its properties in their order.
type drawnObject struct {
	title      string
	names      []string
	properties []any
	required   []string
}

func (o *drawnObject) add(name string, node any, required bool) bool {
	if slices.Contains(o.names, name) {
		return false
	}
	o.names, o.properties = append(o.names, name), append(o.properties, node)
	if required {
		o.required = append(o.required, name)
	}
	return true
}

// MarshalJSON implements json.Marshaler.
func (o *drawnObject) MarshalJSON() ([]byte, error) {
	var all []string
	for i, name := range o.names {
		data, err := json.Marshal(o.properties[i])
		if err != nil {
			return nil, err
		}
		all = append(all, string(quoted(name))+":"+string(data))
	}
	out := `{"type":"object"`
	if o.title != "" {
		out += `,"title":` + string(quoted(o.title))
	}
	if len(o.required) > 0 {
		data, err := json.Marshal(o.required)
		if err != nil {
			return nil, err
		}
		out += `,"required":` + string(data)
	}
	return []byte(out + `,"properties":{` + strings.Join(all, ",") + `}}`), nil
}

// key is the name of a field in a result: its letters and digits in small letters, joined by "_".
func key(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) })
	return cutName(strings.Join(words, "_"))
}

func oneLine(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ") }

func cutName(s string) string {
	if len(s) > longestName {
		s = strings.ToValidUTF8(s[:longestName], "")
	}
	return s
}

// Propose returns the fields that documents seem to have, in their order: the labels that have a
// value, and the columns of tables. It says nothing of what is right about them.
func Propose(docs ...FieldDocument) []Proposal {
	var out []Proposal
	seen, tables := map[string]bool{}, map[string]string{}
	for _, d := range docs {
		decimal := fields.Decimal(d.Text)
		for _, b := range d.Blocks {
			list := ""
			if b.Kind == state.BlockRow {
				heads := ""
				for _, c := range b.Cells {
					heads += c.Header + "\n"
				}
				if list = tables[heads]; list == "" {
					if list = "Items"; len(tables) > 0 {
						list = fmt.Sprintf("Items %d", len(tables)+1)
					}
					tables[heads] = list
				}
			} else if b.Kind != state.BlockField {
				continue
			}
			for _, c := range b.Cells {
				name, value := b.Label, oneLine(d.Text[c.Start:c.End])
				if list != "" {
					name = c.Header
				}
				name = cutName(oneLine(strings.Trim(oneLine(strings.ReplaceAll(name, listMark, " ")), ":*#")))
				id := key(list) + listMark + key(name)
				if key(name) == "" || value == "" || strings.ContainsFunc(value, isBlank) || seen[id] || len(out) == mostProposed {
					continue
				}
				if seen[id] = true; list != "" {
					name = list + " " + listMark + " " + name
				}
				out = append(out, Proposal{Drawn{Name: name, Kind: kindOf(value, decimal)}, value})
			}
		}
	}
	return out
}

// isBlank reports whether a character is a line to write on.
func isBlank(r rune) bool { return r == '_' || r == '…' }

// kindOf returns the first kind whose written form a value has.
func kindOf(value string, decimal byte) string {
	for _, k := range kinds {
		form := fields.Form{Type: k.kind, Format: k.format, Decimal: decimal}
		found := form.Find(value)
		if len(found) != 1 {
			continue
		}
		rest := oneLine(value[:found[0].Start] + value[found[0].End:])
		switch {
		case rest == "" && (k.name != "money" || strings.ContainsAny(value, ".,") || fields.Currency(value) != ""):
			return k.name
		case k.name == "money" && fields.Currency(value) != "" && len(rest) <= 4:
			return k.name
		case k.name == "percent" && rest == "%":
			return k.name
		}
	}
	return KindText
}
