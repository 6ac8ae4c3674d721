/** What is probably not what was meant in several changes at once. */

import { newPace } from '../../domain/pace.ts'
import type { Warning } from '../../domain/warning.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { ChangedIds } from './changedIds.ts'
import { indexedNamesakes, nameWarnings } from './namesakes.ts'
import type { KindName, ResourceChange, RulebookChanges } from './rulebookChanges.ts'
import { kindsOf, type OwnKind } from './rulebooks.ts'

/** What looking at a change costs, in the units of a pace: it may be a rule to read and go through. */
const unitsOfChange = 16 * 1024

/** Warnings of one answer. */
const warningsMax = 1_000

interface Changed {
  readonly changes: RulebookChanges
  readonly ids: ChangedIds
  /** The rulebook before them, and with them. */
  readonly before: RulebookState
  readonly after: RulebookState
}

/** The warnings of everything that was written, each under its place in the request. */
export async function changeWarnings(
  context: ServiceContext,
  changed: Changed,
): Promise<readonly Warning[]> {
  const kinds = kindsOf(context)
  const warnings: Warning[] = []
  for (const name of ['rules', 'recipes', 'flows'] as const) {
    await warnOf(name, kinds[name], { changed, warnings })
  }
  return warnings.slice(0, warningsMax)
}

interface Warned {
  readonly changed: Changed
  readonly warnings: Warning[]
}

async function warnOf(
  name: KindName,
  kind: Pick<OwnKind<never, unknown>, 'warnings' | 'noun' | 'named'>,
  { changed: { changes, ids, before, after }, warnings }: Warned,
): Promise<void> {
  const given: readonly ResourceChange<unknown>[] = changes[name] ?? []
  if (given.length === 0) return
  const pace = newPace()
  const { nameOf } = kind.named(after)
  const names = new Map(ids[name].map((id) => [id, nameOf(id)]))
  const namesakeOf = indexedNamesakes(kind.named(before), names)
  for (const [index, change] of given.entries()) {
    await pace.done(unitsOfChange)
    const id = ids[name][index] ?? ''
    const called = names.get(id)
    if (change.delete || called === undefined) continue
    const namesake = namesakeOf(id, called)
    const isNew = namesake !== undefined && names.has(namesake)
    const found = [...(await kind.warnings(after, id)), ...nameWarnings(kind.noun, namesake, isNew)]
    for (const warning of found) {
      warnings.push({ ...warning, path: `${name}.${index}.content.${warning.path}` })
    }
  }
}
