import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { beforeEach, expect, test, vi } from 'vitest'
import { openSealingKeys } from '../../src/app/openLogAndKeys.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import * as sqlite from '../../src/stores/embedded/sqlite.ts'
import {
  runWriterInline,
  startWriterThread,
  type WriterThread,
} from '../../src/stores/embedded/writerThread.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'

const machine = {
  clock: { nowMs: Date.now },
  random: { bytes: (count: number) => new Uint8Array(randomBytes(count)) },
}

const use = { area: 'evaluation', timeMs: 0 }

vi.mock(import('../../src/stores/embedded/sqlite.ts'), async (original) => {
  const actual = await original()
  return { ...actual, openDatabase: vi.fn(actual.openDatabase) }
})

let dataFolder = ''

beforeEach(() => {
  vi.mocked(sqlite.openDatabase).mockClear()
  dataFolder = temporaryFolder()
})

/** Opens the keys, gives out four hundred, and closes them; how often this thread opened the file of the keys. */
async function opensFor(owner: WriterThread): Promise<number> {
  const masterKey = new Uint8Array(32).fill(7)
  const closers: (() => Promise<void>)[] = []
  const keyring = await openSealingKeys(
    { dataFolder, ...machine, logger: pino({ level: 'silent' }), metrics: openMetrics() },
    { masterKey, keyStorage: owner, closers, damagedFiles: new Set() },
  )
  await eventually(() => keyring.keysReady() > 500)
  for (let number = 0; number < 400; number += 1) keyring.assign(`subject ${number}`, use)
  for (const close of closers.reverse()) await close()
  return vi.mocked(sqlite.openDatabase).mock.calls.length
}

test('no key is written by the thread that answers, unless it is asked to write itself', async () => {
  const owner = startWriterThread()
  const own = await opensFor(owner)
  await owner.close()
  const caller = await opensFor(runWriterInline(machine))

  expect(own).toBe(0)
  expect(caller).toBe(1)
})
