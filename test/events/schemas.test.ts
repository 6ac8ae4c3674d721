/**
 * What each version of an event type may hold, as its schema says it. That of a version which has been written never
 * changes: what does not fit is of the next version. A missing one is written and reported; look at it and commit it.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { versions } from '../../src/events/catalogue.ts'
import { type Defined, definitionsByType } from './samples.ts'

const folder = join(import.meta.dirname, 'schemas')

function schemasOf({ schema, personal }: Defined): object {
  const clear = Object.entries(personal).map(([field, { schema: of }]) => [field, of])
  return { ...schema, personal: Object.fromEntries(clear) }
}

// events of older versions are read through their fixtures, and never written again
test('the folder holds the schemas of the versions that are written and nothing else', () => {
  const known = [...versions].map(([type, version]) => `${type}.v${version}.json`)

  expect(readdirSync(folder).filter((file) => !known.includes(file))).toEqual([])
})

test.each([...definitionsByType])('the schema of %s is the one of its version', (type, defined) => {
  const file = join(folder, `${type}.v${versions.get(type)}.json`)
  const missing = !existsSync(file)
  const schemas = schemasOf(defined)
  if (missing) writeFileSync(file, `${JSON.stringify(schemas, undefined, 2)}\n`)

  expect(missing, `${file} was missing and has been written; look at it and commit it`).toBe(false)
  expect(schemas).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})
