// Command train makes the weights of the offline model, which are in the repository, from data that
// is not.
//
//	go run ./eval/train verify --data DIR
//
// Each part is a sub-command. It reads its data, cross-validates by group, trains on everything,
// and writes the weights with a page next to them that names the command, the data's hash and the
// scores. Random choices are seeded, and nothing depends on the number of processors: on the same
// data it writes the same bytes again.
//
// The agent does not contain this command, and the command downloads nothing. Whoever runs it is
// responsible for the licence of the data; the shipped weights were trained on data whose licence
// permits that (docs/dependencies.md).
package main
