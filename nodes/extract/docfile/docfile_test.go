package docfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/memory/document"
	"example.com/assay/nodes/extract/docfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	docs, err := docfile.Read(t.Context(), write("a.jsonl", `{"id": 7, "ocr_lines": [{"text": "a", "box": [0, 0, 5, 5]}]}

{"ocr_lines": [{"text": "b", "box": [0, 0, 5, 0, 5, 5, 0, 5]}]}
{"text": "c", "box": [0, 0, 5, 5]}
`))
	if err != nil || len(docs) != 3 || docs[0].ID != "7" || docs[1].ID != "line 3" || docs[2].Text != "c\n" {
		t.Errorf("%+v, %v", docs, err)
	}
	docs, err = docfile.Read(t.Context(), write("a.html", "<h1>Lamp</h1><p>Total 5</p>"))
	if err != nil || len(docs) != 1 || !strings.Contains(docs[0].Text, "Total 5") {
		t.Errorf("%+v, %v", docs, err)
	}
	for name, text := range map[string]string{
		"empty.jsonl": "", "list.jsonl": "[]", "other.jsonl": `{"a": 1}`, "box.jsonl": `{"text": "a", "box": [1, 2, 3]}`, "latin.jsonl": "{\"text\": \"\xe4\"}", "binary.txt": "a\x00b", "picture.png": "\x89PNG\r\n\x1a\n",
	} {
		_, err := docfile.Read(t.Context(), write(name, text))
		if _, ok := errors.AsType[*document.InputError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := docfile.Read(t.Context(), filepath.Join(dir, "nowhere.jsonl")); err == nil {
		t.Error("a file that is not there was read")
	}
}
