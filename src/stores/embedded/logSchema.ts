/** How the event log is kept on disk. */

/** Kept in `PRAGMA user_version`; a program refuses what a newer one wrote. */
export const logVersion = 1

/** Twice the usual size: an event is more than a kilobyte, so fewer pages are written, checked and moved for the same events. */
export const logPageBytes = 8192

/**
 * One row per event and one index. Rows are only ever added, at the end, so that a commit touches few pages; `position` is
 * the rowid, and as nothing is deleted no position is used twice.
 */
export const logSchema = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream   TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    id       TEXT    NOT NULL,
    type     TEXT    NOT NULL,
    data     TEXT    NOT NULL,
    metadata TEXT    NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_of_stream ON events (stream, revision);
`
