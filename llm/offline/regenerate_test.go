package offline_test

import (
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
)

// A claim without support gives way to what is nearest to it, once; what is too far off, and what was
// never searched for in meaning and shares no words, stays.
func TestRegenerate(t *testing.T) {
	near := func(text string, near float64) *skills.Nearest {
		return &skills.Nearest{Text: text, Cite: "[P-1]", Near: near}
	}
	const winter = "A mooring costs two crowns a week in winter."
	sources := []skills.CitedSource{{Source: skills.Source{N: 1, Text: notice}, Cite: "[P-2]"}}
	for _, tt := range []struct {
		name, response, want string
		claims               []skills.JudgedClaim
	}{
		{"nearest", "It is cold. Berths are free.", "It is cold. “" + winter + "” [P-1]", []skills.JudgedClaim{{Text: "Berths are free.", Nearest: near(winter, .7)}}},
		{"too far", "Berths are free.", "Berths are free.", []skills.JudgedClaim{{Text: "Berths are free.", Nearest: near(winter, .4)}}},
		{"supported", "Berths are free.", "Berths are free.", []skills.JudgedClaim{{Text: "Berths are free.", Status: "supported", Nearest: near(winter, .7)}}},
		{"the same for two", "Berths are free. Boats lie there for nothing.", "“" + winter + "” [P-1]", []skills.JudgedClaim{{Text: "Berths are free.", Nearest: near(winter, .7)}, {Text: "Boats lie there for nothing.", Nearest: near(winter, .6)}}},
		{"by words", "A mooring costs nine crowns in winter.", "“" + winter + "” [P-2]", []skills.JudgedClaim{{Text: "A mooring costs nine crowns in winter."}}},
		{"quoted", "- “The harbour office of Brennick was founded in 1884 by the pilot Orla Finn.” [P-2]", "- “The harbour office of Brennick was founded in 1884 by the pilot Orla Finn.” [P-2]", []skills.JudgedClaim{{Text: "The harbour office of Brennick was founded in 1884 by the pilot Orla Finn.", Nearest: near(winter, .7)}}},
		{"quoted wrongly", "“It was founded in 1885.” [P-2]", "“" + winter + "” [P-1]", []skills.JudgedClaim{{Text: "It was founded in 1885.", Nearest: near(winter, .7)}}},
		{"no words", "Berths are free.", "Berths are free.", []skills.JudgedClaim{{Text: "Berths are free."}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := llm.AskText(t.Context(), offline.New(nil), skill(t, set(t), skills.RegenerateResponse), skills.RegenerateInput{Response: tt.response, Claims: tt.claims, Sources: sources})
			if err != nil || got != tt.want {
				t.Errorf("%q, want %q, %v", got, tt.want, err)
			}
		})
	}
}
