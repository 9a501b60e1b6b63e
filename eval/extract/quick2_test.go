package extract

import (
	"context"
	"os"
	"testing"

	nodes "example.com/assay/nodes/extract"
)

func TestQuick2(t *testing.T) {
	run := func(format, file, schema, cross string) {
		d, err := Read(context.Background(), format, os.Getenv("ASSAY_DATA")+file, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := os.ReadFile("../../case_studies/schemas/" + schema)
		s, err := nodes.ParseSchema(raw)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Evaluate(context.Background(), d, s, &Options{Cross: cross})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(format, cross, e.P50, e.P95, e.Changed)
		for _, m := range e.Metrics {
			t.Logf("%-28s %.4f", m.Name, m.Value)
		}
		if f := os.Getenv("SHOW2"); f != "" {
			for _, oc := range e.Outcomes {
				c := d.count(oc, f, false)
				if c.right != c.read || c.right != c.gold {
					t.Logf("%s got %q want %q", oc.Item.ID, oc.Exact[f], oc.Item.Gold[f])
				}
			}
		}
	}
	if os.Getenv("ONLY") != "k" {
		run(FormatSROIE, "/sroie/receipts.jsonl", "receipt.json", CrossDocuments)
	}
	if os.Getenv("ONLY") != "s" {
		run(FormatKleister, "/kleister_nda/documents.jsonl.gz", "contract.json", "")
	}
}
