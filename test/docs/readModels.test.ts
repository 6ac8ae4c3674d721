/** The guide for analysts against the read models: every field that their documents show, its kind, and the indexes. */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allProjections } from '../../src/projections/allProjections.ts'
import { analystCollections } from '../../src/projections/operations/analystCollections.ts'
import { collectionKey } from '../../src/stores/mongodb/readModelState.ts'

const guide = readFileSync('docs/guide/read-models.md', 'utf8')
const sections = new Map(
  guide
    .split(/^(?=#{2,3} )/m)
    .map((text) => [/^### `(\w+)`$/m.exec(text)?.[1], text] as const)
    .flatMap(([name, text]) => (name === undefined ? [] : [[name, text] as const])),
)

/** Fields that no document of the sample events has, by collection. */
const beyondSamples = new Map([
  ['recipes', ['rules[].preempts text', 'rules[].version_id text']],
  ['managed_recipes', ['parameters[].value_max number', 'parameters[].values list']],
  ['targets', ['dropped map']],
])

const kinds = new Map([
  ['string', 'text'],
  ['number', 'number'],
  ['boolean', 'boolean'],
])

/** Every field below `before` with its kind, inner ones included. */
function fieldsIn(shape: object, before = ''): readonly string[] {
  return Object.entries(shape).flatMap(([name, value]) => {
    const path = `${before}${name}`
    if (typeof value === 'string') return [`${path} ${kinds.get(value)}`]
    if (!Array.isArray(value)) return [`${path} map`, ...fieldsIn(value, `${path}.`)]
    const items = value.filter((item) => typeof item === 'object' && !Array.isArray(item))
    return [`${path} list`, ...items.flatMap((item) => fieldsIn(item, `${path}[].`))]
  })
}

/** The fields that the guide names in a section. */
function rowsOf(section: string): readonly string[] {
  const rows = [...section.matchAll(/^\| `([\w.[\]]+)` \| (\w+) \| ./gm)]
  return rows.map(([, path, kind]) => `${path} ${kind}`)
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
    const unsaid = allProjections
      .flatMap((projection) => projection.collections)
      .map(collectionKey)
      .filter((name) => !known.has(name) && !others.includes(`\`${name}\``))

    expect(unsaid).toEqual([])
  })

  test.each(analystCollections)('says every field of $name and its kind', (collection) => {
    const { name, version } = collection
    const said = rowsOf(sections.get(collectionKey(collection)) ?? '')
    // of a map that may hold anything the guide names no field
    const open = said
      .filter((row) => row.endsWith(' map'))
      .map((row) => row.replace(/ map$/, '.'))
      .filter((map) => !said.some((row) => row.startsWith(map)))
    const file = `test/projections/documents/${name}.v${version}.json`
    const shapes = JSON.parse(readFileSync(file, 'utf8')) as readonly object[]
    const shown = new Set(shapes.flatMap((shape) => fieldsIn(shape)))
    const named = [...shown].filter((row) => !open.some((map) => row.startsWith(map)))

    expect(said.toSorted()).toEqual([...named, ...(beyondSamples.get(name) ?? [])].toSorted())
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
