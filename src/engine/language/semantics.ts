/** The version of the meaning of rules. */

/**
 * Recorded with every evaluation. Rises when the same expression over the same evidence could give another outcome than before;
 * an evaluation is replayed with the meaning it was made with.
 */
export const semanticsVersion = 1
