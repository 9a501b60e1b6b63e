// Package evals shows what cases found: as tables, and as the files of a folder.
//
// It runs nothing and reads no settings: the verb eval cases does.
package evals
