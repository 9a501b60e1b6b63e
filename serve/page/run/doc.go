// Package run shows one run as parts of a page: the graph with the path taken, the steps, the
// timeline and what differs between two runs; and all of them as one file.
//
// It writes what a view holds and no more: no edge, reader or prompt that was not recorded. It
// reads no log and no checkpoint, and knows no server; package page puts the parts on pages.
package run
