package mcp

import (
	_ "embed"
	"strings"

	"example.com/assay/serve/mcp"
	"example.com/assay/serve/page/look"
)

// pageURI is the page of an answer's evidence.
const pageURI = "ui://assay/evidence"

var (
	//go:embed evidence.html
	evidenceFrame string
	//go:embed evidence.js
	evidenceScript string
)

// Pages are those that an assistant shows beside the output of a tool. They load nothing,
// and put every text of an answer on the page as text.
func Pages() []mcp.Page {
	html := strings.NewReplacer("/*style*/", look.Style, "/*script*/", evidenceScript).Replace(evidenceFrame)
	return []mcp.Page{{
		URI: pageURI, Name: "evidence", Description: "An answer with its evidence: each part with its verdict and its quotes.",
		HTML: func() (string, error) { return html, nil },
	}}
}
