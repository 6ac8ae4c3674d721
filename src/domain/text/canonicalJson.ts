/** Serializes JSON in canonical form, so that equal values have equal digests (after RFC 8785). */

const depthMax = 64

/**
 * The canonical text of a JSON value: no white space, keys of every object in the order of their UTF-16 units,
 * undefined values omitted. Throws on values that JSON does not have (functions, bigints, numbers that are not finite)
 * and beyond 64 levels.
 */
export function canonicalJson(value: unknown): string {
  return formatValue(value, 0)
}

function formatValue(value: unknown, depth: number): string {
  if (depth > depthMax) throw new Error(`JSON deeper than ${depthMax} levels`)
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => formatValue(item, depth + 1)).join(',')}]`
  }
  return typeof value === 'object' && value !== null
    ? formatObject(value, depth)
    : formatScalar(value)
}

function formatObject(value: object, depth: number): string {
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${formatValue(member, depth + 1)}`)
  return `{${members.join(',')}}`
}

function formatScalar(value: unknown): string {
  const isJson =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  if (!isJson) throw new Error(`JSON has no form for this ${typeof value}`)
  return JSON.stringify(value)
}
