/** Lists the paths at which two JSON values differ. */

export interface Difference {
  /** Dotted place: `recipes.0.rules.3.outcome`; empty for the value itself. */
  readonly path: string
  /** Absent when the value has nothing at the path. */
  readonly recorded?: unknown
  readonly recomputed?: unknown
}

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
