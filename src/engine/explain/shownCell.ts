/** One value of the evidence as answers show it. */

import { typeOfName } from '../language/names.ts'
import type { Cell } from '../language/values/value.ts'

/** What arrived under a name; a time, which is milliseconds here, in ISO 8601. */
export function shownCell(name: string, value: Cell): Cell {
  const isTime = typeof value === 'number' && typeOfName(name, undefined) === 'timestamp'
  return isTime ? new Date(value).toISOString() : value
}
