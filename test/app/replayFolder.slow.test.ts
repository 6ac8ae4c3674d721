import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  type ReplayFolderOptions,
  replayFolder,
} from '../../src/queries/audit/replays/replayFolder.ts'
import { dataFolderAt } from '../../src/stores/embedded/dataFolder.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

let vigil: Vigil
let shop: Customer
let flow = ''

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('signal.existing_user', 'signal.ext.cart == "7"', 'list.block')
})

afterEach(async () => {
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

test('given an event that is damaged, then it is refused by its place', async () => {
  await evaluate({ phone_number: '+33612345678' })
  const folder = crashedCopy(vigil.folder)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = openDatabase({ file: dataFolderAt(folder).log, synchronous: 'NORMAL' })
  const [{ position }] = database
    .prepare("UPDATE events SET data = data || ' ' WHERE type = 'FlowEvaluated' RETURNING position")
    .all() as [{ position: number }]
  database.close()

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

test('given another master key, then it is refused with what to do', async () => {
  const masterKey = new Uint8Array(32)

  await expect(replay({ masterKey })).rejects.toThrow('set VIGIL_MASTER_KEY')
})
