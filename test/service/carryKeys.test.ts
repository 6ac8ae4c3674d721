import fc from 'fast-check'
import { expect, test } from 'vitest'
import { carryKeys } from '../../src/service/operations/migration/carryKeys.ts'
import type { KeptKey } from '../../src/stores/keptKeys.ts'
import { type MemoryKeptKeys, memoryKeptKeys } from '../support/memoryKeptKeys.ts'

const proof = new Uint8Array(32).fill(7)

const live = (id: string): KeptKey => ({ id, wrapped: Buffer.from(`wrapped ${id}`) })
const gone = (id: string, destroyedAtMs = 5): KeptKey => ({ id, destroyedAtMs })

function storeOf(...keys: readonly KeptKey[]): MemoryKeptKeys {
  const store = memoryKeptKeys()
  for (const key of keys) store.kept.set(key.id, key)
  store.keptProof = proof
  return store
}

interface Given {
  readonly other?: Uint8Array
  readonly keys: readonly KeptKey[]
}

const long = { signal: new AbortController().signal, onProgress: () => undefined }

const carry = (source: MemoryKeptKeys, target: MemoryKeptKeys, signal = long.signal) =>
  carryKeys({ source, target, work: { ...long, signal } })

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
        expect(target.keptProof).toEqual(proof)
        expect(count).toEqual({
          keys: keys.filter((key) => 'wrapped' in key).length,
          destroyed: keys.filter((key) => 'destroyedAtMs' in key).length,
        })
        expect(await carry(source, target)).toEqual({ digest, ...count })
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

test.each([
  ['keys of another master key', () => ({ other: new Uint8Array(32), keys: [] })],
  ['a key that the folder does not know', () => ({ keys: [live('x')] })],
  ['a key with other bytes', () => ({ keys: [{ ...live('a'), wrapped: proof }] })],
  ['a key destroyed that the folder still has', () => ({ keys: [gone('a')] })],
  ['a key destroyed at another time', () => ({ keys: [gone('b', 6)] })],
])('given a database with %s, then it is refused and nothing is written', async (_, given) => {
  const source = storeOf(live('a'), gone('b'))
  const target = memoryKeptKeys()
  const { other, keys }: Given = given()
  for (const key of keys) target.kept.set(key.id, key)
  target.keptProof = other
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
  expect(target.keptProof).toBeUndefined()
})

test('given a Vigil that begins with the database meanwhile, when all is written, then it is said, and not that nothing was', async () => {
  const source = storeOf(live('a'))
  const target = memoryKeptKeys()
  target.around = (write, when) => {
    if (write === 2 && when === 'before') target.keptProof = Buffer.from('x')
  }

  const carried = carry(source, target)

  await expect(carried).rejects.toThrow(
    /another Vigil keeps its own there\. Nothing in the folder was changed/,
  )
})
