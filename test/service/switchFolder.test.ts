import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { OpenedMongo } from '../../src/service/opening/openMongo.ts'
import { movesOf } from '../../src/service/operations/migration/movesOf.ts'
import { switchFolder } from '../../src/service/operations/migration/switchFolder.ts'
import { type DataFolder, dataFolder } from '../../src/stores/embedded/dataFolder.ts'
import { openEmbeddedKeyStore } from '../../src/stores/embedded/keyStore.ts'
import { refuseKeysElsewhere, refuseOwnKeys } from '../../src/stores/embedded/keysElsewhere.ts'
import { noteLogElsewhere, refuseOwnLog } from '../../src/stores/embedded/logElsewhere.ts'
import { newKeys } from '../stores/keyStore.contract.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'

const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) }
const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const mongoDbUrl = 'mongodb://localhost/vigil'

/** Keys of its own, and a file in place of a log. */
let folder: DataFolder

beforeEach(async () => {
  folder = dataFolder(temporaryFolder())
  const masterKey = new Uint8Array(32).fill(7)
  const store = openEmbeddedKeyStore({ folder: folder.path, masterKey, clock, chance })
  await store.add(newKeys(3))
  await store.close()
  writeFileSync(folder.log, 'a log')
})

/** Moves the keys to a server that does this when it is told of the log. */
const switchKeys = (rememberEnd: () => Promise<void>, patienceMs = 60_000) =>
  switchFolder(
    {
      folder,
      moves: { log: undefined, keys: true },
      mongo: { rememberEnd } as unknown as OpenedMongo,
      options: {
        ...{ from: folder.path, to: undefined, mongoDbUrl, clock, patienceMs },
        ...{ signal: new AbortController().signal, onProgress: () => undefined },
      },
    },
    undefined,
  )

const away = () => new Failure('unavailable', 'The key store cannot be used right now.')

describe('keys whose migration ends while the folder is switched', () => {
  test('given a server that is away for a moment, then it is waited for, and the keys are set aside', async () => {
    let calls = 0

    const moved = await switchKeys(async () => {
      calls += 1
      if (calls === 1) throw away()
    })

    expect(calls).toBe(2)
    expect(existsSync(folder.keys)).toBe(false)
    expect(existsSync(moved.keys)).toBe(true)
    expect(() => refuseOwnKeys(folder)).not.toThrow()
  })

  test('given a server that stays away, then no service starts before the same has come to its end', async () => {
    await expect(switchKeys(() => Promise.reject(away()), 0)).rejects.toThrow('right now')

    expect(() => refuseOwnKeys(folder)).toThrow(
      /interrupted before .*keys\.db was set aside\. Run vigil migrate again/,
    )
    expect(() => refuseKeysElsewhere(folder)).toThrow('set MONGODB_URL')
    expect(movesOf(folder, { to: undefined, mongoDbUrl })).toEqual({ log: undefined, keys: true })

    await switchKeys(async () => {})
    expect(() => refuseOwnKeys(folder)).not.toThrow()
    expect(readdirSync(folder.path)).not.toContain('keys.db')
  })
})

test('given a log that is not yet set aside, then no service starts beside it', () => {
  noteLogElsewhere(folder)

  expect(() => refuseOwnLog(folder)).toThrow(
    /interrupted before .*log\.db was set aside\. Run vigil migrate again/,
  )
})

describe('a folder of which nothing can be moved', () => {
  const refusal = (): string => {
    try {
      movesOf(folder, {
        to: undefined,
        mongoDbUrl: existsSync(folder.keys) ? undefined : mongoDbUrl,
      })
      return ''
    } catch (error) {
      return error instanceof Error ? error.message.replaceAll(folder.path, '/x') : ''
    }
  }

  test('says how both are moved', () => {
    expect(refusal()).toBe(
      'To move the log of /x, name the EventStoreDB: --to or EVENTSTORE_URL. To move the sealing keys of /x, name the MongoDB: MONGODB_URL.',
    )
  })

  test('says of moved keys that they are, and how the log is moved', async () => {
    await switchKeys(async () => {})

    expect(refusal()).toBe(
      'The sealing keys of /x are kept by a MongoDB already. To move the log of /x, name the EventStoreDB: --to or EVENTSTORE_URL.',
    )
  })
})
