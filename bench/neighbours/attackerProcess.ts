/**
 * A process that attacks as one account; it is started so that it gives way to the service and to the neighbour, with
 * whom it shares the cores.
 */

import { answerMessages } from '../childProcess.ts'
import { type AttackerOptions, openAttacker } from './attacker.ts'
import { attackNamed } from './attacks.ts'

export interface AttackOrder extends AttackerOptions {
  /** Its name among the attacks. */
  readonly attack: string
}

answerMessages<AttackOrder, string>(async ({ attack, ...options }) => {
  const attacker = openAttacker(options)
  try {
    await attackNamed(attack).run(attacker)
    return attacker.report()
  } finally {
    attacker.close()
  }
})
