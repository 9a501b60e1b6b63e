// Package cassette records what models answered, and answers from the record. The calls
// of other servers, such as those of tools elsewhere, go into the same file (Outside).
//
//	rec, err := cassette.Record("run.jsonl", nil)
//	m := rec.Wrap(controls.Wrap(model)) // outside of retries: one recording per call
//	…
//	err = rec.Close()
//
//	player, err := cassette.Replay("run.jsonl") // a Model that asks nobody
//	…
//	left := player.Unused()
//
// A file is JSON Lines: a first line that says what it is, one line for each
// call, and a last line that says how many there are, without which the file
// was cut. Recordings are found by a hash of what was asked: skill, hash of the
// skill's file, messages, schema, tools, sampling and the skill's input. Images are
// recorded by their hashes. Times and names
// of runs are not part of it, line ends and the order of JSON keys neither. A
// changed prompt is therefore not answered; the error shows the recording that
// is nearest.
//
// It records above HTTP, so that no header and no address of a request is
// there to be written. What errors say is cut where it looks like a key, and
// RecordOptions.Secrets are cut everywhere.
//
// What a call cost, and why a fallback answered it, are recorded, too. A replay
// costs nothing: what was paid then counts apart (state.ModelUsage.RecordedCost).
package cassette
