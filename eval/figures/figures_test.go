package figures

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	r, err := Read([]byte(`{"n": 7, "trained_on_this_data": true, "metrics": {"F1": {"value": 0.5, "lo": 0.4, "hi": 0.6}}, "modes": [{"mode": "gold", "metrics": {"ECE": {"value": 0.1}}}]}`))
	if err != nil || r.N != 7 || !r.Trained || r.Metrics["F1"].Hi != .6 || r.Metrics["gold/ECE"].Value != .1 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []string{"", "{", `{"n": 3}`} {
		if r, err := Read([]byte(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, r)
		}
	}
}

func TestReadTable(t *testing.T) {
	const printed = `
| pairs, n 30 | value | 95 % |
|---|---|---|
| F1 | 0.881 | 0.853 – 0.908 |
| AUC | 0.977 | 0.967 – 0.985 |

sha256 abc

| pairs, swapped, n 31 | value | 95 % |
|---|---|---|
| accepted | 0.011 | 0.007 – 0.015 |
`
	r, err := ReadTable(printed, "pairs")
	if err != nil || r.N != 30 || len(r.Metrics) != 2 || r.Metrics["AUC"].Lo != .967 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = ReadTable(printed, "pairs, swapped"); err != nil || r.N != 31 || r.Metrics["accepted"].Value != .011 {
		t.Errorf("%+v, %v", r, err)
	}
	for table, text := range map[string]string{
		"nothing": printed, "x": "| x, n many | value | 95 % |\n", "y": "| y, n 3 | value | 95 % |\n| F1 | high | a – b |\n",
	} {
		if r, err := ReadTable(text, table); err == nil {
			t.Errorf("%q was read as %+v", table, r)
		}
	}
}

// Each measurement can be told apart, and names what it reads.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All {
		if seen[m.Name] || m.Folder == "" || m.Source == "" || m.Command == "" || len(m.Figures) == 0 || m.Train != (m.Table != "") {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
		if !m.Train && (!strings.HasPrefix(m.Command, "eval ") || !strings.Contains(m.Command, "@")) {
			t.Errorf("%s: %q names no data", m.Name, m.Command)
		}
	}
}
