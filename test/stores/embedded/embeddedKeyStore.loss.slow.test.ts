import { randomBytes } from 'node:crypto'
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { dataFolderAt } from '../../../src/stores/embedded/dataFolder.ts'
import { openEmbeddedKeyStore } from '../../../src/stores/embedded/embeddedKeyStore.ts'
import { inspectKeys, inspectLog } from '../../../src/stores/embedded/inspectStores.ts'
import { readWitnessFile } from '../../../src/stores/embedded/witnesses.ts'
import type { KeyStore, SealingKey } from '../../../src/stores/keyStore.ts'
import type { KeysToInspect } from '../../../src/stores/losses.ts'
import { crashedCopy } from '../../support/crashedCopy.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const atMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const clock = { nowMs: () => atMs }
const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const masterKey = new Uint8Array(32).fill(7)

const idsOf = (keys: readonly SealingKey[]) => keys.map(({ id }) => id)

function openIn(folder: string): KeyStore {
  const store = openEmbeddedKeyStore({ folder, masterKey, clock, random })
  onTestFinished(() => store.close())
  return store
}

function copyOf(folder: string): string {
  const copy = crashedCopy(folder)
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  return copy
}

let folder = ''
/** In use; the first 5 of them were destroyed. */
let keys: readonly SealingKey[] = []

/** What a kill leaves: half of the keys in the file, half in its -wal alone. */
beforeEach(async () => {
  const live = temporaryFolder()
  const first = openIn(live)
  keys = await first.make(30)
  await first.destroy(idsOf(keys.slice(0, 5)), atMs)
  keys = [...keys, ...(await first.make(30))]
  folder = copyOf(live)
})

const expected = (change: Partial<KeysToInspect> = {}): KeysToInspect => ({
  masterKey,
  isLogInUse: true,
  ...change,
})

const inspect = (where = folder, change: Partial<KeysToInspect> = {}) =>
  inspectKeys(dataFolderAt(where), expected(change))

describe('keys that are all there', () => {
  test('given what a kill leaves, when inspected, then nothing is lost, destroyed keys included', async () => {
    expect(inspect()).toBeUndefined()
    expect((await openIn(folder).keys(idsOf(keys))).size).toBe(60)
  })

  test('given a new folder, when inspected, then nothing is lost', () => {
    expect(inspect(temporaryFolder(), { isLogInUse: false })).toBeUndefined()
  })

  test('given a witness that is missing or damaged, when opened again, then it knows of the last change', () => {
    for (const damage of [
      () => rmSync(witness()),
      () => writeFileSync(witness(), 'x'.repeat(572)),
    ]) {
      damage()
      expect(inspect()).toBeUndefined()
      openIn(folder)
      expect(readWitnessFile(witness(), 'keys')).toEqual({ position: 4, id: '' })
    }
  })

  const witness = () => join(folder, 'stores.witness')
})

describe('any damage to the files of the keys', () => {
  /** The states of keys that were never destroyed; of a folder in which a loss is seen, that it is refused. */
  async function statesIn(where: string): Promise<readonly unknown[]> {
    if (inspect(where) !== undefined) return ['refused']
    const store = openEmbeddedKeyStore({ folder: where, masterKey, clock, random })
    const states: unknown[] = []
    for (const { id, secret } of keys.slice(5)) {
      const state = await store.keys([id]).then(
        (found) => found.get(id),
        (error: Error) => error.name,
      )
      states.push(state instanceof Uint8Array ? Buffer.from(secret).equals(state) : state)
    }
    await store.close().catch(() => undefined)
    return states
  }

  test.each(['keys.db', 'keys.db-wal', 'stores.witness'])(
    'given a byte of %s flipped, when keys are read, then none looks destroyed and none is another',
    async (name) => {
      const bytes = readFileSync(join(folder, name))
      await fc.assert(
        fc.asyncProperty(
          fc.nat(bytes.length - 1),
          fc.integer({ min: 1, max: 255 }),
          async (at, mask) => {
            const copy = copyOf(folder)
            const flipped = Buffer.from(bytes)
            flipped[at] = (flipped[at] ?? 0) ^ mask
            writeFileSync(join(copy, name), flipped)

            expectNoErasure(await statesIn(copy).catch((error: Error) => [error.name]))
          },
        ),
        { numRuns: 50 },
      )
    },
  )

  test.each(['keys.db', 'keys.db-wal'])(
    'given %s cut anywhere, when inspected, then something is lost or everything is there',
    async (name) => {
      const { length } = readFileSync(join(folder, name))
      await fc.assert(
        fc.asyncProperty(fc.nat(length - 1), async (left) => {
          const copy = copyOf(folder)
          truncateSync(join(copy, name), left)

          const states = await statesIn(copy).catch((error: Error) => [error.name])

          expect(states.every((state) => state === true || typeof state === 'string')).toBe(true)
          expectNoErasure(states)
        }),
        { numRuns: 30 },
      )
    },
  )

  function expectNoErasure(states: readonly unknown[]): void {
    expect(states).not.toEqual([])
    for (const state of states)
      expect([true, undefined, 'damaged', 'Failure', 'Error', 'refused']).toContain(state)
  }
})

describe('an older copy', () => {
  test('given keys.db of before a change, when inspected, then it is known by the witness, whatever the change', async () => {
    const older = copyOf(folder)
    for (const change of [
      (store: KeyStore) => store.make(1),
      (store: KeyStore) => store.destroy([keys[7]?.id ?? ''], atMs),
    ]) {
      const live = copyOf(older)
      const store = openEmbeddedKeyStore({ folder: live, masterKey, clock, random })
      await change(store)
      await store.close()
      for (const name of ['keys.db', 'keys.db-wal']) cpSync(join(older, name), join(live, name))

      expect(inspect(live)).toMatchObject({
        reason: 'older_copy',
        text: expect.stringMatching(/it is not the newest: it has seen 4 changes, .* knows of 5$/),
      })
    }
  })
})

test('given keys and no log, when inspected, then it is missed', () => {
  expect(inspectLog(dataFolderAt(folder))).toEqual({ endPosition: 0, provenBy: ['keys.db'] })
})

test('given any page of the file garbled after a clean stop, when inspected, then it is damaged', async () => {
  const where = temporaryFolder()
  const store = openEmbeddedKeyStore({ folder: where, masterKey, clock, random })
  const many = await store.make(1_000)
  // leaves nothing in the -wal file
  await store.destroy(idsOf(many.slice(0, 1)), atMs)
  await store.close()
  const { keys: file } = dataFolderAt(where)
  const whole = readFileSync(file)
  const found: unknown[] = []
  for (let at = 0; at < whole.length; at += 4096) {
    writeFileSync(file, Buffer.from(whole).fill(0xa5, at, at + 4096))
    found.push(inspect(where)?.reason)
  }

  expect(found.length).toBeGreaterThan(20)
  expect(found).toEqual(found.map(() => 'damaged'))
})
