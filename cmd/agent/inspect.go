package main

import (
	"slices"

	"example.com/assay/llm/offline"
)

// ordersIn names the kinds of orders that a passage gives to an assistant, each
// once, by the offline detector: it needs no model, whichever answers.
func ordersIn(passage string) []string {
	var kinds []string
	for _, order := range offline.Instructions(passage) {
		if !slices.Contains(kinds, order.Category) {
			kinds = append(kinds, order.Category)
		}
	}
	return kinds
}
