/** The ids of everything that one request changes or makes. */

import { derivedId } from '../../domain/ids.ts'
import type { KindName, ResourceChange, RulebookChanges } from './rulebookChanges.ts'

/** By place in the request. */
export type ChangedIds = Readonly<Record<KindName, readonly string[]>>

const prefixes = { rules: 'rul', recipes: 'rcp', flows: 'flo' } as const

/** As they are given; those of what is new are the same whenever the command is sent. */
export function changedIds(changes: RulebookChanges, command: string): ChangedIds {
  const idsOf = (name: KindName): readonly string[] => {
    const given: readonly ResourceChange<unknown>[] = changes[name] ?? []
    return given.map(
      ({ id }, index) => id ?? derivedId(prefixes[name], command, `${name}.${index}`),
    )
  }
  return { rules: idsOf('rules'), recipes: idsOf('recipes'), flows: idsOf('flows') }
}

/** The id that a place such as `rules.0` stands for; any other text as it is. */
export function placed(ids: ChangedIds, name: KindName, text: string): string {
  const [kind, index = '', ...rest] = text.split('.')
  if (kind !== name || rest.length > 0 || !/^\d{1,5}$/.test(index)) return text
  return ids[name][Number(index)] ?? text
}
