import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openServiceContext } from '../../src/app/serviceContext.ts'
import { sdkKeyText } from '../../src/auth/sdkKey.ts'
import { openBackground } from '../../src/commands/handling/background.ts'
import { newId } from '../../src/domain/ids.ts'
import { accountStream } from '../../src/events/accounts/account.ts'
import type { SharedProjections } from '../../src/projections/running/projectionState.ts'
import { authenticateFrontEnd } from '../../src/queries/accounts/authenticate.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

const random = { bytes: (count: number) => randomBytes(count) }
const clock = { nowMs: () => 1_000 }

/** An instance that has just started: it holds no account yet. */
async function openCold() {
  const events = memoryEventStore()
  let looks = 0
  const readNewEvents: typeof events.readNewEvents = (...asked) => {
    looks += 1
    return events.readNewEvents(...asked)
  }
  const keyring = await openKeyring({ store: memoryKeyStore(), masterKey: randomBytes(32), random })
  const background = openBackground((error) => {
    throw error
  })
  const context = openServiceContext({
    ...{ keyring, clock, random, background },
    events: { ...events, readNewEvents },
    documents: {} as ReadStore,
    projections: {} as SharedProjections,
  })
  const ids = () => ({
    accountId: newId('acc', clock, random),
    keyId: newId('sdk', clock, random),
  })
  return {
    ids,
    looks: () => looks,
    authenticate: (key: string, origin: string | undefined) =>
      authenticateFrontEnd(context, key, origin),
    keyOf: (of: ReturnType<typeof ids>) => sdkKeyText(of, keyring.digest),
    issue: async ({ accountId, keyId }: ReturnType<typeof ids>) => {
      const of = { account: accountId, actor: 'op', request: '', command: '', time: 1 }
      const made = [
        { type: 'AccountOpened', data: { account_id: accountId, name: 'Shop' } },
        { type: 'SdkKeyIssued', data: { key_id: keyId } },
      ] as const
      const command = `0192f0c1-0000-7000-8000-${accountId.length.toString().padStart(12, '0')}`
      const encoded = context.encode(made, { ...of, command })
      await events.append({
        stream: accountStream(accountId),
        events: encoded,
        expected: 'no_stream',
      })
    },
  }
}

test('keys that strangers make up cost no look into the log, however many, and keep no front end waiting', async () => {
  const { ids, issue, keyOf, authenticate, looks } = await openCold()
  const lawful = ids()
  await issue(lawful)
  const madeUp = Array.from({ length: 2_000 }, () => {
    const { accountId, keyId } = ids()
    return sdkKeyText({ accountId, keyId }, () => randomBytes(32).toString('base64url'))
  })

  const refused = await Promise.allSettled(madeUp.map((key) => authenticate(key, undefined)))
  const before = looks()
  const principal = await authenticate(keyOf(lawful), undefined)

  expect(
    refused.filter((one) => one.status === 'rejected' && one.reason.code === 'invalid_sdk_key'),
  ).toHaveLength(madeUp.length)
  expect([before, looks()]).toEqual([0, 1])
  expect(principal).toEqual({ kind: 'front_end', ...lawful })
})
