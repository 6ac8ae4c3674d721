/** The ids of everything that one request changes or makes. */

import { derivedId } from '../../domain/ids.ts'
import { newPace } from '../../domain/pace.ts'
import type { KindName, ResourceChange, RulebookChanges } from './rulebookChanges.ts'

/** By place in the request. */
export type ChangedIds = Readonly<Record<KindName, readonly string[]>>

/** What it costs to derive an id, in the units of a pace. */
const unitsOfId = 128

const prefixes = { rules: 'rul', recipes: 'rcp', flows: 'flo' } as const

/** As they are given; those of what is new are the same whenever the command is sent. */
export async function changedIds(changes: RulebookChanges, command: string): Promise<ChangedIds> {
  const pace = newPace()
  const idsOf = async (name: KindName): Promise<readonly string[]> => {
    const given: readonly ResourceChange<unknown>[] = changes[name] ?? []
    const ids: string[] = []
    for (const [index, { id }] of given.entries()) {
      ids.push(id ?? derivedId(prefixes[name], command, `${name}.${index}`))
      await pace.done(unitsOfId)
    }
    return ids
  }
  return {
    rules: await idsOf('rules'),
    recipes: await idsOf('recipes'),
    flows: await idsOf('flows'),
  }
}

/** The id that a place such as `rules.0` stands for; any other text as it is. */
export function placed(ids: ChangedIds, name: KindName, text: string): string {
  const [kind, index = '', ...rest] = text.split('.')
  if (kind !== name || rest.length > 0 || !/^\d{1,5}$/.test(index)) return text
  return ids[name][Number(index)] ?? text
}
