// Package cassette records the answers of models, and answers from the record. Calls of other
// servers, such as tools on MCP servers, go into the same file (Outside).
//
//	rec, err := cassette.Record("run.jsonl", nil)
//	m := rec.Wrap(controls.Wrap(model)) // outside of retries: one recording per call
//	…
//	err = rec.Close()
//
//	player, err := cassette.Replay("run.jsonl") // a Model that makes no calls
//	…
//	left := player.Unused()
//
// A file is JSON Lines: a header, one line for each call, and a last line with the number of calls.
// A file without its last line was cut. A recording is found by a hash of the request: skill, hash
// of the skill's file, messages, schema, tools, sampling and the skill's input. Images count by
// their hashes. Times, names of runs, line ends and the order of JSON keys do not count. So a
// changed prompt has no recording; the error shows the nearest one.
//
// The package records above HTTP, so a file never has headers or addresses of requests. It cuts
// texts of errors that look like a key, and RecordOptions.Secrets everywhere.
//
// A recording also has the call's cost, and the reason for a fallback. A replay costs nothing: the
// recorded cost is counted apart (state.ModelUsage.RecordedCost).
package cassette
