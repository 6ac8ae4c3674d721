import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyKeys } from '../../../src/stores/embedded/copyKeys.ts'
import { dataFolder } from '../../../src/stores/embedded/dataFolder.ts'
import { inspectKeys } from '../../../src/stores/embedded/inspectStores.ts'
import { openEmbeddedKeyStore } from '../../../src/stores/embedded/keyStore.ts'
import { openKeptKeys } from '../../../src/stores/embedded/openKeptKeys.ts'
import { memoryKeptKeys } from '../../support/memoryKeptKeys.ts'
import { newKeys } from '../keyStore.contract.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) }
const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const masterKey = new Uint8Array(32).fill(7)

function keysIn(folder: string) {
  return openEmbeddedKeyStore({ folder, masterKey, clock, chance })
}

const signal = new AbortController().signal
const copied = () => join(temporaryFolder(), 'keys.db')

describe('a copy of keys in use', () => {
  test('given a key that is destroyed when its page was copied, when put back, then it is known to be older', async () => {
    const folder = temporaryFolder()
    const store = keysIn(folder)
    const keys = newKeys(5)
    await store.add(keys)
    const erased = keys.map(({ id }) => id).slice(0, 1)
    const to = copied()
    const from = openKeptKeys(dataFolder(folder).keys)
    let destroyed: Promise<unknown> | undefined

    await copyKeys({
      ...{ from, to, signal },
      onProgress: () => {
        destroyed ??= store.destroy(erased, clock.nowMs())
      },
    })
    await destroyed
    from.close()
    await store.close()
    for (const beside of ['-wal', '-shm']) {
      rmSync(`${dataFolder(folder).keys}${beside}`, { force: true })
    }
    copyFileSync(to, dataFolder(folder).keys)

    expect(inspectKeys(dataFolder(folder), { masterKey, logInUse: true, named: [] })).toMatchObject(
      { reason: 'older_copy' },
    )
  })

  test('given a store whose first key comes meanwhile, when copied, then the copy says whose keys they are', async () => {
    const from = memoryKeptKeys()
    await from.put([{ id: 'a', wrapped: new Uint8Array(60) }])
    const proof = new Uint8Array(32).fill(1)
    const to = copied()

    await copyKeys({
      ...{ from, to, signal },
      onProgress: () => {
        from.keptProof = proof
      },
    })

    const copy = openKeptKeys(to)
    expect(Buffer.from((await copy.proof()) ?? [])).toEqual(Buffer.from(proof))
    copy.close()
  })
})
