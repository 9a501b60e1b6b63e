package llm

import (
	"context"
	"errors"

	"example.com/assay/state"
)

// A Receipt says what a call met on its way that its Response does not tell,
// all attempts of a repeated one together. Without Priced around the model no
// money is counted, and Cost is 0 and Unpriced false.
type Receipt struct {
	Cost     state.Money // what is known of it
	Unpriced bool        // it is not known what the call cost, in part or in whole
	Fallback string      // why the first model did not answer, when another was asked; at most 300 bytes
	Lost     state.Cause // the cause of that, when the other only stood in for it (StandIn); else empty
}

// WithReceipt returns a context for one call of a model, and what reads the
// call's receipt when it has ended. What is booked there is booked for Ask,
// Converse and Budget above, too.
func WithReceipt(ctx context.Context) (context.Context, func() Receipt) {
	inner, acc := open(ctx, false)
	return inner, func() Receipt {
		r := Receipt{}
		r.Cost, r.Unpriced, _ = acc.money()
		if lost, why := acc.whyFallback(); why != nil {
			r.Fallback, r.Lost = Cut(why.Error(), maxErrorText), lost
		}
		return r
	}
}

// Recorded books the receipt of a call that was made at another time and is
// answered now without being made: its cost counts apart from what is spent
// (state.ModelUsage.RecordedCost), and its fallback as that of this call.
func Recorded(ctx context.Context, r Receipt) {
	acc := accountOf(ctx)
	acc.payRecorded(r)
	if r.Fallback != "" {
		acc.fellBack(errors.New(r.Fallback), r.Lost)
	}
}
