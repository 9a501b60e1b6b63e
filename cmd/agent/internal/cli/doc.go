// Package cli is one start of the program: its streams, its environment, its clock and
// its randomness enter through an [App], so that tests run a verb inside their own
// process. It also has what every verb needs: errors with exit codes and advice, groups
// of verbs, and questions from standard input.
//
//	return cli.Usagef("--jobs is %d: it must be from 1 to 64", jobs)
//
// It knows no verb, no setting and no pipeline.
package cli
