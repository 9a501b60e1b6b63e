// Command agent answers questions from your own documents, only with what it
// can prove: every sentence is tied to the bytes of a source.
//
//	agent ask "What must a plaintiff prove for battery?"
//	agent ingest docs/ --corpus handbook
//	agent ask --corpus handbook "How many days of notice are needed?"
//
// This package builds the tree of verbs. A verb is a file here or a package below
// internal/. Streams, environment, clock, randomness and signals enter through
// [cli.App], so that tests run a verb inside their own process.
//
// Standard output carries only the result. With --json it is exactly one JSON
// document, for a failure too. Progress, warnings and logs go to standard error.
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no sufficient evidence,
// 130 interrupted.
//
// The command uses no network, unless a model of a provider is chosen or spans
// are sent to a collector.
package main
