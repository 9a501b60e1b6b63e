package main

import (
	"example.com/assay/decide/injection"
	"example.com/assay/memory/retrieval"
)

// ordersIn finds the orders that a text gives to an assistant, by the offline
// detector: it needs no model, whichever answers.
func ordersIn(text string) []retrieval.Order {
	var out []retrieval.Order
	for _, o := range injection.Instructions(text) {
		out = append(out, retrieval.Order{Kind: o.Category, Start: o.Start, End: o.End})
	}
	return out
}
