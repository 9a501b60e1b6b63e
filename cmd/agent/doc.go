// Command agent answers questions from your own documents, only with what it
// can prove: every sentence is tied to the bytes of a source.
//
//	agent ask "What must a plaintiff prove for battery?"
//	agent ingest docs/ --corpus handbook
//	agent ask --corpus handbook "How many days of notice are needed?"
//
// This package holds flags, configuration and printing; what the verbs do is
// in the packages below it. Each verb has a file of its own name. Everything
// from outside (streams, environment, clock, randomness, signals) enters
// through the app value, so that tests run a verb inside their own process.
//
// Standard output carries the result only, with --json exactly one JSON
// document, also of a failure; progress, warnings and logs go to standard
// error. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no sufficient
// evidence, 130 interrupted.
//
// The command uses no network, unless a model of a provider is chosen or spans
// are sent to a collector.
package main
