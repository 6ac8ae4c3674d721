/** Estimates the bytes of memory that plain data takes: strings, numbers, lists, objects. */

/** What a string, a list or an object takes beside what is in it. */
const ownBytes = 24
/** A place in a list or an object. */
const placeBytes = 8
/** Beyond these a string takes two bytes for each of its units. */
const isWide = /[^\0-\xff]/

/** The estimate; an object that is referenced twice counts twice. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return ownBytes + value.length * (isWide.test(value) ? 2 : 1)
  if (typeof value !== 'object' || value === null) return placeBytes
  let bytes = ownBytes
  for (const part of Object.values(value)) bytes += placeBytes + weightOf(part)
  return bytes
}
