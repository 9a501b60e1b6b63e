// Command report measures every figure that the project claims and writes docs/results.md:
//
//	go run ./eval/report DATA
//	go run ./eval/report -out /tmp/results.md DATA
//
// DATA has the data sets, each in a folder of its name (`agent help eval all` lists them). A
// missing set is left out, and the page says so. The command builds agent, runs `agent eval all`,
// `agent eval cases` and the cross-validation of eval/train, and needs Go and git. All numbers on
// the page are generated: the page ends with a hash of its lines, which a test checks.
package main
