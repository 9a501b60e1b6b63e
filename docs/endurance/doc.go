// Package endurance drives a whole installation for as long as it is told to, and breaks it: a
// server with clients, documents that are ingested beside them, and a worker.
//
//	go test ./docs/endurance -for 2h -seed 1 -timeout 3h -v
//
// The test builds the real command, runs it in processes of its own, and kills, fills, slows and
// cuts off one thing after the other. After each fault it waits until all is quiet and checks what
// must hold: every run has ended, nothing that was acknowledged is lost or doubled, every quote has
// its bytes, every stream is whole. PostgreSQL, Temporal and a disk that can be filled are used
// where they are there.
//
// It does not break machines: a process that is killed leaves what it wrote to the kernel, so a
// disk that lies about having written is not seen here. The model is a few lines on the loopback,
// so nothing is said about the quality of answers.
package endurance
