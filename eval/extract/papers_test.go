package extract

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"example.com/assay/decide/fields"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/extract/docfile"
	"example.com/assay/skills"
)

// leaves are the values of JSON with their paths; elements of a list have one path.
func leaves(v any, path string) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			out = append(out, leaves(x, path+"."+k)...)
		}
	case []any:
		for _, x := range v {
			out = append(out, leaves(x, path+"[]")...)
		}
	case string:
		out = append(out, path+"="+fields.Key(strings.TrimPrefix(strings.TrimPrefix(v, "Mr "), "Ms ")))
	default:
		out = append(out, fmt.Sprintf("%s=%v", path, v))
	}
	sort.Strings(out)
	return out
}

// Papers that people have, in seven languages: what their schemas ask for is found, and
// what they do not state stays empty.
func TestPapers(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	golds, err := filepath.Glob("testdata/papers/*.gold.json")
	if err != nil || len(golds) < 20 {
		t.Fatalf("%d papers, %v", len(golds), err)
	}
	right, wrong, missed := 0, 0, 0
	for _, name := range golds {
		paper := strings.TrimSuffix(name, ".gold.json")
		var gold any
		data, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, &gold)
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, err = os.ReadFile(paper + ".schema.json"); err != nil {
			t.Fatal(err)
		}
		schema, err := extract.ParseSchema(data)
		if err != nil {
			t.Fatal(err)
		}
		p, err := extract.New(extract.Deps{Model: offline.New(nil), Skills: set, Schema: schema}, nil)
		if err != nil {
			t.Fatal(err)
		}
		docs, err := docfile.Read(t.Context(), paper)
		if err != nil {
			t.Fatal(err)
		}
		final, err := p.Run(t.Context(), docs[0].FieldDocument, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(schema.Answer(final, nil).Result, &got); err != nil {
			t.Fatal(err)
		}
		left := leaves(got, "")
		for _, v := range leaves(gold, "") {
			if i := slices.Index(left, v); i >= 0 {
				left = slices.Delete(left, i, i+1)
				right++
				continue
			}
			missed++
			t.Logf("%s: missed %s", paper, v)
		}
		if wrong += len(left); len(left) > 0 {
			t.Logf("%s: wrong %v", paper, left)
		}
	}
	if f1 := 2 * float64(right) / float64(2*right+wrong+missed); f1 < .96 {
		t.Errorf("F1 %.3f of %d values: %d missed, %d wrong", f1, right+missed, missed, wrong)
	}
}
