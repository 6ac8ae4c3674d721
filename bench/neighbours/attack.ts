/** What one account can do to all others. */

import type { Attacker } from './attacker.ts'

export interface Attack {
  /** What the account does, as its row says it: behind "while another account …". */
  readonly does: string
  /**
   * Makes what it needs, then repeats until the attacker's time is over, at least once. Everything sent has been
   * answered when it ends.
   */
  readonly run: (attacker: Attacker) => Promise<void>
}
