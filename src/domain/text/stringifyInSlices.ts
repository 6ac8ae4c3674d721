/** Writes a long answer as JSON text in slices. */

import type { Schema } from '../jsonSchema.ts'
import { pauseLongWork } from '../load/longWork.ts'
import { findPartSchema, findShownSchema, isSealedSchema, sealPersons } from '../shownPersons.ts'

/** Levels that are written item by item: down to the rules of a recipe of an explanation. */
const levels = 4

/**
 * The text of `JSON.stringify` for plain data, with other work between its items, in a job or beside the jobs. Given a schema, everything that
 * it says is of a person is sealed.
 */
export async function stringifyInSlices(
  value: unknown,
  schema?: Schema,
  left = levels,
): Promise<string> {
  const shown = schema && findShownSchema(value, schema)
  if (left === 0 || typeof value !== 'object' || value === null || isSealedSchema(shown)) {
    await pauseLongWork()
    return JSON.stringify(sealPersons(value, schema))
  }
  const isList = Array.isArray(value)
  const texts: string[] = []
  for (const [field, item] of Object.entries(value)) {
    if (item === undefined) continue
    const part = shown && findPartSchema(shown, isList ? undefined : field)
    const text = await stringifyInSlices(item, part, left - 1)
    texts.push(isList ? text : `${JSON.stringify(field)}:${text}`)
  }
  return isList ? `[${texts.join()}]` : `{${texts.join()}}`
}
