import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedSnapshotStore } from '../../../src/stores/embedded/snapshotStore.ts'
import type { SnapshotHead } from '../../../src/stores/snapshotStore.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const head = (revision: number): SnapshotHead => ({
  stream: 's',
  shape: 'a 1',
  revision,
  position: revision + 1,
  event: 'e',
  parts: 2,
  digest: 'd',
})

function open(folder: string) {
  const store = openEmbeddedSnapshotStore(folder)
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    await store.close()
  }
  onTestFinished(close)
  return { store: { ...store, close } }
}

async function save({ store }: ReturnType<typeof open>, revision: number) {
  for (const part of [0, 1])
    await store.putPart({ stream: 's', revision, part }, `${revision}.${part}`)
  await store.publish(head(revision))
}

test('the newest is kept, also when an older one comes after it, and the parts of older ones go', async () => {
  const opened = open(temporaryFolder())
  const { store } = opened
  await save(opened, 5)
  await save(opened, 9)
  await save(opened, 7)

  expect(await store.newest('s')).toEqual(head(9))
  expect(await store.part({ stream: 's', revision: 9, part: 1 })).toBe('9.1')
  expect(await store.part({ stream: 's', revision: 5, part: 1 })).toBeUndefined()
  expect(await store.newest('other')).toBeUndefined()
})

test('what is kept is there when it is opened again, for its owner alone, and gone when dropped', async () => {
  const folder = temporaryFolder()
  const first = open(folder)
  await save(first, 5)
  await first.store.close()

  const { store } = open(folder)

  expect(await store.newest('s')).toEqual(head(5))
  expect(statSync(join(folder, 'snapshots.db')).mode & 0o777).toBe(0o600)
  await store.drop(head(4))
  expect(await store.newest('s')).toEqual(head(5))
  await store.drop(head(5))
  expect(await store.newest('s')).toBeUndefined()
  expect(await store.part({ stream: 's', revision: 5, part: 0 })).toBeUndefined()
})

test('a file that is damaged is made anew', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'snapshots.db'), 'x'.repeat(20_000))

  const opened = open(folder)
  await save(opened, 5)

  expect(await opened.store.newest('s')).toEqual(head(5))
})
