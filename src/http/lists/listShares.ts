/** What the lists of an account may hold of the connections, whatever their form. */

import { openShares, type Shares } from '../../domain/shares.ts'

export interface ListShares {
  /** Lists that are answered whole, under way. */
  readonly longAnswers: Shares
  /** Imports under way. */
  readonly imports: Shares
}

/** So many at once: of an account, and of all. Opened once, for every route of lists. */
export function openListShares(): ListShares {
  return {
    longAnswers: openShares({ share: 4, total: 32 }),
    imports: openShares({ share: 1, total: 8 }),
  }
}
