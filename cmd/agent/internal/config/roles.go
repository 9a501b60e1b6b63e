package config

import (
	"strings"

	"example.com/assay/skills"
)

// A role is a group of skills whose model one key of the section models sets. A skill's
// own key overrides its role's, and the role's overrides the default.
type role struct {
	name   string
	about  string
	skills []string
}

// roles lists all of them. A skill has at most one.
var roles = []role{
	{"judge", "The model of the skills that decide", []string{
		skills.DetectPromptInjection, skills.AdaptiveReplan, skills.SelectChoice, skills.JudgeClaim, skills.JudgeEdge, skills.DevilsAdvocate, skills.VerifyGrounding, skills.ReviewAnswer, skills.VerifyExtraction,
	}},
	{"plan", "The model of the skills that prepare a search", []string{skills.ClassifyAndRoute, skills.PlanSynthesis, skills.QueryRewrite, skills.GapQueries, skills.ExtractRequirements}},
	{"write", "The model of the skills that write the answer", []string{skills.SynthesizeAndCite, skills.RegenerateResponse, skills.DraftEdges, skills.ComposeAnswer}},
	{"extract", "The model of the skills that read fields", []string{skills.ExtractFields, skills.RefineExtraction}},
}

// ModelsBySkill returns the models of the skills that do not use the default.
func (s Settings) ModelsBySkill() map[string]string {
	out := map[string]string{}
	for key, model := range s.SkillModels {
		out[key] = model
	}
	for _, r := range roles {
		model := out[r.name]
		delete(out, r.name)
		for _, skill := range r.skills {
			if model != "" && out[skill] == "" {
				out[skill] = model
			}
		}
	}
	return out
}

// Joined lists names for a message.
func Joined(names []string) string { return strings.Join(names, ", ") }
