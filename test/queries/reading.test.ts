import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  findDocuments,
  getDocument,
  type Readers,
} from '../../src/projections/running/documents.ts'
import { defineCollection } from '../../src/projections/running/projection.ts'
import { findEventLocations } from '../../src/queries/audit/eventLocations.ts'
import { listRecordedEvaluations } from '../../src/queries/evaluation/evaluationsByPosition.ts'
import {
  decodeCursor,
  encodeCursor,
  findPage,
  findPageByCreation,
} from '../../src/queries/reading/page.ts'
import {
  createResourceReader,
  toOwnedDocumentView,
} from '../../src/queries/reading/resourceReader.ts'
import type { Collection, DocumentBody } from '../../src/stores/readStore.ts'
import { commitTo, memoryReadStore } from '../projections/memoryReadStore.ts'
import { draws } from '../support/draws.ts'

interface Thing {
  readonly account: string
  readonly made: number
  readonly label: string
}

const projection = { name: 'things', version: 3 }
const things = defineCollection<Thing>({
  projection,
  indexes: [['account', 'made'], ['made']],
})
const before: Collection = { ...things, version: 2 }

let documents: ReturnType<typeof memoryReadStore>
beforeEach(async () => {
  documents = memoryReadStore()
  await documents.prepare([things, before])
})

const readersOf = (active: number | undefined, passed = Number.MAX_SAFE_INTEGER): Readers => ({
  documents,
  projections: {
    active: (name) => (name === 'things' ? active : undefined),
    passed: () => passed,
  },
})

async function write(collection: Collection, all: readonly (readonly [string, object])[]) {
  const changes = all.map(([id, body], index) => ({
    collection,
    id,
    position: index + 1,
    body: body as DocumentBody,
  }))
  const position = changes.length
  const checkpoint = { projection: 'things', version: collection.version, position, ready: true }
  await commitTo(documents, changes, { ...checkpoint, collections: [collection.name] })
}

const thing = (made: number, account = 'acc_a'): Thing => ({ account, made, label: `no ${made}` })
const asked = { account: 'acc_a', limit: 10 }
const idsIn = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id)

describe('which version is read', () => {
  test('is the one that readers use, whatever is declared', async () => {
    await write(things, [['a', thing(1)]])
    await write(before, [['a', { account: 'acc_a', label: 'old' }]])

    expect((await getDocument(readersOf(3), things, 'a'))?.body.label).toBe('no 1')
    expect((await getDocument(readersOf(2), things, 'a'))?.body.label).toBe('old')
    expect(await getDocument(readersOf(3), things, 'b')).toBeUndefined()
  })

  test('is none before one has been built, and then nothing is answered', async () => {
    const refused = { code: 'unavailable', retryAfterSeconds: 5 }
    const readers = readersOf(undefined)

    await expect(getDocument(readers, things, 'a')).rejects.toMatchObject(refused)
    await expect(findDocuments(readers, things, { where: {}, limit: 1 })).rejects.toMatchObject(
      refused,
    )
    await expect(
      findPage(readers, things, { where: {}, sort: ['made'], limit: 1 }),
    ).rejects.toMatchObject(refused)
  })
})

describe('pages', () => {
  test('hold few documents when they are long, whatever their limit, and all of them come up', async () => {
    const long = (made: number) => ({ ...thing(made), label: 'x'.repeat(400_000) })
    await write(
      things,
      Array.from({ length: 10 }, (_, at) => [`id${at}`, at < 7 ? long(at) : thing(at)] as const),
    )
    const pages: (readonly string[])[] = []
    let cursor: string | undefined
    do {
      const page = await findPageByCreation(readersOf(3), things, {
        where: { account: 'acc_a' },
        limit: 200,
        ...(cursor !== undefined && { cursor }),
      })
      pages.push(idsIn(page))
      cursor = page.nextCursor
    } while (cursor !== undefined)

    expect(pages).toEqual([
      ['id0', 'id1', 'id2'],
      ['id3', 'id4', 'id5'],
      ['id6', 'id7', 'id8', 'id9'],
    ])
  })

  test('of any size give everything once, in order, whatever the ids and however many share a place', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 12 }),
        fc.array(fc.nat(4), { minLength: 12, maxLength: 12 }),
        fc.integer({ min: 1, max: 13 }),
        async (ids, places, limit) => {
          documents = memoryReadStore()
          await documents.prepare([things])
          const all = ids.map((id, at) => [id, thing(places[at] ?? 0)] as const)
          await write(things, [...all, ['other', thing(0, 'acc_b')]])

          const found: string[] = []
          let cursor: string | undefined
          do {
            const page = await findPageByCreation(readersOf(3), things, {
              where: { account: 'acc_a' },
              limit,
              ...(cursor !== undefined && { cursor }),
            })
            expect(page.items.length).toBeLessThanOrEqual(limit)
            found.push(...idsIn(page))
            cursor = page.nextCursor
          } while (cursor !== undefined)

          const inOrder = all
            .filter(([id]) => id !== 'other')
            .toSorted(([a, one], [b, two]) => one.made - two.made || (a < b ? -1 : 1))
          expect(found).toEqual(inOrder.map(([id]) => id))
        },
      ),
      { numRuns: draws(150) },
    ))
})

describe('given two instances of which one knows of less', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f']
  const where = { account: 'acc_a' }

  test.each([
    { sort: ['made'] as const, all: six },
    { sort: ['-made'] as const, all: six.toReversed() },
  ])(
    'when it goes on with a page of the other, then nothing is passed over: $sort',
    async ({ sort, all }) => {
      await write(
        things,
        six.map((id, at) => [id, thing(at + 1)]),
      )

      const first = await findPage(readersOf(3, 6), things, { where, sort, limit: 1 })
      const cursor = first.nextCursor
      const second = await findPage(readersOf(3, 3), things, { where, sort, limit: 2, cursor })
      const last = { where, sort, limit: 9, cursor: second.nextCursor }
      const third = await findPage(readersOf(3, 2), things, last)

      expect([first, second, third].flatMap(idsIn)).toEqual(all)
    },
  )

  test('when a page is asked for that it cannot have all of, then it is refused, never shown with gaps', async () => {
    const readers = { documents, projections: { active: () => 3, passed: () => 5 } }
    const behind = { code: 'unavailable', retryAfterSeconds: 1 }

    const older = { account: 'acc_a', before: 9 }
    const evaluations = listRecordedEvaluations(readers, { ...older, limit: 5 })
    await expect(evaluations).rejects.toMatchObject(behind)
    await expect(findEventLocations(readers, older)).rejects.toMatchObject(behind)
  })
})

test('given evaluations that are being built, when events are asked for, then the answer is not that there are none', async () => {
  const active = (name: string) => (name === 'history' ? 1 : undefined)
  const readers = { documents, projections: { active, passed: () => 0 } }

  const asked = { account: 'acc_a', type: 'AppRegistered' }
  await expect(findEventLocations(readers, asked)).rejects.toMatchObject({ code: 'unavailable' })
})

describe('cursors', () => {
  const value = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }))

  test('come back as what they were made of, and are safe in an address', () =>
    fc.assert(
      fc.property(fc.string(), fc.array(value, { maxLength: 3 }), (id, values) => {
        const body = Object.fromEntries(values.map((one, at) => [`f${at}`, one]))
        const fields = values.map((_, at) => `f${at}`)

        const list = { mark: 'list', fields }

        const cursor = encodeCursor({ id, body }, list)

        fc.pre(cursor.length <= 512)
        expect(cursor).toMatch(/^[\w-]*$/)
        expect(decodeCursor(cursor, list)).toEqual({
          id,
          values: JSON.parse(JSON.stringify(values)),
        })
        const others = [
          { mark: 'list', fields: [...fields, 'more'] },
          { mark: 'another', fields },
        ]
        for (const other of others) {
          expect(() => decodeCursor(cursor, other)).toThrow('is invalid')
        }
      }),
    ))

  test('anything else is refused, never a fault', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), fc.nat(3), (text, count) => {
        const fields = Array<string>(count).fill('f')
        try {
          const { id, values } = decodeCursor(text, { mark: 'list', fields })
          expect(typeof id).toBe('string')
          expect(values).toHaveLength(count)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request', details: [{ path: 'cursor' }] })
        }
      }),
      { numRuns: draws(500) },
    ))
})

describe('what an account keeps', () => {
  const reader = createResourceReader(things, toOwnedDocumentView)

  test('is shown with its id, and without what only serves to find it', async () => {
    await write(things, [['a', thing(7)]])

    expect(await reader.find(readersOf(3), { account: 'acc_a', id: 'a' })).toEqual({
      id: 'a',
      label: 'no 7',
    })
    expect((await reader.list(readersOf(3), asked)).items).toEqual([{ id: 'a', label: 'no 7' }])
  })

  test('is nobody else’s to find or to list', async () => {
    await write(things, [
      ['a', thing(1)],
      ['b', thing(2, 'acc_b')],
    ])

    expect(await reader.find(readersOf(3), { account: 'acc_a', id: 'b' })).toBeUndefined()
    expect(idsIn(await reader.list(readersOf(3), asked))).toEqual(['a'])
    expect(idsIn(await reader.list(readersOf(3), { ...asked, account: 'acc_c' }))).toEqual([])
  })
})
