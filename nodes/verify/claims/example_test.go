package claims_test

import (
	"fmt"

	"example.com/assay/nodes/verify/claims"
)

func ExampleSplit() {
	answer := "## Deposits\nThe deposit is 80 euros [Source 2]. Is it due now? A tenant must:\n- pay it in May [Source 1]\n- keep the receipt"
	for _, c := range claims.Split(answer) {
		fmt.Printf("%d %q %q %q\n", c.ID, answer[c.Start:c.End], c.Cites, c.Context)
	}
	// Output:
	// 1 "The deposit is 80 euros" ["Source 2"] ""
	// 2 "pay it in May" ["Source 1"] "A tenant must:"
	// 3 "keep the receipt" [] "A tenant must:"
}
