// Package repository holds the tests of the repository as a whole: who may
// import whom, which library stands behind which package, and that the README
// shows the real graph and the real example.
//
// It has no code of its own.
package repository
