package edgefile_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/memory/document"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/causal/edgefile"
)

func TestReadEdges(t *testing.T) {
	want := []causal.Edge{
		{ID: "x", FromVar: "smoking", ToVar: "lung cancer", Mechanism: "tar", Strength: causal.Strong, Status: causal.EdgeDraft, Assumptions: []string{"a"}, Conditions: []string{}},
		{ID: "e2", FromVar: "a", ToVar: "b", Strength: causal.Moderate, Status: causal.EdgeDraft, Assumptions: []string{}, Conditions: []string{}},
	}
	list := `[{"id": "x", "from_var": " smoking ", "to_var": "lung cancer", "mechanism": "tar", "strength": "strong", "assumptions": ["a"],
	  "edge_status": "grounded", "confidence": 0.9, "evidence": {"quotes": []}, "rejection": {}}, {"from_var": "a", "to_var": "b", "strength": ""}]`
	for _, data := range []string{list, "\ufeff" + list + "\n", `{"schema": 1, "edges": ` + list + `, "dag": {"edges": []}}`} {
		got, err := edgefile.Read("edges.json", []byte(data))
		if err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestReadEdgesNamesTheFault(t *testing.T) {
	for _, c := range []struct {
		name, data string
		line       int
		field, msg string
	}{
		{"empty file", " \n", 1, "", "it is empty"},
		{"empty list", "\n[ ]", 2, "edges", "it has no edge"},
		{"empty object", "{}", 1, "edges", "it is missing"},
		{"empty list in an object", "{\n\"edges\":\n[]}", 3, "edges", "it has no edge"},
		{"a number", "3", 1, "", "neither a list nor an object"},
		{"edges is no list", `{"edges": 3}`, 1, "edges", "not a list"},
		{"an edge is no object", "[\n[]]", 2, "edges", "not an object"},
		{"no cause", "[\n{\"to_var\": \"b\"}]", 2, "from_var", "missing or blank"},
		{"a blank effect", "[\n{\"from_var\": \"a\",\n\"to_var\": \" \"}]", 2, "to_var", "missing or blank"},
		{"a number as cause", "[{\n\"to_var\": \"b\",\n\"from_var\": 7}]", 3, "from_var", "not a string"},
		{"unknown strength", "[{\"from_var\": \"a\", \"to_var\": \"b\",\n\"strength\": \"huge\"}]", 2, "strength", `it is "huge"`},
		{"unknown field", "[{\"from_var\": \"a\", \"to_var\": \"b\",\n\"form_var\": \"c\"}]", 2, "form_var", "no such field"},
		{"a field twice", "[{\"from_var\": \"a\", \"to_var\": \"b\",\n\"to_var\": \"c\"}]", 2, "to_var", "given twice"},
		{"assumptions", "[{\"from_var\": \"a\", \"to_var\": \"b\",\n\"assumptions\": \"c\"}]", 2, "assumptions", "not a list of strings"},
		{"duplicate id", "[{\"id\": \"x\", \"from_var\": \"a\", \"to_var\": \"b\"},\n{\"id\": \"x\", \"from_var\": \"a\", \"to_var\": \"c\"}]", 2, "id", "in line 1, too"},
		{"cut off", "[{\"from_var\": \"a\",\n\"to_var\": \"b\"},\n", 2, "", "ends before its JSON does"},
		{"no JSON", "[\n{\"from_var\" \"a\"}]", 2, "", "not JSON"},
		{"no JSON at all", "cause,effect\n", 1, "", "not JSON"},
		{"something after the end", "[{\"from_var\": \"a\", \"to_var\": \"b\"}]\n[]", 2, "", "follows the end"},
		{"not UTF-8", "[{\"from_var\": \"a\",\n\"to_var\": \"\xff\"}]", 2, "", "not valid UTF-8"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			_, err := edgefile.Read("edges.json", []byte(c.data))
			fault, ok := errors.AsType[*document.InputError](err)
			if !ok {
				t.Fatalf("got %v, want an input error", err)
			}
			if fault.Path != "edges.json" || fault.Line != c.line || fault.Field != c.field || !strings.Contains(fault.Msg, c.msg) {
				t.Errorf("got %v\nwant line %d, field %q, %q", fault, c.line, c.field, c.msg)
			}
		})
	}
}

func FuzzReadEdges(f *testing.F) {
	for _, seed := range []string{`[{"from_var":"a","to_var":"b"}]`, `{"edges":[{"id":"1","from_var":"a","to_var":"b","strength":"weak"}]}`, `[{]`, `{"edges":[1]}`, "\ufeff[]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		edges, err := edgefile.Read("f", data)
		if err != nil {
			if _, ok := errors.AsType[*document.InputError](err); !ok {
				t.Fatalf("an error that names no place: %v", err)
			}
			return
		}
		if len(edges) == 0 {
			t.Fatal("no edge and no error")
		}
		again, err := json.Marshal(edges)
		if err != nil {
			t.Fatal(err)
		}
		back, err := edgefile.Read("f", again)
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v\n%s", err, again)
		}
		if !reflect.DeepEqual(back, edges) {
			t.Fatalf("read again it differs: %+v, %+v", edges, back)
		}
	})
}
