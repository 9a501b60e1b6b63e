// Package casestudies embeds the sample corpora, so that the program can be
// tried without documents of one's own.
//
// The us-law-primer is a teaching sample written for this project, not legal
// advice; the county of county-behavioural-health, its code and its manual are
// invented. The package does not index the corpora and holds no gold answers.
package casestudies

import (
	"embed"
	"io/fs"
)

//go:embed corpora
var corpora embed.FS

//go:embed schemas
var schemas embed.FS

// SampleName is the name of the corpus that Sample returns.
const SampleName = "us-law-primer"

// Sample returns the files of the sample corpus, named relative to its root,
// such as "torts/battery.md".
func Sample() (fs.FS, error) { return fs.Sub(corpora, "corpora/"+SampleName) }

// PublicHealth returns the sample of causal edges: edges.json, and in docs the
// texts that they are checked against, written for this project.
func PublicHealth() (fs.FS, error) { return fs.Sub(corpora, "corpora/public-health") }

// CountyName is the name of the corpus that County returns.
const CountyName = "county-behavioural-health"

// County returns the files of the compliance sample, named relative to its root,
// such as "statutes/crisis-services.md".
func County() (fs.FS, error) { return fs.Sub(corpora, "corpora/"+CountyName) }

// Schemas returns schemas of the fields of common papers, such as invoice.json.
func Schemas() (fs.FS, error) { return fs.Sub(schemas, "schemas") }
