import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import * as sqlite from '../../../src/stores/embedded/sqlite.ts'
import {
  type ThreadKeyStoreOptions,
  threadKeyStore,
} from '../../../src/stores/embedded/threadKeyStore.ts'
import { openKeyring } from '../../../src/stores/keyring.ts'
import type { KeyStore } from '../../../src/stores/keyStore.ts'
import { eventually } from '../../support/eventually.ts'
import { keyStoreContract, newKeys } from '../keyStore.contract.ts'

const use = { area: 'evaluation', timeMs: 0 }

vi.mock(import('../../../src/stores/embedded/sqlite.ts'), async (original) => {
  const actual = await original()
  return { ...actual, openDatabase: vi.fn(actual.openDatabase) }
})

const masterKey = new Uint8Array(32).fill(7)
let folder = ''
const closing: KeyStore[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-keys-'))
})

afterEach(async () => {
  for (const store of closing.splice(0)) await store.close()
  rmSync(folder, { recursive: true })
})

async function opened(options: Partial<ThreadKeyStoreOptions> = {}): Promise<KeyStore> {
  const store = await threadKeyStore({ folder, masterKey, ...options })
  closing.push(store)
  return store
}

keyStoreContract('the key store in its thread', async () => {
  const kept = mkdtempSync(join(tmpdir(), 'vigil-keys-'))
  let store = await threadKeyStore({ folder: kept, masterKey })
  return {
    store,
    reopen: async () => {
      await store.close()
      store = await threadKeyStore({ folder: kept, masterKey })
      return store
    },
    dispose: async () => {
      await store.close()
      rmSync(kept, { recursive: true })
    },
  }
})

test('given many new subjects, when their keys are made and destroyed, then nothing of it is written by this thread', async () => {
  const store = await opened()
  const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
  const keyring = await openKeyring({ store, masterKey, chance, poolSize: 512, firstFill: 64 })
  await eventually(() => keyring.keysReady() === 512)
  const keys = Array.from({ length: 300 }, (_, number) => keyring.assign(`subject ${number}`, use))
  await keyring.destroy([keys[1]?.id ?? ''], 1)
  await keyring.close()

  expect(sqlite.openDatabase).not.toHaveBeenCalled()
})

test('what is asked together is answered each with its own', async () => {
  const store = await opened()
  const batches = Array.from({ length: 5 }, () => newKeys(100))

  const all = await Promise.all(
    batches.map(async (keys) => {
      await store.add(keys)
      return store.keys(keys.map(({ id }) => id))
    }),
  )

  expect(all).toEqual(batches.map((keys) => new Map(keys.map(({ id, secret }) => [id, secret]))))
})

test('a folder of another master key is refused by the name of its file', async () => {
  await opened()

  await expect(threadKeyStore({ folder, masterKey: new Uint8Array(32) })).rejects.toThrow(
    /^Cannot use .*keys\.db: its keys were made under another master key/,
  )
})

describe('a thread that ends by itself', () => {
  /** The real one, which can be ended. */
  function mortal() {
    const threads: Worker[] = []
    const start: ThreadKeyStoreOptions['start'] = (workerData) => {
      const module = new URL('../../../src/stores/embedded/keyThread.ts', import.meta.url).href
      const load = `import('tsx/esm/api').then(({ register }) => {
        register()
        return import(${JSON.stringify(module)})
      })`
      const thread = new Worker(load, { eval: true, workerData })
      threads.push(thread)
      return thread
    }
    return { start, threads }
  }

  test('refuses what it was asked, and what is asked until another takes its place', async () => {
    const { start, threads } = mortal()
    const store = await opened({ start, restartMs: 60_000 })
    const [key] = newKeys(1)
    if (key) await store.add([key])
    await threads[0]?.terminate()

    await expect(store.add(newKeys(1))).rejects.toMatchObject({ code: 'unavailable' })
    expect(threads).toHaveLength(1)
  })

  test('has lost nothing that was added', async () => {
    const { start, threads } = mortal()
    const store = await opened({ start, restartMs: 0 })
    const keys = newKeys(10)
    await store.add(keys)
    await threads[0]?.terminate()

    const found = await store.keys(keys.map(({ id }) => id))

    expect(found).toEqual(new Map(keys.map(({ id, secret }) => [id, secret])))
    expect(threads).toHaveLength(2)
  })
})
