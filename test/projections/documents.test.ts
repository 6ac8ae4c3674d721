/**
 * What the documents of each version of a projection look like, made of the sample of every event. That of a version
 * which has been released never changes: other documents are of the next version, so that they are built anew. A
 * missing one is written and reported; look at it and commit it.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allProjections } from '../../src/projections/allProjections.ts'
import { definitionsByType, samples } from '../events/samples.ts'
import { type ReadModelsRun, runReadModels } from './readModelsRun.ts'

const folder = join(import.meta.dirname, 'documents')

/** The kinds of value in the place of the values; of a list those of its items, each once. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return [...new Set(value.map((item) => JSON.stringify(shapeOf(item))))].map((text) =>
      JSON.parse(text),
    )
  }
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}

/** The data as it stands in the log: what is personal lies in one box. */
function inLog(type: string, data: object): object {
  const personal = Object.keys(definitionsByType.get(type)?.personal ?? {})
  const [first = '', ...others] = personal.filter((field) => field in data)
  if (first === '') return data
  const box = { key: 'key', box: 'box', ...(others.length > 0 && { fields: [first, ...others] }) }
  const lodged = others.map((field) => [field, { sealed: { key: 'key', in: first } }] as const)
  return { ...data, [first]: { sealed: box }, ...Object.fromEntries(lodged) }
}

const collections = allProjections.flatMap(({ collections: all }) => all)
const nameOf = ({ name, version }: { name: string; version: number }) => `${name}.v${version}.json`

let run: ReadModelsRun
beforeAll(async () => {
  run = runReadModels()
  // what is deleted has no documents any more, but for lists, which are noted
  const stay = Object.entries(samples).filter(
    ([type]) => type === 'ListDeleted' || !/(?:Retired|Unlisted|Deleted)$/.test(type),
  )
  for (const [type, data] of stay) {
    const subjects = [{ digest: 'subject', key: 'key' }]
    run.log.add('s', type, inLog(type, data), {
      account: 'acc_a',
      actor: 'tok_a',
      time: 1,
      subjects,
    })
  }
  await run.caughtUp()
})
afterAll(() => run.projections.close())

test('the samples fit every projection', () => {
  expect(
    run.projections.progress().filter(({ status, parked }) => status === 'failing' || parked),
  ).toEqual([])
})

// older ones are built anew and never read
test('the folder holds the documents of the versions that there are and nothing else', () => {
  expect(readdirSync(folder).filter((file) => !collections.map(nameOf).includes(file))).toEqual([])
})

test.each(collections)('the documents of $name are those of version $version', (collection) => {
  const file = join(folder, nameOf(collection))
  const documents = run.disk.collections.get(`${collection.name}@${collection.version}`)
  const bodies = [...(documents?.values() ?? [])].map(({ body }) => body)
  const shapes = shapeOf(bodies)
  const missing = !existsSync(file)
  if (missing) writeFileSync(file, `${JSON.stringify(shapes, undefined, 2)}\n`)

  expect(missing, `${file} was missing and has been written; look at it and commit it`).toBe(false)
  expect(bodies).not.toEqual([])
  const known = JSON.parse(readFileSync(file, 'utf8')) as readonly unknown[]
  expect(shapes).toHaveLength(known.length)
  expect(shapes).toEqual(expect.arrayContaining([...known]))
})

/** Of every member, at any depth. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)])
}

test.each(collections)(
  'the documents of $name have only names that every MongoDB from 4.4 on keeps',
  ({ name, version }) => {
    const documents = run.disk.collections.get(`${name}@${version}`)
    const names = [...(documents?.values() ?? [])].flatMap(({ body }) => namesIn(body))

    expect(names.filter((one) => one.startsWith('$') || one.includes('.'))).toEqual([])
  },
)
