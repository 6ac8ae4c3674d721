/** Lists the paths at which two JSON values differ. */

import { openObject, optional, type TypeOf, text } from '../../domain/schema.ts'

/** The path is dotted: `recipes.0.rules.3.outcome`; empty for the value itself. */
export const replayDifferenceSchema = openObject('ReplayDifference', {
  path: text,
  recorded: optional({ description: 'Absent when the record has no value at the path.' }),
  recomputed: optional({ description: 'Absent when the recomputation has no value at the path.' }),
})
export type Difference = TypeOf<typeof replayDifferenceSchema>

/** Every path at which the second value differs from the first, in the order of the first. */
export function differencesOf(
  recorded: unknown,
  recomputed: unknown,
  path = '',
): readonly Difference[] {
  if (isTree(recorded) && isTree(recomputed)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(recomputed)])
    return [...keys].flatMap((key) =>
      differencesOf(
        Reflect.get(recorded, key),
        Reflect.get(recomputed, key),
        path === '' ? key : `${path}.${key}`,
      ),
    )
  }
  if (Object.is(recorded, recomputed)) return []
  return [
    {
      path,
      ...(recorded !== undefined && { recorded }),
      ...(recomputed !== undefined && { recomputed }),
    },
  ]
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
