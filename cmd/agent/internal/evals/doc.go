// Package evals is agent eval: its verbs, and the printing of the results of cases.
//
// It measures nothing: each measurement is a task of a package under eval.
package evals
