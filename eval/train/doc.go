// Train makes what the offline model learned: weights that the repository
// holds, from data that it does not.
//
//	go run ./eval/train verify --data DIR
//
// Each part is a sub-command. It reads its data, cross-validates by group,
// trains on everything, and writes the weights with a page beside them that
// names the command, the data's hash and the scores. What is random is seeded, and
// nothing depends on the number of processors: run again on the same data, it
// writes the same bytes.
//
// The agent does not contain this command, and downloads nothing. Which data
// may be trained on is the business of whoever runs it; what ships was trained
// on data whose licence permits that (docs/dependencies.md).
package main
