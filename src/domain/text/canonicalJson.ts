/** Serializes JSON in canonical form, so that equal values have equal digests (after RFC 8785). */

const depthMax = 64

/**
 * The canonical text of a JSON value: no white space, keys of every object in the order of their UTF-16 units, undefined values omitted.
 * Throws on values that JSON has not (functions, bigints, numbers that are not finite) and beyond 64 levels.
 */
export function canonicalJson(value: unknown): string {
  return textOf(value, 0)
}

function textOf(value: unknown, depth: number): string {
  if (depth > depthMax) throw new Error(`JSON deeper than ${depthMax} levels`)
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => textOf(item, depth + 1)).join(',')}]`
  }
  return typeof value === 'object' && value !== null ? objectText(value, depth) : scalarText(value)
}

function objectText(value: object, depth: number): string {
  const members = membersOf(value).map(
    ([prefix, member]) => `${prefix}${textOf(member, depth + 1)}`,
  )
  return `{${members.join(',')}}`
}

/** The members in their order, each behind the text that goes before it. */
function membersOf(value: object): readonly (readonly [prefix: string, member: unknown])[] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [`${JSON.stringify(key)}:`, member] as const)
}

function scalarText(value: unknown): string {
  const sayable =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  if (!sayable) throw new Error(`JSON has no form for a ${typeof value} such as this`)
  return JSON.stringify(value)
}
