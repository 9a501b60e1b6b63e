// Package show writes the results of cases: as JUnit XML for a CI server, as Markdown for a job's
// summary, and as one HTML page for people.
//
//	err := show.HTML(file, results, comparison)
//
// The page needs no network and no script: it includes its style and its charts. Every chart is
// also a table. Text from pipelines, documents and models is escaped, never markup. Equal results
// give equal bytes. The package does not measure or read files: the results contain everything.
package show
