import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { SubjectKind } from '../../src/events/recording/sealing.ts'
import { type KeyringOptions, openKeyring } from '../../src/stores/keys/keyring.ts'
import { eventually } from '../support/eventually.ts'
import { type MemoryKeyStore, memoryKeyStore } from '../support/memoryKeyStore.ts'

const use = { area: 'evaluation', timeMs: 0 }

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const masterKey = new Uint8Array(32).fill(7)
const atMs = 1_700_000_000_000
const kinds: readonly SubjectKind[] = ['phone', 'email', 'dispatch', 'user']

async function opened(options: Partial<KeyringOptions> = {}) {
  const store = memoryKeyStore()
  const small = { poolSize: 8, firstFill: 4, pauses: { backoffMs: 1, backoffMaxMs: 1 } }
  const keyring = await openKeyring({ store, masterKey, random, ...small, ...options })
  return { store, keyring }
}

/** The pool at rest: every key it wants is made. */
async function filled(store: MemoryKeyStore, count: number): Promise<void> {
  await eventually(() => store.kept.size >= count)
  await nextTurn()
}

test('a key is on disk before it is given to a subject', async () => {
  const { store, keyring } = await opened()

  const keys = ['a', 'b', 'c', 'd'].map((subject) => keyring.assign(subject, use))

  for (const { id, secret } of keys) expect(store.kept.get(id)?.secret).toEqual(secret)
  expect(keys.every(({ id, secret }) => /^[0-9a-z]{26}$/.test(id) && secret.length === 32)).toBe(
    true,
  )
})

test('a subject keeps its key and shares it with no other', async () => {
  const { store, keyring } = await opened()
  await filled(store, 8)

  const first = ['a', 'b', 'c'].map((subject) => keyring.assign(subject, use).id)
  const again = ['a', 'b', 'c'].map((subject) => keyring.assign(subject, use).id)

  expect(again).toEqual(first)
  expect(new Set(first).size).toBe(3)
})

test('a subject that was pushed out of memory gets another key, and the old one still opens', async () => {
  const { store, keyring } = await opened({ cachedMax: 2 })
  await filled(store, 8)
  const first = keyring.assign('a', use)
  keyring.assign('b', use)
  keyring.assign('c', use)

  const second = keyring.assign('a', use)

  expect(second.id).not.toBe(first.id)
  expect((await keyring.keys([first.id])).get(first.id)).toEqual(first.secret)
})

test('a refill under constant need ends, and does not commit every few keys by themselves', async () => {
  const store = memoryKeyStore()
  const { keyring } = await opened({ store, poolSize: 1_024, firstFill: 1_024 })
  const adds: number[] = []
  let next = 0
  const take = (count: number): void => {
    for (const end = next + count; next < end; next += 1) keyring.assign(`subject ${next}`, use)
  }
  store.before = async (call) => {
    if (call !== 'make') return
    adds.push(store.kept.size)
    await nextTurn()
    // while the disk works
    take(10)
  }

  // the refill begins, and lasts until nothing is made for some turns
  take(512)
  for (let still = 0, seen = 0; still < 20; ) {
    await nextTurn()
    still = adds.length === seen ? still + 1 : 0
    seen = adds.length
  }

  // whatever was taken meanwhile
  expect(adds.length).toBeLessThanOrEqual(4)
  expect(keyring.keysReady()).toBeGreaterThan(768)
  store.before = undefined
  await keyring.close()
})

test('an empty pool answers unavailable for a second, and has keys again after', async () => {
  const { store, keyring } = await opened()
  await filled(store, 8)
  for (let taken = 0; taken < 8; taken += 1) keyring.assign(`subject ${taken}`, use)

  const refusal = catchOf(() => keyring.assign('one more', use))

  expect(refusal).toBeInstanceOf(Failure)
  expect(refusal).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
  expect(keyring.assign('subject 0', use).secret).toHaveLength(32)
  await filled(store, 16)
  expect(keyring.assign('one more', use).secret).toHaveLength(32)
})

test('a refill that keeps failing goes on by itself, and the keyring says so until it succeeds', async () => {
  const store = memoryKeyStore()
  const told: number[] = []
  const { keyring } = await opened({
    store,
    poolSize: 800,
    firstFill: 200,
    onFailure: (_, failures) => told.push(failures),
  })
  expect(keyring.storesKeys()).toBe(true)
  store.before = () => {
    throw new Error('disk full')
  }
  await eventually(() => told.length > 8)
  expect(keyring.storesKeys()).toBe(false)
  store.before = undefined

  await filled(store, 800)

  expect(keyring.storesKeys()).toBe(true)
  expect(told).toEqual(told.map((_, index) => index + 1))
  await keyring.close()
})

test('keys that cannot be discarded at the end are told, and closing goes well', async () => {
  const store = memoryKeyStore()
  const told: unknown[] = []
  const { keyring } = await opened({ store, onFailure: (error) => told.push(error) })
  await filled(store, 8)
  store.before = (call) => {
    if (call === 'discard') throw new Error('disk full')
  }

  await keyring.close()

  expect(told).toEqual([new Error('disk full')])
})

test('a keyring does not open over a store that cannot keep its first keys', async () => {
  const store = memoryKeyStore()
  store.before = () => {
    throw new Failure('unavailable', 'The key store cannot be used right now; try again.')
  }

  await expect(opened({ store })).rejects.toMatchObject({ code: 'unavailable' })
})

test('closing ends the refill, and leaves only keys that somebody has', async () => {
  const { store, keyring } = await opened({ poolSize: 1000 })
  const used = ['a', 'b'].map((subject) => keyring.assign(subject, use).id)

  await keyring.close()
  await nextTurn()

  expect([...store.kept.keys()].sort()).toEqual([...used].sort())
  expect(store.destroyed.size).toBe(0)
})

test('closing does not wait out the pause of a failing refill', async () => {
  const store = memoryKeyStore()
  const { keyring } = await opened({
    store,
    poolSize: 100,
    pauses: { backoffMs: 3_600_000, backoffMaxMs: 3_600_000 },
    onFailure: () => undefined,
  })
  store.before = (call) => {
    if (call === 'make') throw new Error('disk full')
  }
  await nextTurn()

  await keyring.close()

  expect(store.kept.size).toBeLessThan(100)
})

test('the secrets of keys are found; one that was destroyed is known for it, one that is missing is not', async () => {
  const { store, keyring } = await opened()
  const [a, b] = [keyring.assign('a', use), keyring.assign('b', use)]
  const reading = await openKeyring({ store, masterKey, random, poolSize: 1, firstFill: 1 })
  await store.destroy([b.id], atMs)

  const found = await reading.keys([a.id, b.id, 'unknown'])

  expect(found).toEqual(new Map<string, unknown>().set(a.id, a.secret).set(b.id, 'destroyed'))
})

test('a key that is missing or damaged is told each time it is needed, a destroyed one never', async () => {
  const store = memoryKeyStore()
  const told: [string, string][] = []
  const { keyring } = await opened({ store, onUnreadable: (id, why) => told.push([id, why]) })
  const damaged = { ...store, keys: async () => new Map([['b', 'damaged'] as const]) }
  const reading = await opened({ store: damaged, onUnreadable: (id, why) => told.push([id, why]) })
  const { id } = keyring.assign('a', use)
  await keyring.destroy([id], atMs)

  await keyring.keys([id, 'lost', 'lost'])
  await keyring.keys(['lost'])
  await reading.keyring.keys(['b'])

  expect(told).toEqual([
    ['lost', 'missing'],
    ['lost', 'missing'],
    ['b', 'damaged'],
  ])
})

test('a secret once found is not looked for again', async () => {
  const { store, keyring } = await opened()
  const { id } = keyring.assign('a', use)
  const reading = await openKeyring({ store, masterKey, random, poolSize: 1, firstFill: 1 })
  const calls: string[] = []
  store.before = (call) => void calls.push(call)

  await reading.keys([id])
  await reading.keys([id])

  expect(calls).toEqual(['keys'])
})

test('a destroyed key opens nothing more, and its subject gets another', async () => {
  const { store, keyring } = await opened()
  await filled(store, 8)
  const old = keyring.assign('a', use)

  await keyring.destroy([old.id], atMs)

  expect(await keyring.keys([old.id])).toEqual(new Map([[old.id, 'destroyed']]))
  expect(store.destroyed).toEqual(new Map([[old.id, atMs]]))
  expect(store.kept.has(old.id)).toBe(false)
  expect(keyring.assign('a', use).id).not.toBe(old.id)
})

test('a key that is forgotten is asked for again, and its subject gets another; the others stay', async () => {
  const { store, keyring } = await opened()
  await filled(store, 8)
  const [old, other] = [keyring.assign('a', use), keyring.assign('b', use)]
  await store.destroy([old.id], atMs)

  keyring.forget([old.id])
  keyring.forget([old.id])

  const fresh = keyring.assign('a', use)
  expect(fresh.id).not.toBe(old.id)
  expect(keyring.assign('a', use).id).toBe(fresh.id)
  expect(keyring.assign('b', use).id).toBe(other.id)
  expect(await keyring.keys([old.id])).toEqual(new Map([[old.id, 'destroyed']]))
})

test('a secret that was being read while its key was destroyed is not remembered', async () => {
  const { store, keyring } = await opened()
  const { id, secret } = keyring.assign('a', use)
  const reading = await openKeyring({ store, masterKey, random, poolSize: 1, firstFill: 1 })
  let goOn = (): void => undefined
  store.before = (call) =>
    call === 'keys' ? new Promise<void>((resolve) => (goOn = resolve)) : undefined

  const underWay = reading.keys([id])
  await reading.destroy([id], atMs)
  goOn()
  const early = await underWay
  store.before = undefined

  expect(early).toEqual(new Map([[id, secret]]))
  expect(await reading.keys([id])).toEqual(new Map([[id, 'destroyed']]))
  await keyring.close()
})

test('given a key that is being destroyed, when it is read before the store has done so, then it is not remembered', async () => {
  const { store, keyring } = await opened()
  const { id } = keyring.assign('a', use)
  let goOn = (): void => undefined
  store.before = (call) =>
    call === 'destroy' ? new Promise<void>((resolve) => (goOn = resolve)) : undefined

  const destroying = keyring.destroy([id], atMs)
  await keyring.keys([id])
  goOn()
  await destroying

  expect(await keyring.keys([id])).toEqual(new Map([[id, 'destroyed']]))
})

test('a subject is the same for the same account, kind and value, and for no others', async () => {
  const { keyring } = await opened()
  const part = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '","', '\0'))
  const triple = fc.tuple(part, fc.constantFrom(...kinds), part)

  fc.assert(
    fc.property(triple, triple, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other)

      expect(keyring.subject(...one) === keyring.subject(...other)).toBe(same)
      expect(keyring.subject(...one)).toMatch(/^[\w-]{22}$/)
    }),
  )
})

test('a digest depends on its purpose, its text and the master key', async () => {
  const { keyring } = await opened()
  const { keyring: other } = await opened({ masterKey: new Uint8Array(32).fill(8) })
  const { keyring: same } = await opened()

  const digests = [
    keyring.digest('request', 'a'),
    keyring.digest('request', 'b'),
    keyring.digest('other', 'a'),
    other.digest('request', 'a'),
  ]

  expect(new Set(digests).size).toBe(4)
  expect(digests.every((digest) => /^[\w-]{43}$/.test(digest))).toBe(true)
  expect(same.digest('request', 'a')).toBe(digests[0])
  expect(other.subject('acc', 'phone', 'a')).not.toBe(keyring.subject('acc', 'phone', 'a'))
})

test('subjects and digests never change, for they stand in the log', async () => {
  const { keyring } = await opened()

  expect(keyring.subject('acc_1', 'phone', '+12133734253')).toMatchInlineSnapshot(
    `"ho95XCmNgkpjV6AMW0cPFE"`,
  )
  expect(keyring.digest('request', '{}')).toMatchInlineSnapshot(
    `"P3NYzEdZqm8g1if_twfVZR0qrbbUDaMgUz3UaIysr-A"`,
  )
})

test('no nonce comes twice', async () => {
  const { keyring } = await opened()

  const nonces = Array.from({ length: 5000 }, () => Buffer.from(keyring.nonce()).toString('hex'))

  expect(new Set(nonces).size).toBe(5000)
  expect(nonces.every((nonce) => nonce.length === 24)).toBe(true)
})

function catchOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

test('a key serves one subject in one area for thirty days', async () => {
  const { keyring } = await opened({ poolSize: 16, firstFill: 16 })
  const day = 24 * 60 * 60 * 1_000
  const at = (area: string, days: number) =>
    keyring.assign('a person', { area, timeMs: days * day }).id

  const first = at('evaluation', 0)

  expect(at('evaluation', 29.9)).toBe(first)
  expect(at('feedback', 1)).not.toBe(first)
  expect(at('evaluation', 30)).not.toBe(first)
})
