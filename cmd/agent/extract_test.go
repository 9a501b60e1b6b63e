package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/assay/nodes/extract"
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
