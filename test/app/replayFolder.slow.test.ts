import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ReplayFolderOptions,
  replayFolder,
} from '../../src/queries/audit/replays/replayFolder.ts'
import { dataFolder } from '../../src/stores/embedded/dataFolder.ts'
import { findMasterKey } from '../../src/stores/embedded/installation.ts'
import { openEmbeddedKeyStore } from '../../src/stores/embedded/keyStore.ts'
import { openLogReader } from '../../src/stores/embedded/logReader.ts'
import { eventChecksum } from '../../src/stores/embedded/logWriter.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

let vigil: Vigil
let shop: Customer
let flow = ''
const copies: string[] = []

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('signal.existing_user', 'signal.ext.cart == "7"', 'list.block')
})

afterEach(async () => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true })
  await vigil.close()
})

async function evaluate(target: object, signals: object = {}): Promise<string> {
  return String((await shop.evaluate(flow, { target, signals })).body['id'])
}

const replay = (changed: Partial<ReplayFolderOptions> = {}) =>
  replayFolder({
    dataFolder: vigil.folder,
    masterKey: undefined,
    threads: 1,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...changed,
  })

/** A copy of the folder, as after a kill, to be changed. */
function copied(): string {
  const copy = crashedCopy(vigil.folder)
  copies.push(copy)
  return copy
}

function recordOf(folder: string, id: string): RecordedEvent {
  const reader = openLogReader(dataFolder(folder).log)
  try {
    const [found] = reader.readStream(`evaluation-${id}`, { from: 0, limit: 1 })
    if (!found) throw new Error(`no evaluation ${id}`)
    return found
  } finally {
    reader.close()
  }
}

function write(file: string, sql: string, ...values: (string | number)[]): void {
  const database = openDatabase({ file, synchronous: 'NORMAL' })
  database.prepare(sql).run(...values)
  database.close()
}

/** The keys that the event was sealed under. */
function keysOf({ metadata }: RecordedEvent): readonly string[] {
  const { subjects } = JSON.parse(metadata) as { subjects: readonly { key: string }[] }
  return subjects.map(({ key }) => key)
}

describe('evaluations with all, some and none of their evidence', () => {
  beforeEach(async () => {
    await evaluate({ phone_number: '+33612345678' }, { existing_user: true, ext: { cart: '7' } })
    await evaluate({ email_address: 'ada@example.com' }, { existing_user: false })
    await evaluate({ phone_number: '+33612345679', email_address: 'ada@example.com' })
  })

  test.each([
    { threads: 1, positionsAtATime: 1 },
    { threads: 2, positionsAtATime: 3 },
  ])(
    'given a service in use, when replayed by $threads threads in ranges of $positionsAtATime, then all are the same to the byte, each once',
    async (options) => {
      const shown: number[] = []
      const onProgress = ({ position }: { position: number }) => shown.push(position)

      const replayed = await replay({ ...options, onProgress })

      expect(replayed).toMatchObject({ match: 3, mismatch: 0, evidence_erased: 0, mismatches: [] })
      expect(replayed.folder).toBe(vigil.folder)
      expect(shown.at(-1)).toBe(replayed.position)
      expect(shown).toEqual([...shown].sort((one, other) => one - other))
    },
  )
})

test('given a person who was erased, then the evaluation counts as erased', async () => {
  const id = await evaluate({ phone_number: '+33612345678' })
  await evaluate({ phone_number: '+33612345679' })
  const folder = copied()
  const masterKey = findMasterKey({ folder }) ?? new Uint8Array()
  const clock = { nowMs: Date.now }
  const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
  const keys = openEmbeddedKeyStore({ folder, masterKey, clock, random })
  await keys.destroy(keysOf(recordOf(folder, id)), Date.now())
  await keys.close()

  const replayed = await replay({ dataFolder: folder })

  expect(replayed).toMatchObject({ match: 1, evidence_erased: 1, mismatch: 0 })
})

test('given a key that is lost, then the evaluation is named with it, and the others are replayed', async () => {
  const id = await evaluate({ phone_number: '+33612345678' })
  await evaluate({ phone_number: '+33612345679' })
  const folder = copied()
  const [key = ''] = keysOf(recordOf(folder, id))
  write(dataFolder(folder).keys, 'DELETE FROM keys WHERE id = ?', key)

  const replayed = await replay({ dataFolder: folder })

  expect(replayed).toMatchObject({ match: 1, mismatch: 1 })
  expect(replayed.mismatches).toMatchObject([
    { evaluation_id: id, reason: `sealing key ${key} is missing` },
  ])
})

test('given a record that was changed with its checksum, then it is named with what differs', async () => {
  const id = await evaluate({ phone_number: '+33612345678' }, { existing_user: true })
  await evaluate({ phone_number: '+33612345679' }, { existing_user: true })
  const folder = copied()
  const recorded = recordOf(folder, id)
  const data = recorded.data.replace('"score":60', '"score":59')
  write(
    dataFolder(folder).log,
    'UPDATE events SET data = ?, checksum = ? WHERE position = ?',
    ...[data, eventChecksum({ ...recorded, data }), recorded.position],
  )

  const replayed = await replay({ dataFolder: folder })

  expect(data).not.toBe(recorded.data)
  expect(replayed).toMatchObject({ match: 1, mismatch: 1 })
  const [mismatch] = replayed.mismatches
  expect(mismatch).toMatchObject({ evaluation_id: id, position: recorded.position })
  expect(mismatch?.reason).toContain('answer.recipes.0.score: recorded 59, recomputed 60')
})

test('given an event that is damaged, then it is refused by its place', async () => {
  const id = await evaluate({ phone_number: '+33612345678' })
  const folder = copied()
  const { position } = recordOf(folder, id)
  write(dataFolder(folder).log, "UPDATE events SET data = data || ' ' WHERE position = ?", position)

  await expect(replay({ dataFolder: folder })).rejects.toThrow(
    `the event at position ${position} has changed since it was written`,
  )
})

test('given an interruption, then it ends with its reason', async () => {
  await evaluate({ phone_number: '+33612345678' })
  const interrupted = new AbortController()
  const onProgress = () => interrupted.abort(new Error('enough'))

  const replaying = replay({ signal: interrupted.signal, onProgress, positionsAtATime: 1 })

  await expect(replaying).rejects.toThrow('enough')
})

test.each([
  ['another master key', { masterKey: new Uint8Array(32) }, 'set VIGIL_MASTER_KEY'],
  [
    'a folder without data',
    { dataFolder: join('no', 'such', 'folder') },
    'There is no data of Vigil',
  ],
])('given %s, then it is refused with what to do', async (_, changed, words) => {
  await expect(replay(changed)).rejects.toThrow(words)
})
