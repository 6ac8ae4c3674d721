/** How long what has ended is still kept in mind where that is decided by clocks that may differ, in milliseconds. */
export const endedKeptMs = 60 * 60 * 1_000
