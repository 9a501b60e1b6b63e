// Package config turns flags, variables and the configuration file into [Settings]. One
// table has the key, variable, flag and description of each setting, and how its value is
// read and shown. The three sources, agent doctor, the file that doctor --init writes and
// the first line of a trace all use that table.
//
//	s, err := config.Resolve(a, cmd, flags)
//
// It opens no model and no corpus. The only files that it reads are the configuration,
// skills, and the files of keys that the configuration names.
package config
