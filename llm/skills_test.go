package llm_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
)

// contracts are the Go types of the skills whose types are in package skills; a nil
// output is text. A skill whose types stand with its node is tested there.
var contracts = map[string]struct{ in, out any }{
	skills.DetectPromptInjection: {skills.DetectInput{}, skills.DetectOutput{}},
	skills.ResolveFollowUp:       {skills.FollowUpInput{}, skills.FollowUpOutput{}},
	skills.ClassifyAndRoute:      {skills.ClassifyInput{}, skills.ClassifyOutput{}},
	skills.PlanSynthesis:         {skills.PlanInput{}, skills.PlanOutput{}},
	skills.QueryRewrite:          {skills.RewriteInput{}, skills.RewriteOutput{}},
	skills.SynthesizeAndCite:     {skills.SynthesizeInput{}, nil},
	skills.AdaptiveReplan:        {skills.ReplanInput{}, skills.ReplanOutput{}},
	skills.SelectChoice:          {skills.SelectInput{}, skills.SelectOutput{}},
	skills.RerankPassages:        {skills.RerankInput{}, skills.RerankOutput{}},
	skills.JudgeClaim:            {skills.JudgeInput{}, skills.JudgeOutput{}},
	skills.GapQueries:            {skills.GapInput{}, skills.GapOutput{}},
	skills.RegenerateResponse:    {skills.RegenerateInput{}, nil},
	skills.DraftEdges:            {skills.DraftEdgesInput{}, skills.DraftEdgesOutput{}},
	skills.JudgeEdge:             {skills.JudgeEdgeInput{}, skills.JudgeEdgeOutput{}},
	skills.DevilsAdvocate:        {skills.DevilsAdvocateInput{}, skills.DevilsAdvocateOutput{}},
	skills.ExtractRequirements:   {skills.RequirementsInput{}, skills.RequirementsOutput{}},
	skills.VerifyGrounding:       {skills.GroundingInput{}, skills.GroundingOutput{}},
	skills.ComposeAnswer:         {skills.ComposeInput{}, skills.ComposeOutput{}},
	skills.ReviewAnswer:          {skills.ReviewInput{}, skills.ReviewOutput{}},
	skills.ExtractFields:         {skills.ExtractInput{}, skills.ExtractOutput{}},
	skills.RefineExtraction:      {skills.RefineInput{}, skills.ExtractOutput{}},
	skills.VerifyExtraction:      {skills.VerifyExtractionInput{}, skills.VerifyExtractionOutput{}},
}

func testSkills(t *testing.T, attacks ...string) {
	t.Helper()
	prompts := 0
	for name, c := range contracts {
		prompts += llmtest.TestSkill(t, skill(t, name), c.in, c.out, attacks...)
	}
	if want := (2 + len(attacks)) * 20 * 135; prompts != want { // forms and texts of the inputs
		t.Errorf("%d prompts were checked; want %d", prompts, want)
	}
}

func TestSkills(t *testing.T) { testSkills(t) }

// The same with the public attacks of BIPIA, which are third-party data.
func TestAttacksStayInTheirMarks(t *testing.T) {
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("ASSAY_DATA is not set: point it at a folder with bipia_injection/text_attacks.jsonl")
	}
	file, err := os.Open(filepath.Join(dir, "bipia_injection", "text_attacks.jsonl"))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	var attacks []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var row struct {
			Attack string `json:"attack"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil || row.Attack == "" {
			t.Fatalf("row %d: %v", len(attacks)+1, err)
		}
		attacks = append(attacks, row.Attack)
	}
	if err := lines.Err(); err != nil || len(attacks) < 75 {
		t.Fatalf("%d attacks, %v", len(attacks), err)
	}
	testSkills(t, attacks...)
}
