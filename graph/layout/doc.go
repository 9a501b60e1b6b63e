// Package layout places the drawing of a graph in layers, for pages and for SVG files:
// nodes below those that lead to them, graphs inside nodes as boxes with their own layers.
//
//	svg := layout.Of(app.Drawing(), nil).SVG()
//
// The same drawing gives the same bytes. Boxes do not overlap, edges run through no box, and
// an edge points down unless it closes a loop. The package measures texts by a fixed width
// for each character, so that no font is needed; it does not minimise crossings exactly.
package layout
