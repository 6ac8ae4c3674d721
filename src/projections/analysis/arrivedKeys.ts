/** Projects the last day on which each key of `ext` arrived with an evaluation. */

import type { EvaluationEvent } from '../../events/evaluation/evaluationEvents.ts'
import { isClearKey } from '../../events/evaluation/evidenceRecord.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'
import { dayMs } from './counts.ts'

/** By the account. Days are those of UTC since the Unix epoch, by the clock of the log. */
export interface ArrivedKeysDocument {
  /** Of the last evaluation. */
  readonly day: number
  readonly keys: readonly ArrivedKey[]
  /** The last one on which a key was left out: there were too many, in one evaluation or in all. */
  readonly left_out?: number
}

type ArrivedKey = readonly [key: string, day: number]

/** How long a key is known, and how many keys are. */
export const arrivedKeysMax = { days: 7, keys: 500 } as const

const identity = { name: 'arrived_keys', version: 1 } as const
export const arrivedKeysCollection = defineCollection<ArrivedKeysDocument>({ projection: identity })

type Evaluated = Extract<EvaluationEvent, { type: 'FlowEvaluated' }>

export const arrivedKeysProjection = defineProjection<Evaluated, ArrivedKeysDocument>({
  ...identity,
  collections: [arrivedKeysCollection],
  eventTypes: ['FlowEvaluated'],
  targets: ({ metadata: { account } }) => [{ collection: arrivedKeysCollection, id: account }],
  apply: (before, { event, metadata }) => {
    const { ext = [], ext_unnamed = 0 } = event.data.arrived
    const day = Math.max(before?.day ?? 0, Math.floor(metadata.time / dayMs))
    const known = before?.day === day ? before : forgetOld(before, day)
    const isNew = (key: string) => !known.keys.some(([one, on]) => one === key && on === day)
    const arrived = ext.filter(isNew)
    // one whose name is sealed may be any key, unless it is sealed for what it says
    const isOneLeftOut = ext_unnamed > 0 && !isClearKey('', ext.length)
    return addKeys(known, arrived, isOneLeftOut)
  },
})

function forgetOld(before: ArrivedKeysDocument | undefined, day: number): ArrivedKeysDocument {
  const keys = (before?.keys ?? []).filter(([, on]) => on >= day - arrivedKeysMax.days)
  return { ...before, day, keys }
}

/** Most evaluations of a day change nothing: then it is the same document, which is not written. */
function addKeys(
  known: ArrivedKeysDocument,
  arrived: readonly string[],
  isOneLeftOut: boolean,
): ArrivedKeysDocument {
  if (arrived.length === 0 && !isOneLeftOut) return known
  const { day } = known
  const days = new Map(known.keys)
  for (const key of arrived) {
    if (days.has(key) || days.size < arrivedKeysMax.keys) days.set(key, day)
  }
  const isCut = isOneLeftOut || arrived.some((key) => !days.has(key))
  const isNoNews = (!isCut || known.left_out === day) && !arrived.some((key) => days.has(key))
  return isNoNews ? known : { ...known, keys: [...days], ...(isCut && { left_out: day }) }
}
