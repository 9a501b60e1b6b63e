package mcp

import (
	"fmt"
	"strings"

	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/mcp"
)

// Prompts are one for each pipeline that has a text for it.
func Prompts(all []pipeline.Pipeline) []mcp.Prompt {
	var out []mcp.Prompt
	for _, p := range all {
		if p.Prompt == "" {
			continue
		}
		message := mcp.Argument{Name: p.Message.Argument(), Description: p.Message.Help}
		prompt := mcp.Prompt{Name: strings.Fields(p.Command())[0], Title: p.Title, Description: p.About, Arguments: []mcp.Argument{message}}
		for _, f := range p.Settings {
			prompt.Arguments = append(prompt.Arguments, mcp.Argument{Name: f.Argument(), Description: f.Help + ", or in your words", Optional: true})
		}
		if p.Corpus != pipeline.Never {
			prompt.Arguments = append(prompt.Arguments, mcp.Argument{Name: argumentCorpus, Description: "the corpus to ask; without it the usual one", Optional: true})
		}
		prompt.Text = func(a map[string]string) string {
			of := ""
			if a[argumentCorpus] != "" {
				of = " and the corpus " + a[argumentCorpus]
			}
			text := a[message.Name]
			for _, f := range p.Settings {
				if value := a[f.Argument()]; value != "" {
					text = f.Argument() + ": " + value + "\n\n" + text
				}
			}
			return fmt.Sprintf(p.Prompt, of, text)
		}
		out = append(out, prompt)
	}
	return out
}
