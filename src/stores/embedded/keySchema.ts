/** How sealing keys are kept on disk. */

/** Kept in `PRAGMA user_version`; a program refuses what a newer one wrote. */
export const keyVersion = 2

/**
 * What was destroyed, and when; how many changes the keys have seen, with an id of the last. Nothing before version 2 destroyed a key that
 * somebody had.
 */
const sinceVersion2 = `
  CREATE TABLE destroyed (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX destroyed_at ON destroyed (at);
  CREATE TABLE history (
    one INTEGER PRIMARY KEY CHECK (one = 1), changes INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT;
`

/** From each older version to the next. */
export const keyUpgrades: Readonly<Record<number, string>> = { 1: sinceVersion2 }

// rows are appended, so that a new key never moves an old one; the ids are random and only their index is shuffled
export const keySchema = `
  CREATE TABLE keys (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wrapped BLOB NOT NULL) STRICT;
  CREATE TABLE master (one INTEGER PRIMARY KEY CHECK (one = 1), proof BLOB NOT NULL) STRICT;
  ${sinceVersion2}`
