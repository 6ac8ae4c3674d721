import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { mergeKeptKeys } from '../../src/service/operations/backup/mergeKeptKeys.ts'
import { carryKeys } from '../../src/service/operations/migration/carryKeys.ts'
import type { KeptKey } from '../../src/stores/keptKeys.ts'
import { type MemoryKeptKeys, memoryKeptKeys } from '../support/memoryKeptKeys.ts'

const proof = new Uint8Array(32).fill(7)
const lastChange = { position: 12, id: 'a change', checksum: 0, atMs: 1_700_000_000_000 }

const live = (id: string): KeptKey => ({ id, wrapped: Buffer.from(`wrapped ${id}`) })
const gone = (id: string, destroyedAtMs = 5): KeptKey => ({ id, destroyedAtMs })

function storeOf(...keys: readonly KeptKey[]): MemoryKeptKeys {
  const store = memoryKeptKeys()
  for (const key of keys) store.kept.set(key.id, key)
  store.state = { proof, lastChange, seenOfLog: undefined }
  return store
}

const long = { signal: new AbortController().signal, onProgress: () => undefined }

const carry = (source: MemoryKeptKeys, target: MemoryKeptKeys, signal = long.signal) =>
  carryKeys({ source, target, work: { ...long, signal }, patienceMs: 60_000 })

const away = () => new Failure('unavailable', 'The key store cannot be used right now.')

/** Keys of which some are destroyed. */
const someKeys = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 5 }), fc.boolean()), {
    selector: ([id]) => id,
    maxLength: 45,
  })
  .map((drawn) => drawn.map(([id, isGone]) => (isGone ? gone(id) : live(id))))

test('given any keys, when they are carried and the server ends at any write, then the same again brings them all there, each as it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      someKeys,
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom('before' as const, 'after' as const),
      async (keys, at, when) => {
        const [source, target] = [storeOf(...keys), memoryKeptKeys()]
        const stopping = new AbortController()
        target.around = (write, now) => {
          if (write !== at || now !== when) return
          stopping.abort(new Error('killed'))
          throw new Error('killed')
        }
        const first = carry(source, target, stopping.signal)
        await first.catch((error: Error) => expect(error.message).toBe('killed'))
        target.around = undefined

        const { digest, ...count } = await carry(source, target)

        expect(target.kept).toEqual(source.kept)
        expect(target.state).toMatchObject({ proof, lastChange })
        expect(count).toEqual({
          keys: keys.filter((key) => 'wrapped' in key).length,
          destroyed: keys.filter((key) => 'destroyedAtMs' in key).length,
        })
        expect(await carry(source, target)).toEqual({ digest, ...count })
      },
    ),
  )
})

test('given a server that is away now and then, when keys are carried, then it is waited for', async () => {
  const [source, target] = [storeOf(live('a'), gone('b')), memoryKeptKeys()]
  target.around = (write, when) => {
    if (write === 1 && when === 'after') throw away()
  }

  await carry(source, target)

  expect(target.kept).toEqual(source.kept)
})

test('given a person erased between two tries, when it is done again, then they stay erased', async () => {
  const target = storeOf(live('a'), live('b'))
  const source = storeOf(gone('a'), live('b'))

  await carry(source, target)

  expect(target.kept.get('a')).toEqual(gone('a'))
})

test.each([
  ['keys of another master key', () => ({ state: { proof: new Uint8Array(32) }, keys: [] })],
  ['a key that the folder does not know', () => ({ state: {}, keys: [live('x')] })],
  ['a key with other bytes', () => ({ state: {}, keys: [{ ...live('a'), wrapped: proof }] })],
  ['a key destroyed that the folder still has', () => ({ state: {}, keys: [gone('a')] })],
  ['a key destroyed at another time', () => ({ state: {}, keys: [gone('b', 6)] })],
])('given a database with %s, then it is refused and nothing is written', async (_, given) => {
  const source = storeOf(live('a'), gone('b'))
  const target = memoryKeptKeys()
  const { state, keys } = given()
  for (const key of keys) target.kept.set(key.id, key)
  target.state = { ...target.state, ...state }
  let writes = 0
  target.around = () => {
    writes += 1
  }

  await expect(carry(source, target)).rejects.toThrow('holds other sealing keys than this folder')

  expect(writes).toBe(0)
})

test('given somebody who writes meanwhile, when both are compared, then the difference is named, and the keys are not declared whole', async () => {
  const source = storeOf(live('a'), live('c'))
  const target = memoryKeptKeys()
  target.around = (_, when) => {
    if (when === 'after') target.kept.set('b', live('b'))
  }
  await expect(carry(source, target)).rejects.toThrow('the key c is another there')

  target.around = (_, when) => {
    if (when === 'after') target.kept.set('d', live('d'))
  }
  target.kept.delete('b')
  await expect(carry(source, target)).rejects.toThrow('it has the key d besides')
  expect(target.state.proof).toBeUndefined()
})

test('given a Vigil that begins with the database meanwhile, when all is written, then it is said, and not that nothing was', async () => {
  const source = storeOf(live('a'))
  const target = memoryKeptKeys()
  target.around = (write, when) => {
    if (write === 2 && when === 'before')
      target.state = { ...target.state, proof: Buffer.from('x') }
  }

  const carried = carry(source, target)

  await expect(carried).rejects.toThrow(
    /another Vigil keeps its own there\. Nothing in the folder was changed/,
  )
})

test('given keys that stand there, when older ones are added, then none is lost and none that was destroyed comes back', async () => {
  const backup = storeOf(live('a'), live('b'), gone('c'), live('d'))
  const target = storeOf(live('a'), gone('b', 9), live('c'), live('e'))

  const merged = await mergeKeptKeys({ source: backup, target, work: long })

  expect(merged).toEqual({ added: 1, destroyed: 1 })
  expect(target.kept).toEqual(
    new Map([live('a'), gone('b', 9), gone('c'), live('e'), live('d')].map((key) => [key.id, key])),
  )
})
