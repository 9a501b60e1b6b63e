package facts

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

type wiceRow struct {
	ID         string   `json:"id"`
	Claim      string   `json:"claim"`
	Label      string   `json:"label"`
	Evidence   []string `json:"evidence"`
	Supporting [][]int  `json:"supporting_sentences"`
}

// wice reads a data set of claims; it is no part of this repository.
func wice(t testing.TB) []wiceRow {
	t.Helper()
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("ASSAY_DATA names no folder with data sets")
	}
	f, err := os.Open(filepath.Join(dir, "wice", "claims.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []wiceRow
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r wiceRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestMeasureFalseAlarms counts conflicts of claims by what people said of them.
func TestMeasureFalseAlarms(t *testing.T) {
	n, anyOf, opposed := map[string]int{}, map[string]int{}, map[string]int{}
	byKind := map[string]map[string]int{}
	for _, row := range wice(t) {
		r := Prepare(row.Evidence).Check(row.Claim)
		n[row.Label]++
		if len(r.Conflicts) > 0 {
			anyOf[row.Label]++
		}
		if r.Opposed() {
			opposed[row.Label]++
		}
		if byKind[row.Label] == nil {
			byKind[row.Label] = map[string]int{}
		}
		for _, c := range r.Conflicts {
			k := string(c.Kind)
			if c.Opposed {
				k += "!"
			}
			byKind[row.Label][k]++
			if row.Label == "supported" && testing.Verbose() {
				e := ""
				if c.Sentence >= 0 {
					e = row.Evidence[c.Sentence]
				}
				t.Logf("%s %s %v\n  claim %q in %q\n  evidence %q in %q", row.ID, c.Kind, c.Opposed, c.Claim, row.Claim, c.Evidence, e)
			}
		}
	}
	for _, label := range []string{"supported", "partially_supported", "not_supported"} {
		t.Logf("%s: n %d, any %.3f, opposed %.3f %v", label, n[label], float64(anyOf[label])/float64(n[label]), float64(opposed[label])/float64(n[label]), byKind[label])
	}
}
