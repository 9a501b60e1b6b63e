// Package layout places the drawing of a graph in layers, for pages and for SVG files. Successors
// stand below their nodes, and a graph inside a node is a box with its own layers.
//
//	svg := layout.Of(app.Drawing(), nil).SVG()
//
// Equal drawings give equal bytes. Boxes do not overlap, edges run through no box, and an edge
// points down unless it closes a loop. The package assumes a fixed width for each character, so it
// needs no font. It does not find the minimum of crossings.
package layout
