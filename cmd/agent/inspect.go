package main

import (
	"example.com/assay/llm/offline"
	"example.com/assay/memory/retrieval"
)

// ordersIn finds the orders that a text gives to an assistant, by the offline
// detector: it needs no model, whichever answers.
func ordersIn(text string) []retrieval.Order {
	var out []retrieval.Order
	for _, o := range offline.Instructions(text) {
		out = append(out, retrieval.Order{Kind: o.Category, Start: o.Start, End: o.End})
	}
	return out
}
