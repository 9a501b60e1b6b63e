// Package evals is agent eval: its verbs, and how the results of cases are shown.
//
// It measures nothing: each measurement is a task of a package under eval.
package evals
