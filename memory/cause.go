package memory

import "example.com/assay/state"

// These errors keep a run from reading its corpus.

func (e *CorruptCorpusError) Cause() state.Cause { return state.CauseIndex }
func (e *OtherVersionError) Cause() state.Cause  { return state.CauseIndex }
func (e *EmbedderError) Cause() state.Cause      { return state.CauseIndex }
