// Package config turns flags, variables and the configuration file into [Settings]. One
// table says of each setting its key, its variable, its flag, what it is about, how its
// value is read and shown; those three sources, agent doctor, the file that doctor
// --init writes and the first line of a trace follow it.
//
//	s, err := config.Resolve(a, cmd, flags)
//
// It opens nothing: no model, no corpus and no file but the configuration and files of
// keys, which are checked where they are named.
package config
