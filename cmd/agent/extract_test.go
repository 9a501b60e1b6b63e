package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/assay/nodes/extract"
	"example.com/assay/state"
)

// caseStudy is a file of the case studies.
func caseStudy(name ...string) string {
	return filepath.Join(append([]string{"..", "..", "case_studies"}, name...)...)
}

// The example documents are read in full, and in one reading, by the schemas that
// ship beside them: every field, each in its place.
func TestExampleDocuments(t *testing.T) {
	for name, want := range map[string]string{
		"receipt":  `{"company":"LANTERN AND WICK SDN BHD","date":"2019-02-14","address":"NO 7, JALAN PELITA 3, TAMAN CAHAYA, 47100 PUCHONG, SELANGOR.","total":64.13}`,
		"contract": `{"effective_date":"2021-09-14","jurisdiction":"Maine","party":["Harbour Lamps Inc.","Tallow & Reed LLC"],"term":"3 years"}`,
	} {
		t.Run(name, func(t *testing.T) {
			document := caseStudy("documents", name+".txt")
			a, stdout, stderr := testApp(t.TempDir())
			if code := a.run(t.Context(), []string{"extract", "--schema", caseStudy("schemas", name+".json"), document, "--json"}); code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			var got extract.Answer
			if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if compact := string(compacted(t, got.Result)); compact != want {
				t.Errorf("%s\nwant %s", compact, want)
			}
			if !got.Report.Passed || got.Loop.ModelCalls != 1 || len(got.Report.Issues) > 0 {
				t.Errorf("%+v, %+v", got.Report, got.Loop)
			}
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range got.Fields {
				if v.Place == nil || string(text[v.Place.Start:v.Place.End]) != v.Place.Text {
					t.Errorf("%s: %+v is not what the file holds there", v.Field, v.Place)
				}
			}
		})
	}
}

func compacted(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var v bytes.Buffer
	if err := json.Compact(&v, raw); err != nil {
		t.Fatal(err)
	}
	return v.Bytes()
}

// A document of 5 MB is read offline within the memory and the time that
// docs/results.md tells of, with room for a slow machine. What all of its parts
// say is not reported, and what one says otherwise is.
func TestLargeDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds; run without -short")
	}
	one, err := os.ReadFile(caseStudy("documents", "contract.txt"))
	if err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(t.TempDir(), "large.txt")
	if err := os.WriteFile(document, bytes.Repeat(one, 5<<20/len(one)), 0o600); err != nil {
		t.Fatal(err)
	}
	a, stdout, stderr := testApp(t.TempDir())
	began := time.Now()
	if code := a.run(t.Context(), []string{"extract", "--schema", caseStudy("schemas", "contract.json"), document, "--json"}); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	var got extract.Answer
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	const want = `{"effective_date":"2021-09-14","jurisdiction":"Maine","party":["Harbour Lamps Inc.","Tallow & Reed LLC"],"term":"3 years"}`
	if result := string(compacted(t, got.Result)); result != want {
		t.Errorf("%s\nwant %s", result, want)
	}
}

// Line items are read without a model where a row ends in an amount, and arithmetic
// holds them against the total.
func TestLineItems(t *testing.T) {
	receipt, err := os.ReadFile(caseStudy("documents", "receipt.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	schema, document := filepath.Join(dir, "items.json"), filepath.Join(dir, "receipt.txt")
	if err := os.WriteFile(schema, []byte(`{"type": "object", "required": ["items", "total"], "x-check": "total == sum(items.amount) + tax", "properties": {
		"items": {"type": "array", "items": {"type": "object", "required": ["name", "amount"], "properties": {"name": {"type": "string"}, "amount": {"type": "number", "format": "currency"}}}},
		"tax": {"type": "number", "format": "currency"}, "total": {"type": "number", "format": "currency", "x-anchor": "TOTAL"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(text string) (got extract.Answer) {
		t.Helper()
		if err := os.WriteFile(document, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a, stdout, stderr := testApp(t.TempDir())
		if code := a.run(t.Context(), []string{"extract", "--schema", schema, document, "--json"}); code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	const want = `{"items":[{"name":"BRASS LAMP","amount":45.00},{"name":"LAMP OIL 1L","amount":12.50},{"name":"COTTON WICK","amount":3.00}],"tax":3.63,"total":64.13}`
	got := read(string(receipt))
	if result := string(compacted(t, got.Result)); result != want || !got.Report.Passed || got.Report.Consistency != 1 {
		t.Errorf("%s, %+v\nwant %s", result, got.Report, want)
	}
	got = read(strings.Replace(string(receipt), "12.50", "13.50", 1))
	if issues := got.Report.Issues; got.Report.Passed || len(issues) == 0 || issues[0].Kind != state.IssueArithmetic || !strings.Contains(issues[0].Message, "64.13 and 65.13") {
		t.Errorf("an item that does not add up: %+v", issues)
	}
}
