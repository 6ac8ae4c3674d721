/** How the event log is kept on disk. */

/** Kept in `PRAGMA user_version`; a program refuses what a newer one wrote. */
export const logVersion = 2

/** Twice the usual size: an event is more than a kilobyte, so fewer pages are written, checked and moved for the same events. */
export const logPageBytes = 8192

/** Positions whose events were lost and will never be there again: the owner has accepted it, and an event after them says so. */
const lostPositions = `
  CREATE TABLE lost_positions (first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
`

/** From each older version to the next. */
export const logUpgrades: Readonly<Record<number, string>> = { 1: lostPositions }

/** The versions that this program can read as they are. */
export const knownLogVersions: readonly number[] = [1, logVersion]

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
  ${lostPositions}`
