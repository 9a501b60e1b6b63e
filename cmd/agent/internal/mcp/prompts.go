package mcp

import (
	"fmt"

	"example.com/assay/serve/mcp"
)

var corpusArgument = mcp.Argument{Name: "corpus", Description: "the corpus to ask; without it the usual one", Optional: true}

// Prompts are one for each pipeline.
func Prompts() []mcp.Prompt {
	return []mcp.Prompt{
		prompt("ask", "Ask my documents", "A question, answered with quotes.", "question", "what you want to know",
			"Answer this question with the tool ask%s. Keep its quotes word for word, name the document of each, and say so if the documents do not hold the answer.\n\n%s"),
		prompt("verify", "Check a text", "A text, checked claim by claim.", "text", "the text to check",
			"Check this text with the tool verify%s. List each claim with its verdict and its quote, the unsupported ones first.\n\n%s"),
		prompt("comply", "Check compliance", "A compliance question, answered by verbatim requirements.", "question", "what must be complied with",
			"Answer this compliance question with the tool comply%s. Quote each requirement word for word with its id and document, and name what evidence is missing.\n\n%s"),
		prompt("edges", "Check causes", "Claims of the form “A causes B”, checked against documents.", "edges", "one on each line: CAUSE => EFFECT",
			"Check these causal claims with the tool verify_edges%s. Say of each whether the documents show it, with the quotes.\n\n%s"),
		{
			Name: "extract", Title: "Read fields", Description: "Fields of a document, each with its place.",
			Arguments: []mcp.Argument{{Name: "fields", Description: "which fields, in your words or as a JSON Schema"}, {Name: "text", Description: "the document"}},
			Text: func(a map[string]string) string {
				return fmt.Sprintf("Read these fields from the document below with the tool extract; write the JSON Schema for it. Say of each value where it stands, and name fields that the document does not hold.\n\nFields: %s\n\nDocument:\n%s", a["fields"], a["text"])
			},
		},
	}
}

// prompt has one argument beside the corpus. Its text has a place for each.
func prompt(name, title, description, argument, about, text string) mcp.Prompt {
	return mcp.Prompt{
		Name: name, Title: title, Description: description, Arguments: []mcp.Argument{{Name: argument, Description: about}, corpusArgument},
		Text: func(a map[string]string) string {
			of := ""
			if a["corpus"] != "" {
				of = " and the corpus " + a["corpus"]
			}
			return fmt.Sprintf(text, of, a[argument])
		},
	}
}
