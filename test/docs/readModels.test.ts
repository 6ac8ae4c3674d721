/** The guide for analysts against the read models: every field that their documents show, its kind, and the indexes. */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { analystCollections } from '../../src/projections/operations/analystCollections.ts'
import { readModels } from '../../src/projections/readModels.ts'
import { collectionKey } from '../../src/stores/mongodb/readModelState.ts'

const guide = readFileSync('docs/guide/read-models.md', 'utf8')
const sections = new Map(
  guide
    .split(/^(?=#{2,3} )/m)
    .map((text) => [/^### `(\w+)`$/m.exec(text)?.[1], text] as const)
    .flatMap(([name, text]) => (name === undefined ? [] : [[name, text] as const])),
)

function rowsOf(section: string): readonly string[] {
  const rows = [...section.matchAll(/^\| `([\w.[\]]+)` \| (\w+) \| ./gm)]
  return rows.map(([, path, kind]) => `${path} ${kind}`)
}

/** Fields that no document of the samples shows, by their collections. */
const unshown: Readonly<Record<string, readonly string[]>> = {
  recipes: ['rules[].preempts text', 'rules[].version_id text'],
  managed_recipes: ['parameters[].value_max number', 'parameters[].values list'],
  targets: ['dropped_at number'],
}

const kindNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
}

/** The kinds of the values in the documents that the samples of all events make, by path. */
function kindsSeen(shape: unknown, path = ''): readonly string[] {
  if (typeof shape === 'string') return [`${path} ${kindNames[shape] ?? 'map'}`]
  if (Array.isArray(shape)) {
    return [
      `${path} list`,
      ...shape.filter(isObject).flatMap((item) => fieldsSeen(item, `${path}[].`)),
    ]
  }
  return [`${path} map`, ...fieldsSeen(shape as object, `${path}.`)]
}

function fieldsSeen(shape: object, before: string): readonly string[] {
  return Object.entries(shape).flatMap(([name, kind]) => kindsSeen(kind, `${before}${name}`))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

describe('the guide for analysts', () => {
  test('has a section for each collection they may read, and for no other', () => {
    expect([...sections.keys()].toSorted()).toEqual(
      analystCollections.map(collectionKey).toSorted(),
    )
  })

  test('says of every other collection of the read models that it is not for analysts', () => {
    const [, others = ''] = guide.split('## Not for analysts')
    const known = new Set(analystCollections.map(collectionKey))
    const unsaid = readModels
      .flatMap((projection) => projection.collections)
      .map(collectionKey)
      .filter((name) => !known.has(name) && !others.includes(`\`${name}\``))

    expect(unsaid).toEqual([])
  })

  test.each(analystCollections)('says every field of $name and its kind', (collection) => {
    const said = rowsOf(sections.get(collectionKey(collection)) ?? '')
    const maps = said.flatMap((row) => (row.endsWith(' map') ? [`${row.slice(0, -4)}.`] : []))
    const file = `test/projections/documents/${collection.name}.v${collection.version}.json`
    const shapes = JSON.parse(readFileSync(file, 'utf8')) as readonly object[]
    const shown = new Set(shapes.flatMap((shape) => fieldsSeen(shape, '')))
    const never = unshown[collection.name] ?? []
    // what is in a map is said where it has a form
    const expected = [...shown].filter(
      (row) => said.includes(row) || !maps.some((map) => row.startsWith(map)),
    )

    expect(never.filter((row) => shown.has(row))).toEqual([])
    expect(said.toSorted()).toEqual([...expected, ...never].toSorted())
  })

  test.each(analystCollections)('says the indexes of $name', (collection) => {
    const section = sections.get(collectionKey(collection)) ?? ''
    const [, listed = ''] = /^Index(?:es)?: (.*)$/m.exec(section) ?? []
    const indexes = [...listed.matchAll(/`([\w, ]+)`/g)].map(([, fields = '']) =>
      fields.split(', '),
    )

    expect(indexes).toEqual(collection.indexes)
  })
})
