// Package injection measures the detection of prompt injection in evidence: whether
// attacks are found, whether harmless texts are flagged, and whether an answer
// follows an attack.
//
//	set, err := injection.Read(ctx, "bipia_injection", nil)
//	got, err := injection.Evaluate(ctx, set, nil)
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// [Fit] trains the detector's weights, which eval/train ships. Every text is data
// here; no instruction in it is followed. The package does not print.
package injection
