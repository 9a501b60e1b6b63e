// Package state holds what all pipelines share: passages, quotes, claims and verdicts,
// the audit of a decision, how a run ended, what models cost, and the answer's JSON.
// Agent is the state of the research pipeline. The other pipelines keep their states,
// channels and types with their nodes. The words of a skill's answer that the offline
// model or telemetry reads too (SupportType, RejectionReason, FindingKind) are here.
//
// The package decides nothing and asks nobody.
package state
