package verify

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/nodes/verify/claims"
	"example.com/assay/state"
)

// Split finds the claims of the response as it stands. What was judged of an
// earlier version is in its attempt, and does not count for this one.
func Split() graph.Node[state.Verify] {
	return func(_ context.Context, s state.Verify) (graph.Update[state.Verify], error) {
		return graph.Update[state.Verify]{
			state.VerifyClaims.Set(claims.Split(s.Response)),
			state.VerifyVerdicts.Overwrite(nil),
		}, nil
	}
}
