// Package backup has agent backup and agent restore: a whole home as one file, made while
// other processes use the home.
//
// A backup holds no rows of a PostgreSQL store, no index on a server, and no document that
// was ingested from outside the home: corpora keep the passages and the path.
package backup
