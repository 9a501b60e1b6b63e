package verify

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/nodes/verify/claims"
)

// splitClaims finds the claims of the current response. Verdicts on an earlier version are in its
// attempt, and do not count for this one.
func splitClaims() graph.Node[State] {
	return func(_ context.Context, s State) (graph.Update[State], error) {
		return graph.Update[State]{
			claimsChannel.Set(claims.Split(s.Response)),
			verdictsChannel.Overwrite(nil),
		}, nil
	}
}
