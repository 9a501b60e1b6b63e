package verify

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/nodes/verify/claims"
)

// splitClaims finds the claims of the response as it stands. What was judged of an
// earlier version is in its attempt, and does not count for this one.
func splitClaims() graph.Node[State] {
	return func(_ context.Context, s State) (graph.Update[State], error) {
		return graph.Update[State]{
			claimsChannel.Set(claims.Split(s.Response)),
			verdictsChannel.Overwrite(nil),
		}, nil
	}
}
