// Package repository has the tests of the repository as a whole: which packages may import which,
// which library each package may use, and that the README shows the real graph and the real
// example. It has no code of its own.
package repository
