import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KeyRecord } from '../../../src/stores/keys/keyRecords.ts'
import { copyStores, type TransferTarget } from '../../../src/stores/transfer/copyStores.ts'
import { type MemoryKeyRecords, memoryKeyRecords } from '../../support/memoryKeyRecords.ts'

const proof = new Uint8Array(32).fill(7)

const live = (id: string): KeyRecord => ({ id, wrapped: Buffer.from(`wrapped ${id}`) })
const gone = (id: string, destroyedAtMs = 5): KeyRecord => ({ id, destroyedAtMs })

function storeOf(...keys: readonly KeyRecord[]): MemoryKeyRecords {
  const store = memoryKeyRecords()
  for (const key of keys) store.kept.set(key.id, key)
  store.keptProof = proof
  return store
}

const long = { signal: new AbortController().signal, onProgress: () => undefined }

/** Beside a log without an event. */
const log = { head: () => 0, readBatch: () => [], readStream: () => [] }

const carry = (source: MemoryKeyRecords, keys: MemoryKeyRecords, signal = long.signal) => {
  const empty = { append: async () => {}, after: async () => [], last: async () => undefined }
  const target: TransferTarget = { name: 'The target', log: empty, keys }
  return copyStores({ source: { log, keys: source }, target, work: { ...long, signal } })
}

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
        const [source, target] = [storeOf(...keys), memoryKeyRecords()]
        const stopping = new AbortController()
        target.around = (write, now) => {
          if (write !== at || now !== when) return
          stopping.abort(new Error('killed'))
          throw new Error('killed')
        }
        const first = carry(source, target, stopping.signal)
        await first.catch((error: Error) => expect(error.message).toBe('killed'))
        target.around = undefined

        const { digest, ...count } = (await carry(source, target)).keys

        expect(target.kept).toEqual(source.kept)
        expect(target.keptProof).toEqual(proof)
        expect(count).toEqual({
          keys: keys.filter((key) => 'wrapped' in key).length,
          destroyed: keys.filter((key) => 'destroyedAtMs' in key).length,
        })
        expect((await carry(source, target)).keys).toEqual({ digest, ...count })
      },
    ),
  )
})

test('given a person erased between two tries, when it is done again, then they stay erased', async () => {
  const target = storeOf(live('a'), live('b'))
  const source = storeOf(gone('a'), live('b'))

  await carry(source, target)

  expect(target.kept.get('a')).toEqual(gone('a'))
})

test('given keys of another master key, then they are refused and nothing is written', async () => {
  const source = storeOf(live('a'), gone('b'))
  const target = memoryKeyRecords()
  target.keptProof = new Uint8Array(32)

  await expect(carry(source, target)).rejects.toThrow('The target holds other sealing keys')

  expect(target.kept.size).toBe(0)
})

test.each([
  ['a key that the source does not know', live('x')],
  ['a key with other bytes', { ...live('a'), wrapped: proof }],
  ['a key destroyed that the source still has', gone('a')],
  ['a key destroyed at another time', gone('b', 6)],
])('given %s, then it is found, and the keys are not declared whole', async (_, key) => {
  const source = storeOf(live('a'), gone('b'))
  const target = memoryKeyRecords()
  target.kept.set(key.id, key)

  await expect(carry(source, target)).rejects.toThrow(
    /it has \d keys and \d destroyed ones, not the same 1 and 1\. Nothing was changed/,
  )

  expect(target.keptProof).toBeUndefined()
})

test('given a Vigil that begins with the database meanwhile, then it is said', async () => {
  const source = storeOf(live('a'))
  const target = memoryKeyRecords()
  target.around = (write, when) => {
    if (write === 2 && when === 'before') target.keptProof = Buffer.from('x')
  }

  await expect(carry(source, target)).rejects.toThrow('the keys are of another Vigil')
})
