/** Sets how long expired list entries are still stored, in ms, since clocks of instances differ. */
export const endedKeptMs = 60 * 60 * 1_000
