/** How an answer of a few plain fields is shown. */

import type { Body } from '../connecting/client.ts'
import { printable } from './printable.ts'

/** A line for each field, the values below one another. */
export function fieldLines(body: Body): readonly string[] {
  const widest = Math.max(...Object.keys(body).map((name) => name.length))
  return Object.entries(body).map(
    ([name, value]) => `${printable(name.padEnd(widest))}  ${printable(fieldText(value))}`,
  )
}

/** A value as people read it: switches are on or off. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return Array.isArray(value) ? value.join(', ') : String(value)
}
