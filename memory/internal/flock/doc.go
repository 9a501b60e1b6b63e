// Package flock locks files between processes by advisory locks that end
// with the process that holds them. It works on Unix systems only.
package flock
