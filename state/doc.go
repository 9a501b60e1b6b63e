// Package state has the types that all pipelines share: passages, quotes, claims and verdicts, the
// audit of a decision, the outcome of a run, the cost of models, and the answer's JSON. Agent is
// the state of the research pipeline. The other pipelines define their states, channels and types
// next to their nodes. Values of a skill's answer that the offline model or telemetry also reads
// (SupportType, RejectionReason, FindingKind) are here.
//
//	var a state.Answer
//	err := json.Unmarshal(printed, &a) // the output of --json
//
// The package makes no decisions and calls no models.
package state
