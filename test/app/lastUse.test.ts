import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { openServiceContext } from '../../src/app/serviceContext.ts'
import {
  openLastUses,
  recordCredentialUse,
} from '../../src/commands/accounts/recordCredentialUse.ts'
import { openBackground } from '../../src/commands/handling/background.ts'
import { decode } from '../../src/events/catalogue.ts'
import type { SharedProjections } from '../../src/projections/running/projectionState.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { type MemoryEventStore, memoryEventStore } from '../support/memoryEventStore.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

const hour = 60 * 60 * 1_000
const noon = Date.UTC(2026, 10, 21, 12)

const principal = (id: string) => ({ accountId: 'acc_1', id })

let events: MemoryEventStore
let failures: unknown[]

beforeEach(() => {
  events = memoryEventStore()
  failures = []
})

/** One of the instances on the log. */
async function openInstance(kind: 'token' | 'sdkKey' = 'token') {
  const random = { bytes: (count: number) => randomBytes(count) }
  const keyring = await openKeyring({ store: memoryKeyStore(), masterKey: randomBytes(32), random })
  const background = openBackground((error) => failures.push(error))
  const context = openServiceContext({
    events,
    documents: {} as ReadStore,
    keyring,
    projections: {} as SharedProjections,
    clock: { nowMs: () => noon },
    random,
    background,
  })
  const lastUses = openLastUses()
  const note = (tokenId: string, timeMs: number): void =>
    recordCredentialUse(context, lastUses, { kind, ...principal(tokenId), timeMs })
  return {
    use: async (tokenId: string, timeMs: number) => {
      note(tokenId, timeMs)
      await background.settled()
    },
    note,
    background,
  }
}

const recorded = () =>
  events.log.map((event) => {
    const { event: used, metadata } = decode(event)
    return [(used.data as { token_id: string }).token_id, metadata.time - noon]
  })

describe('the uses of a token', () => {
  test('are recorded once an hour, each token for itself', async () => {
    const { use } = await openInstance()

    for (const [token, timeMs] of [
      ['tok_1', noon + 5],
      ['tok_1', noon + 6],
      ['tok_2', noon + 7],
      ['tok_1', noon + hour - 1],
      ['tok_1', noon + hour],
    ] as const) {
      await use(token, timeMs)
    }

    expect(recorded()).toEqual([
      ['tok_1', 5],
      ['tok_2', 7],
      ['tok_1', hour],
    ])
  })

  test('are recorded once by any number of instances, and after a restart', async () => {
    const instances = await Promise.all([openInstance(), openInstance(), openInstance()])

    for (const [index, { use }] of instances.entries()) await use('tok_1', noon + index)

    expect(recorded()).toEqual([['tok_1', 0]])
    expect(failures).toEqual([])
  })

  test.each([
    ['token', 'token_use', 'ApiTokenUsed'],
    ['sdkKey', 'sdk_key_use', 'SdkKeyUsed'],
  ] as const)('say whose they are: of a %s', async (kind, prefix, type) => {
    const { use } = await openInstance(kind)

    await use('id_1', noon)
    await use('id_1', noon + 1)

    const metadata = { account: 'acc_1', actor: 'id_1' }
    expect(events.log.map((event) => ({ ...event, ...decode(event) }))).toMatchObject([
      { stream: expect.stringMatching(`^${prefix}-id_1-`), type, metadata },
    ])
  })

  test('that cannot be recorded are reported once, and tried again after a minute', async () => {
    const { use } = await openInstance()
    let broken = true
    events.before = () => {
      if (broken) throw new Error('the disk is full')
    }

    await use('tok_1', noon)
    await use('tok_1', noon + 59_999)
    broken = false
    await use('tok_1', noon + 60_000)

    expect(failures).toHaveLength(1)
    expect(failures[0]).toMatchObject({ cause: new Error('the disk is full') })
    expect(recorded()).toEqual([['tok_1', 60_000]])
  })

  test('are waited for by whoever closes, and by nobody else', async () => {
    const { note, background } = await openInstance()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    events.before = () => held

    note('tok_1', noon)
    let settled = false
    const closing = background.settled().then(() => {
      settled = true
    })
    await Promise.resolve()

    expect([settled, recorded()]).toEqual([false, []])
    release()
    await closing
    expect(recorded()).toEqual([['tok_1', 0]])
  })
})
