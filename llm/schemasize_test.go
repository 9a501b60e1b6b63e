package llm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/assay/llm"
)

// A short schema whose references double is refused at once, in whichever way it names its
// definitions; one that refers to itself, or often to the same, is not.
func TestSchemaSize(t *testing.T) {
	doubling := func(reference, definition string) string {
		var defs strings.Builder
		for i := range 40 {
			next := fmt.Sprintf(reference, i+1)
			fmt.Fprintf(&defs, `"d%d":{%s"allOf":[{"$ref":%q},{"$ref":%q}]},`, i, strings.ReplaceAll(definition, "N", fmt.Sprint(i)), next, next)
		}
		return `{"$ref":` + fmt.Sprintf("%q", fmt.Sprintf(reference, 0)) + `,"$defs":{` + defs.String() + `"d40":{` + strings.ReplaceAll(definition, "N", "40") + `"type":"string"}}}`
	}
	often := `{"$defs":{"text":{"type":"string"}},"properties":{` + strings.TrimSuffix(strings.Repeat(`"a":{"$ref":"#/$defs/text"},`, 100), ",") + `}}`
	for name, c := range map[string]struct {
		schema  string
		refused bool
	}{
		"pointers":       {doubling("#/$defs/d%d", ""), true},
		"anchors":        {doubling("#d%d", `"$anchor":"dN",`), true},
		"identifiers":    {doubling("https://assay.invalid/d%d", `"$id":"https://assay.invalid/dN",`), true},
		"to itself":      {`{"properties":{"next":{"$ref":"#"}}}`, false},
		"often the same": {often, false},
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			err := llm.CheckSchema([]byte(c.schema))
			if refused := err != nil && strings.Contains(err.Error(), "too large"); refused != c.refused || !c.refused && err != nil {
				t.Errorf("error %v", err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
