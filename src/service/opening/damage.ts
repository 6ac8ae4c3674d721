/** What the service finds damaged while it uses its stores, which at the start were whole as far as was looked. */

import { Failure } from '../../domain/failure.ts'
import type { Logger } from '../../log.ts'
import type { DamagedStore } from '../../metrics/damageMeter.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'

export interface Damage {
  /** Whether the store was found damaged since the start. */
  readonly isFound: () => boolean
  /** The same function of the store; of what it rejects with, a damage is noted, counted, and written to the log, each once. */
  readonly noting: <Args extends readonly unknown[], Answer>(
    ask: (...args: Args) => Promise<Answer>,
  ) => (...args: Args) => Promise<Answer>
}

/** Damages that are told apart: a log of which much is damaged is not to fill the operator's. */
const toldMax = 100

interface DamageOptions {
  readonly logger: Pick<Logger, 'error'>
  readonly metrics: Pick<Metrics, 'damaged'>
  /** Named with each, where what is thrown may not name it. */
  readonly file?: string
}

/** Of one store; none found yet. */
export function openDamage(store: DamagedStore, { logger, metrics, file }: DamageOptions): Damage {
  const told = new Set<string>()
  const note = (error: unknown): void => {
    if (!(error instanceof Failure && error.isDamage)) return
    metrics.damaged(store)
    const { cause: err = error } = error
    const what = err instanceof Error ? err.message : String(err)
    if (told.has(what) || told.size >= toldMax) return
    told.add(what)
    logger.error(
      { kind: 'damage', store, ...(file !== undefined && { file }), err },
      sentences[store],
    )
  }
  return {
    isFound: () => told.size > 0,
    noting:
      (ask) =>
      async (...args) => {
        try {
          return await ask(...args)
        } catch (error) {
          note(error)
          throw error
        }
      },
  }
}

const sentences: Readonly<Record<DamagedStore, string>> = {
  events: 'The event log is damaged: what cannot be read of it is answered 503.',
  documents:
    'The read models are damaged: stop Vigil, delete views.db and start again, which builds them anew from the log.',
  keys: 'The key store is damaged: restore the sealing keys.',
}
