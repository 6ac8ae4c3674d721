import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  Change,
  Checkpoint,
  Collection,
  FindQuery,
  ReadStore,
  SharedReadStore,
} from '../../src/stores/readStore.ts'
import { commitTo } from '../projections/memoryReadStore.ts'
import { draws } from '../support/draws.ts'

/** Makes an empty store that goes by this clock; called once for every test. */
export type ReadStoreFactory<Store = ReadStore> = (nowMs: () => number) => Promise<Store>

const rules: Collection = { name: 'rules', version: 1, indexes: [['account']] }
const visits: Collection = {
  name: 'visits',
  version: 1,
  indexes: [
    ['account', 'time'],
    ['account', 'flow', 'time'],
  ],
}

const put = (id: string, position: number, body: Change['body'] = { account: 'a' }): Change => ({
  collection: rules,
  id,
  position,
  body,
})

const at = (position: number, more: Partial<Checkpoint> = {}): Checkpoint => ({
  projection: 'rules',
  version: 1,
  position,
  ready: false,
  collections: ['rules'],
  ...more,
})

/** What every read store promises (design 6): the suite is run on each implementation. */
export function readStoreContract(name: string, open: ReadStoreFactory): void {
  describe(`the read store ${name}`, () => {
    let store: ReadStore
    beforeEach(async () => {
      store = await open(() => 1_000_000)
      await store.prepare([rules, visits])
    })
    afterEach(() => store.close())

    documents(() => store)
    together(() => store)
    guards(() => store)
    checkpoints(() => store)
    questions(() => store)
    versions(() => store)

    test('its time is that of its clock', async () => {
      expect(await store.nowMs()).toBe(1_000_000)
    })
  })
}

/** What every read store promises that several instances share. */
export function sharedReadStoreContract(
  name: string,
  open: ReadStoreFactory<SharedReadStore>,
): void {
  readStoreContract(name, open)
  describe(`the leases of the read store ${name}`, () => {
    let store: SharedReadStore
    let timeMs = 0
    beforeEach(async () => {
      timeMs = 1_000_000
      store = await open(() => timeMs)
      await store.prepare([rules, visits])
    })
    afterEach(() => store.close())

    leases(
      () => store,
      (ms) => {
        timeMs += ms
      },
    )
  })
}

function leases(store: () => SharedReadStore, pass: (ms: number) => void): void {
  const given = async (owner: string) => {
    const lease = await store().leases.acquire(asked(owner))
    if (!lease) throw new Error(`${owner} was not given the lease`)
    return lease
  }

  test('a lease is given to one at a time, and to the next when its time is over', async () => {
    const first = await given('a')

    expect(first).toEqual({ name: 'projections', owner: 'a', fence: first.fence })
    pass(9_999)
    expect(await store().leases.acquire(asked('b'))).toBeUndefined()
    pass(1)
    expect((await given('b')).fence).toBeGreaterThan(first.fence)
    expect(await store().leases.acquire(asked('a'))).toBeUndefined()
  })

  test('leases of other names are apart', async () => {
    await given('a')

    const other = await store().leases.acquire({ ...asked('b'), name: 'other' })

    expect(other?.owner).toBe('b')
  })

  test('a lease that is renewed does not end', async () => {
    const lease = await given('a')
    for (let times = 0; times < 3; times += 1) {
      pass(9_000)
      expect(await store().leases.renew(lease, 10_000)).toBe(true)
      expect(await store().leases.acquire(asked('b'))).toBeUndefined()
    }
  })

  test('a lease whose time was over is renewed unless another has it', async () => {
    const lease = await given('a')
    pass(60_000)
    expect(await store().leases.renew(lease, 10_000)).toBe(true)
    expect(await store().leases.acquire(asked('b'))).toBeUndefined()

    pass(60_000)
    const next = await given('b')

    expect(await store().leases.renew(lease, 10_000)).toBe(false)
    expect(await store().leases.renew(next, 10_000)).toBe(true)
  })

  test('who begins anew is given its own lease again, with another fence', async () => {
    const lease = await given('a')

    const again = await given('a')

    expect(again.fence).toBeGreaterThan(lease.fence)
    expect(await store().leases.renew(lease, 10_000)).toBe(false)
  })

  test('a lease that is let go is there for others at once, and its fence still counts', async () => {
    const lease = await given('a')
    await store().leases.release(lease)

    const next = await given('b')
    await store().leases.release(lease)

    expect(next.fence).toBeGreaterThan(lease.fence)
    expect(await store().leases.acquire(asked('a'))).toBeUndefined()
  })

  test('a clock that is put back holds nobody off', async () => {
    const lease = await given('a')

    pass(-3_600_000)

    expect((await given('b')).fence).toBeGreaterThan(lease.fence)
  })

  test('the time is told by which leases are given, to their holder too', async () => {
    const holder = store().withLease(await given('a'))
    const before = await store().nowMs()

    pass(10_000)

    expect([before, await store().nowMs(), await holder.nowMs()]).toEqual([
      1_000_000, 1_010_000, 1_010_000,
    ])
  })

  test('its holder writes, and whoever had it before changes nothing', async () => {
    const stale = store().withLease(await given('a'))
    await commitTo(stale, [put('r1', 1), put('r2', 2, null)], at(2))
    pass(10_000)
    const holder = store().withLease(await given('b'))

    const refused = { name: 'LeaseLost' }
    await expect(commitTo(stale, [put('r3', 3)], at(3))).rejects.toMatchObject(refused)
    await expect(commitTo(stale, [], at(2, { ready: true }))).rejects.toMatchObject(refused)
    await expect(stale.prepare([{ ...rules, version: 2 }])).rejects.toMatchObject(refused)
    await expect(stale.completeIndexes([rules])).rejects.toMatchObject(refused)
    await expect(stale.drop(at(2))).rejects.toMatchObject(refused)
    await expect(stale.sweep(rules, 2)).rejects.toMatchObject(refused)

    expect(await store().checkpoints()).toEqual([at(2)])
    expect(await store().get(rules, 'r3')).toBeUndefined()
    expect(await store().load(rules, ['r2'])).toHaveLength(1)
    await commitTo(holder, [put('r3', 3)], at(3))
    expect(await store().get(rules, 'r3')).toMatchObject({ position: 3 })
    expect(await stale.get(rules, 'r3')).toMatchObject({ position: 3 })
  })

  test('a lease whose time is over is good until another has it', async () => {
    const holder = store().withLease(await given('a'))

    pass(60_000)

    await commitTo(holder, [put('r1', 1)], at(1))
    expect(await store().checkpoints()).toEqual([at(1)])
  })
}

function documents(store: () => ReadStore): void {
  test('a document is what was committed, with its position', async () => {
    const body = { account: 'a', deep: { list: [1, '$two.2', null, true], 'ü $': { é: '🙂' } } }

    await commitTo(store(), [put('r1', 7, body)], at(7))

    expect(await store().get(rules, 'r1')).toEqual({ id: 'r1', position: 7, body })
  })

  test('ids are told apart by case, accents and trailing spaces', async () => {
    const ids = ['Id', 'id', 'íd', 'id ', 'id/', '%', '_']

    await commitTo(
      store(),
      ids.map((id, index) => put(id, 1, { account: 'a', index })),
      at(1),
    )

    const found = await Promise.all(ids.map((id) => store().get(rules, id)))
    expect(found.map((document) => document?.body['index'])).toEqual(ids.map((_, index) => index))
  })

  test('positions up to the greatest safe number are kept exactly', async () => {
    const position = Number.MAX_SAFE_INTEGER

    await commitTo(store(), [put('r1', position)], at(position))

    expect((await store().get(rules, 'r1'))?.position).toBe(position)
    expect((await store().checkpoints())[0]?.position).toBe(position)
  })

  test('load answers the known ids, deleted ones without a body', async () => {
    await commitTo(store(), [put('r1', 1), put('r2', 1)], at(1))
    await commitTo(store(), [put('r2', 2, null)], at(2))

    const loaded = await store().load(rules, ['r1', 'r2', 'r3'])

    expect([...loaded].sort((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'r1', position: 1, body: { account: 'a' } },
      { id: 'r2', position: 2, body: null },
    ])
  })

  test('more than a thousand changes are one commit', async () => {
    const changes = Array.from({ length: 2_500 }, (_, index) => put(`r${index}`, index + 1))

    await commitTo(store(), changes, at(2_500))

    expect(await store().get(rules, 'r2499')).toMatchObject({ position: 2_500 })
  })
}

function together(store: () => ReadStore): void {
  const flows = { ...rules, name: 'flows' }
  const ofFlows = (position: number, more = {}) =>
    at(position, { projection: 'flows', collections: ['flows'], ...more })
  const flow = (id: string, position: number) => ({ ...put(id, position), collection: flows })

  test('commits of several projections are each what they would be alone', async () => {
    await store().prepare([flows])

    await store().commit([
      { changes: [put('r1', 1), put('r2', 2)], checkpoint: at(2) },
      { changes: [], checkpoint: at(2, { projection: 'nothing', collections: [], ready: true }) },
      { changes: [flow('r1', 2)], checkpoint: ofFlows(2) },
    ])

    expect(await store().get(rules, 'r2')).toMatchObject({ position: 2 })
    expect(await store().get(rules, 'r1')).toMatchObject({ position: 1 })
    expect(await store().get(flows, 'r1')).toMatchObject({ position: 2 })
    expect(await store().checkpoints()).toEqual([
      ofFlows(2),
      at(2, { projection: 'nothing', collections: [], ready: true }),
      at(2),
    ])
  })

  test('one that is ahead already stays, and the others of the same commit move', async () => {
    await store().prepare([flows])
    await commitTo(store(), [put('r1', 9)], at(9, { ready: true }))

    await store().commit([
      { changes: [put('r1', 5)], checkpoint: at(5) },
      { changes: [flow('r1', 5)], checkpoint: ofFlows(5) },
    ])

    expect(await store().get(rules, 'r1')).toMatchObject({ position: 9 })
    expect(await store().get(flows, 'r1')).toMatchObject({ position: 5 })
    expect(await store().checkpoints()).toEqual([ofFlows(5), at(9, { ready: true })])
  })
}

function guards(store: () => ReadStore): void {
  test('an older or equal position changes nothing', async () => {
    await commitTo(store(), [put('r1', 5, { account: 'a', text: 'new' })], at(5))

    await commitTo(store(), [put('r1', 4, { account: 'a', text: 'old' })], at(5))
    await commitTo(store(), [put('r1', 5, { account: 'a', text: 'same' })], at(5))

    expect(await store().get(rules, 'r1')).toMatchObject({ position: 5, body: { text: 'new' } })
  })

  test('an old change among new ones is ignored and the others are written', async () => {
    await commitTo(store(), [put('r2', 9, { account: 'a', text: 'new' })], at(9))

    await commitTo(store(), [put('r1', 6), put('r2', 8), put('r3', 6)], at(9))

    expect(await store().get(rules, 'r1')).toBeDefined()
    expect(await store().get(rules, 'r2')).toMatchObject({ position: 9 })
    expect(await store().get(rules, 'r3')).toBeDefined()
  })

  test('a deleted document does not come back by a late duplicate', async () => {
    await commitTo(store(), [put('r1', 1)], at(1))
    await commitTo(store(), [put('r1', 3, null)], at(3))

    await commitTo(store(), [put('r1', 2)], at(3))
    await commitTo(store(), [put('r1', 3)], at(3))

    expect(await store().get(rules, 'r1')).toBeUndefined()
    expect(await store().find(rules, { where: { account: 'a' }, limit: 10 })).toEqual([])
  })

  test('a deletion replaces a document of its own position', async () => {
    await commitTo(store(), [put('r1', 3)], at(3))

    await commitTo(store(), [put('r1', 3, null)], at(3))

    expect(await store().get(rules, 'r1')).toBeUndefined()
  })

  test('tombstones are swept up to a position and documents are not', async () => {
    await commitTo(store(), [put('r1', 1, null), put('r2', 5, null), put('r3', 1)], at(5))

    await store().sweep(rules, 4)

    const left = await store().load(rules, ['r1', 'r2', 'r3'])
    expect(left.map((document) => document.id).sort()).toEqual(['r2', 'r3'])
  })

  test('commits out of turn, repeated and at the same time end as the commits in turn', async () => {
    const change = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      dead: fc.boolean(),
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 12 }).chain((changes) =>
          fc.record({
            changes: fc.constant(changes),
            order: fc.shuffledSubarray([...changes.keys(), ...changes.keys()], {
              minLength: changes.length * 2,
            }),
          }),
        ),
        async ({ changes, order }) => {
          run += 1
          const made = changes.map(({ id, dead }, index) =>
            put(`${run}-${id}`, index + 1, dead ? null : { account: 'x', index }),
          )
          const wanted = new Map(made.map((one) => [one.id, one]))

          await Promise.all(
            order.map((index) => commitTo(store(), made.slice(index, index + 1), at(index + 1))),
          )

          for (const { id, body } of wanted.values()) {
            expect((await store().get(rules, id))?.body ?? null).toEqual(body)
          }
        },
      ),
      { numRuns: draws(30) },
    )
  })
}

function checkpoints(store: () => ReadStore): void {
  test('a checkpoint is kept as given, one for each version', async () => {
    const witness = { stream: 'rulebook-a', revision: 3, id: 'e3' }

    await commitTo(store(), [], at(4, { witness }))
    await commitTo(store(), [], at(2, { version: 2, collections: ['rules', 'more'] }))

    expect(await store().checkpoints()).toEqual([
      at(4, { witness }),
      at(2, { version: 2, collections: ['rules', 'more'] }),
    ])
  })

  test('a checkpoint never goes back', async () => {
    await commitTo(store(), [], at(9))

    await commitTo(store(), [put('r1', 4)], at(4))

    expect(await store().checkpoints()).toEqual([at(9)])
  })

  test('a checkpoint becomes ready at its own position and stays ready', async () => {
    await commitTo(store(), [], at(9))

    await commitTo(store(), [], at(9, { ready: true }))
    await commitTo(store(), [], at(10))

    expect(await store().checkpoints()).toEqual([at(10, { ready: true })])
  })

  test('a checkpoint at zero can be ready: the log may be empty', async () => {
    await commitTo(store(), [], at(0, { ready: true }))

    expect(await store().checkpoints()).toEqual([at(0, { ready: true })])
  })
}

function questions(store: () => ReadStore): void {
  const visit = (id: string, account: string, [flow, time]: [string, number]): Change => ({
    collection: visits,
    id,
    position: 1,
    body: { account, flow, time },
  })
  const ask = async (find: FindQuery) => (await store().find(visits, find)).map(({ id }) => id)
  const fill = () =>
    commitTo(
      store(),
      [
        visit('v1', 'a', ['f1', 30]),
        visit('v2', 'a', ['f2', 10]),
        visit('v3', 'a', ['f1', 20]),
        visit('v4', 'a', ['f1', 20]),
        visit('v5', 'b', ['f1', 5]),
        visit('v6', 'ab', ['f1', 9]),
      ],
      at(1),
    )

  test('documents are found by equality and sorted both ways, ties by id', async () => {
    await fill()

    expect(await ask({ where: { account: 'a' }, sort: ['time'], limit: 9 })).toEqual([
      'v2',
      'v3',
      'v4',
      'v1',
    ])
    expect(await ask({ where: { account: 'a' }, sort: ['-time'], limit: 9 })).toEqual([
      'v1',
      'v4',
      'v3',
      'v2',
    ])
    expect(await ask({ where: { account: 'a', flow: 'f1' }, sort: ['time'], limit: 9 })).toEqual([
      'v3',
      'v4',
      'v1',
    ])
  })

  test('ranges take and leave their ends', async () => {
    await fill()
    const within = (time: FindQuery['where'][string]) =>
      ask({ where: { account: 'a', time }, sort: ['time'], limit: 9 })

    expect(await within({ gte: 20 })).toEqual(['v3', 'v4', 'v1'])
    expect(await within({ gt: 20 })).toEqual(['v1'])
    expect(await within({ lte: 20 })).toEqual(['v2', 'v3', 'v4'])
    expect(await within({ lt: 20 })).toEqual(['v2'])
    expect(await within({ gte: 10, lt: 20 })).toEqual(['v2'])
  })

  test('a prefix is a prefix, whatever it holds', async () => {
    const ids = ['a', 'a%b', 'a/', 'a/1', 'a/2', 'a/é', 'a0', 'b']
    await commitTo(
      store(),
      ids.map((id) => put(id, 1)),
      at(1),
    )
    const under = async (prefix: string) =>
      (await store().find(rules, { where: { id: { prefix } }, limit: 99 })).map(({ id }) => id)

    expect(await under('a/')).toEqual(['a/', 'a/1', 'a/2', 'a/é'])
    expect(await under('a%')).toEqual(['a%b'])
    expect(await under('')).toEqual(ids)
  })

  test.each([
    ['time', {}],
    ['-time', {}],
    ['time', { time: { gte: 20, lte: 30 } }],
    ['-time', { time: { gte: 10, lt: 30 } }],
    ['-time', { time: { gt: 10, lte: 20 } }],
  ])(
    'pages by %s of %j follow each other without gap or repeat',
    async (by, range: FindQuery['where']) => {
      await fill()
      const question = { where: { account: 'a', ...range }, sort: [by] }

      const paged: string[] = []
      let [next] = await store().find(visits, { ...question, limit: 1 })
      while (next) {
        paged.push(next.id)
        const after = { id: next.id, values: [Number(next.body['time'])] }
        ;[next] = await store().find(visits, { ...question, limit: 1, after })
      }

      expect(paged).toEqual(await ask({ ...question, limit: 9 }))
    },
  )

  test('what continues after a document outside of its range stays in the range', async () => {
    await fill()
    const within = { account: 'a', time: { gte: 20, lt: 30 } }
    const after = (time: number) => ({ id: 'v', values: [time] })
    const up = { where: within, sort: ['time'], limit: 9 }
    const down = { where: within, sort: ['-time'], limit: 9 }

    expect(await ask({ ...up, after: after(5) })).toEqual(['v3', 'v4'])
    expect(await ask({ ...up, after: after(99) })).toEqual([])
    expect(await ask({ ...down, after: after(99) })).toEqual(['v4', 'v3'])
    expect(await ask({ ...down, after: after(5) })).toEqual([])
  })

  test('a question by id order continues after an id', async () => {
    await commitTo(
      store(),
      ['r1', 'r2', 'r3'].map((id) => put(id, 1)),
      at(1),
    )

    const found = await store().find(rules, {
      where: { account: 'a' },
      after: { id: 'r1', values: [] },
      limit: 1,
    })

    expect(found.map(({ id }) => id)).toEqual(['r2'])
  })

  test('a changed field is found under its new value alone', async () => {
    await commitTo(store(), [put('r1', 1, { account: 'old' })], at(1))

    await commitTo(store(), [put('r1', 2, { account: 'new' })], at(2))

    expect(await store().find(rules, { where: { account: 'old' }, limit: 9 })).toEqual([])
    expect(await store().find(rules, { where: { account: 'new' }, limit: 9 })).toHaveLength(1)
  })

  test('what no index answers is refused', async () => {
    const refused: FindQuery[] = [
      { where: { flow: 'f1' }, sort: ['time'], limit: 1 },
      { where: { account: 'a' }, limit: 1 },
      { where: { account: 'a', time: { gt: 1 } }, limit: 1 },
      { where: { account: 'a' }, sort: ['flow'], limit: 1, after: { id: 'v', values: [] } },
      { where: { account: 'a', other: 1 }, sort: ['time'], limit: 1 },
    ]

    for (const find of refused) await expect(store().find(visits, find)).rejects.toThrow()
  })

  test('a limit is from one to a thousand', async () => {
    for (const limit of [0, -1, 1.5, 1_001, Number.NaN]) {
      await expect(store().find(rules, { where: { account: 'a' }, limit })).rejects.toThrow()
    }
  })
}

function versions(store: () => ReadStore): void {
  const second: Collection = { ...rules, version: 2, indexes: [['account'], ['name']] }

  test('versions of a collection do not see each other', async () => {
    await store().prepare([second])

    await commitTo(store(), [{ ...put('r1', 1), collection: second }], at(1, { version: 2 }))

    expect(await store().get(rules, 'r1')).toBeUndefined()
    expect(await store().get(second, 'r1')).toBeDefined()
  })

  test('preparing again keeps what is there', async () => {
    await commitTo(store(), [put('r1', 1)], at(1))

    await store().prepare([rules, second])

    expect(await store().get(rules, 'r1')).toBeDefined()
  })

  test('completing the indexes keeps what is there, and again is right', async () => {
    await commitTo(store(), [put('r1', 1), put('r2', 1, { account: 'b' })], at(1))
    const ofA = { where: { account: 'a' }, limit: 10 }
    const before = await store().find(rules, ofA)

    for (let times = 0; times < 2; times += 1) await store().completeIndexes([rules, visits])

    expect(before.map(({ id }) => id)).toEqual(['r1'])
    expect(await store().find(rules, ofA)).toEqual(before)
    await commitTo(store(), [put('r2', 2)], at(2))
    expect((await store().find(rules, ofA)).map(({ id }) => id)).toEqual(['r1', 'r2'])
  })

  test('other indexes for a version that exists are refused', async () => {
    await expect(store().prepare([{ ...rules, indexes: [['name']] }])).rejects.toThrow(
      /new version/,
    )
  })

  test('a dropped version is gone with its checkpoint and the others stay', async () => {
    await store().prepare([second])
    await commitTo(store(), [put('r1', 1)], at(1))
    await commitTo(store(), [{ ...put('r1', 1), collection: second }], at(1, { version: 2 }))

    await store().drop(at(1))

    expect(await store().checkpoints()).toEqual([at(1, { version: 2 })])
    expect(await store().get(second, 'r1')).toBeDefined()
    await store().prepare([rules])
    expect(await store().load(rules, ['r1'])).toEqual([])
  })
}

const asked = (owner: string) => ({ name: 'projections', owner, forMs: 10_000 })
