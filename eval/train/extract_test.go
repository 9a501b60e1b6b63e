package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/decide/fields"
)

func TestTrainExtract(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sroie"), 0o755); err != nil {
		t.Fatal(err)
	}
	var data strings.Builder
	for i := range 12 {
		shop := string(rune('A'+i)) + "LAMP LTD"
		data.WriteString(`{"id": ` + string(rune('1'+i%9)) + string(rune('0'+i/9)) + `, "ocr_lines": [{"text": "` + shop + `", "box": [0, 0, 90, 15]}, {"text": "NO 1 ROAD 12345", "box": [0, 20, 90, 35]}, {"text": "TOTAL 5.00", "box": [0, 40, 90, 55]}], "fields": {"company": "` + shop + `", "total": "5.00"}}` + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "sroie", "receipts.jsonl"), []byte(data.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	schema := filepath.Join(dir, "schema.json")
	if err := os.WriteFile(schema, []byte(`{"type": "object", "properties": {"company": {"type": "string", "format": "company"}, "total": {"type": "number"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"extract", "--data", dir, "--out", dir, "--schema", schema}, &out); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "weights.json"))
	if err != nil {
		t.Fatal(err)
	}
	var w fields.Weights
	if err := json.Unmarshal(raw, &w); err != nil || len(w.Trained) != 1 || w.Trained[0].Items != 12 || len(w.Rankers[fields.KindCompany]) == 0 {
		t.Errorf("%v, %+v", err, w.Trained)
	}
	if !strings.Contains(out.String(), "by groups, n 12") {
		t.Errorf("%s", out.String())
	}
	if err := run(t.Context(), []string{"extract", "--data", "", "--out", ""}, &out); err == nil {
		t.Error("training without data was taken")
	}
}
