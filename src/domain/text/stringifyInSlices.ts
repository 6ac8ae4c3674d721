/** Writes a long answer as JSON text in slices. */

import { pauseLongWork } from '../load/longWork.ts'

/** Levels that are written item by item: down to the rules of a recipe of an explanation. */
const levels = 4

/** The text of `JSON.stringify` for plain data, with other work between its items, in a job or beside the jobs. */
export async function stringifyInSlices(value: unknown, left = levels): Promise<string> {
  if (left === 0 || typeof value !== 'object' || value === null) {
    await pauseLongWork()
    return JSON.stringify(value)
  }
  const isList = Array.isArray(value)
  const texts: string[] = []
  for (const [field, item] of Object.entries(value)) {
    if (item === undefined) continue
    const text = await stringifyInSlices(item, left - 1)
    texts.push(isList ? text : `${JSON.stringify(field)}:${text}`)
  }
  return isList ? `[${texts.join()}]` : `{${texts.join()}}`
}
