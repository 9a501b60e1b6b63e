package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/nodes/extract"
)

// caseStudy is a file of the case studies.
func caseStudy(name ...string) string {
	return filepath.Join(append([]string{"..", "..", "case_studies"}, name...)...)
}

// The schemas that ship with the example documents read them in full and in one reading: every
// field, with its place.
func TestExampleDocuments(t *testing.T) {
	for name, want := range map[string]string{
		"receipt":  `{"company":"LANTERN AND WICK SDN BHD","date":"2019-02-14","address":"NO 7, JALAN PELITA 3, TAMAN CAHAYA, 47100 PUCHONG, SELANGOR.","total":64.13}`,
		"contract": `{"effective_date":"2021-09-14","jurisdiction":"Maine","party":["Harbour Lamps Inc.","Tallow & Reed LLC"],"term":"3 years"}`,
	} {
		t.Run(name, func(t *testing.T) {
			document := caseStudy("documents", name+".txt")
			a, stdout, stderr := clitest.App(t.TempDir())
			if code := execute(t.Context(), a, []string{"extract", "--schema", caseStudy("schemas", name+".json"), document, "--json"}); code != cli.ExitDone {
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

// A document of 1 MB, or 5 MB with ASSAY_TEST_ALL=1, is read offline within the memory and the
// time of docs/measurements.md, with room for a slow machine. A value that all its parts repeat
// is not reported; a part that differs is.
func TestLargeDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds; run without -short")
	}
	size := 1 << 20
	if os.Getenv("ASSAY_TEST_ALL") != "" {
		size = 5 << 20
	}
	one, err := os.ReadFile(caseStudy("documents", "contract.txt"))
	if err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(t.TempDir(), "large.txt")
	if err := os.WriteFile(document, bytes.Repeat(one, size/len(one)), 0o600); err != nil {
		t.Fatal(err)
	}
	a, stdout, stderr := clitest.App(t.TempDir())
	began := time.Now()
	if code := execute(t.Context(), a, []string{"extract", "--schema", caseStudy("schemas", "contract.json"), document, "--json"}); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if took := time.Since(began); took > 5*time.Minute {
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

// Line items are read without a model if a row ends in an amount. Arithmetic checks them against
// the total.
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
		a, stdout, stderr := clitest.App(t.TempDir())
		if code := execute(t.Context(), a, []string{"extract", "--schema", schema, document, "--json"}); code != cli.ExitDone {
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
	if issues := got.Report.Issues; got.Report.Passed || len(issues) == 0 || issues[0].Kind != extract.IssueArithmetic || !strings.Contains(issues[0].Message, "64.13 and 65.13") {
		t.Errorf("an item that does not add up: %+v", issues)
	}
}

// The page of --html is well-formed, runs nothing, fetches nothing, and shows each value at its
// place, whatever the document says.
func TestFieldPage(t *testing.T) {
	dir := t.TempDir()
	schema, document, page := filepath.Join(dir, "s.json"), filepath.Join(dir, "scan.jsonl"), filepath.Join(dir, "page.html")
	for path, text := range map[string]string{
		schema: `{"type": "object", "properties": {"number": {"type": "string", "x-anchor": "Invoice"}, "total": {"type": "number", "x-anchor": "TOTAL"}}}`,
		document: `{"text": "<script>alert(1)</script><img src=x onerror=alert(2)>", "box": [10, 0, 90, 15]}
{"text": "Invoice: </pre><b onclick=\"x\">&amp;", "box": [10, 20, 90, 35]}
{"text": "TOTAL", "box": [10, 40, 50, 55]}
{"text": "60.95", "box": [60, 40, 90, 55]}
`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, _, stderr := clitest.App(t.TempDir())
	if code := execute(t.Context(), a, []string{"extract", "--schema", schema, document, "--html", page}); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	file, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	marks, boxes, mark := map[string]string{}, 0, ""
	tokens := xml.NewDecoder(file) // as lenient as browsers are
	tokens.Strict, tokens.AutoClose, tokens.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch n := token.(type) {
		case xml.CharData:
			if mark != "" {
				marks[mark], mark = string(n), ""
			}
		case xml.StartElement:
			if slices.Contains([]string{"script", "img", "b", "link", "iframe", "object"}, n.Name.Local) {
				t.Errorf("the page has a <%s>", n.Name.Local)
			}
			for _, attr := range n.Attr {
				switch name := attr.Name.Local; {
				case strings.HasPrefix(name, "on") || name == "src" || name == "style" || name == "href" && !strings.HasPrefix(attr.Value, "#"):
					t.Errorf("<%s %s=%q>", n.Name.Local, name, attr.Value)
				case name == "id" && n.Name.Local == "mark":
					mark = attr.Value
				case name == "class" && attr.Value == "marked":
					boxes++
				}
			}
		}
	}
	if marks["part-1-field-2-quote-1"] != "60.95" || marks["part-1-field-1-quote-1"] != `</pre><b onclick="x">&amp` || boxes != 2 {
		t.Errorf("marked are %q, and %d boxes", marks, boxes)
	}
	t.Run("browser", func(t *testing.T) {
		browser, err := exec.LookPath("chromium")
		if err != nil {
			t.Skip("there is no chromium here: install it to see the page in a browser")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		shown, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+page).Output()
		if err != nil {
			t.Skipf("chromium does not run here: %v", err)
		}
		if n := bytes.Count(shown, []byte("<mark id=")); n != 2 || !bytes.Contains(shown, []byte("<svg viewBox=")) || bytes.Contains(shown, []byte("<script")) {
			t.Errorf("%d marks in %s", n, shown)
		}
	})
}
