package facts_test

import (
	"fmt"

	"example.com/assay/decide/claim/facts"
)

func ExampleEvidence_Check() {
	ev := facts.Prepare([]string{
		"Every operator of a ferry must keep a log of departures for six years.",
		"The log is open to the public.",
	})
	for _, claim := range []string{
		"Ferry operators are required to keep a departure log for 72 months.",
		"Ferry operators may keep a log of departures for eight years.",
	} {
		fmt.Println(claim)
		for _, c := range ev.Check(claim).Conflicts {
			fmt.Printf("  %s: %q against %q, opposed %v\n", c.Kind, c.Claim, c.Evidence, c.Opposed)
		}
	}
	// Output:
	// Ferry operators are required to keep a departure log for 72 months.
	// Ferry operators may keep a log of departures for eight years.
	//   modality: "may" against "must", opposed true
	//   number: "eight years" against "six years", opposed true
}
