// Package show shows the results of cases: as JUnit XML to a CI server, as
// Markdown to a job's summary, and as one HTML page to people.
//
//	err := show.HTML(file, results, comparison)
//
// The page needs no network and no script: its style and its figures are part of
// it. Every figure is also a table. What pipelines, documents and models wrote is
// shown as text and never as markup. The same results give the same bytes.
//
// It measures nothing and reads no file: what it shows is in the results.
package show
