/**
 * Sets for how many milliseconds expired list entries are still stored.
 * The margin covers the clocks of instances, which may differ.
 */
export const endedKeptMs = 60 * 60 * 1_000
