/** Tokens and SDK keys are looked up in memory, or in the log a limited number of times. */

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { deriveSdkKey } from '../../src/auth/sdkKey.ts'
import {
  authenticateFrontEnd,
  findToken,
  openAuthentication,
} from '../../src/commands/accounts/authenticate.ts'
import { newId } from '../../src/domain/ids.ts'
import { type AccountState, noAccount } from '../../src/events/accounts/account.ts'

const token = { hash: 'h', scopes: [], revoked: false }

/** An instance that holds an account without tokens, over a log that may have more. */
function open() {
  let looks = 0
  let nowMs = 1_000_000
  const inLog = new Map<string, typeof token>()
  const held = { state: noAccount }
  const accounts = {
    peek: (stream: string) => (stream === 'account-held' ? held : undefined),
    getFolded: async () => held,
    catchUp: async () => {
      looks += 1
      const all = new Map(inLog)
      const state: AccountState = { ...noAccount, tokens: all, sdkKeys: all }
      held.state = state
      return { state }
    },
  }
  const clock = { nowMs: () => nowMs }
  const context = {
    ...{ accounts, clock, authentication: openAuthentication(clock) },
    ...{
      keyring: { digest: (_: string, text: string) => btoa(text) },
      background: { run: () => {} },
    },
  } as unknown as ServiceContext
  return {
    context,
    find: async (tokenId: string, accountId = 'held') => findToken(context, { accountId, tokenId }),
    issue: (tokenId: string) => inLog.set(tokenId, token),
    looks: () => looks,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}
test('a token that is held, on a stream that need not be read, is known at once', () => {
  const held = { state: { ...noAccount, tokens: new Map([['known', token]]) } }
  const accounts = { peek: () => held, getFolded: () => held }
  const clock = { nowMs: () => 0 }
  const context = {
    accounts,
    authentication: openAuthentication(clock),
  } as unknown as ServiceContext

  expect(findToken(context, { accountId: 'held', tokenId: 'known' })).toBe(token)
})

test('a token that is not held is found by one look into the log, and then held', async () => {
  const { find, issue, looks } = open()
  issue('new')

  expect(await find('new')).toBe(token)
  expect(await find('new')).toBe(token)

  expect(looks()).toBe(1)
})

test('a token that does not exist is looked for once, and again only after a while', async () => {
  const { find, looks, pass } = open()

  for (let count = 0; count < 100; count += 1) expect(await find('none')).toBeUndefined()
  expect(looks()).toBe(1)
  pass(500)
  expect(await find('none')).toBeUndefined()

  expect(looks()).toBe(2)
})

test('so many unknown tokens are looked for in a second, and no more, one after the other as well', async () => {
  const { find, looks, pass, issue } = open()
  const ask = async (round: string) => {
    const asked = Array.from({ length: 2_200 }, (_, index) => index)
    let refused = 0
    for (const index of asked) {
      await find(`none-${round}-${index}`, `acc-${index}`).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'unavailable' })
        refused += 1
      })
    }
    return refused
  }

  expect([await ask('a'), looks()]).toEqual([200, 2_000])
  issue('new')
  await expect(find('new')).rejects.toMatchObject({ code: 'unavailable' })
  pass(1_000)

  expect(await find('new')).toBe(token)
  expect([await ask('b'), looks()]).toEqual([201, 4_000])
})

test('SDK keys that strangers make up cost no look into the log, however many, and keep no front end waiting', async () => {
  const { context, issue, looks } = open()
  const idOf = (prefix: 'acc' | 'sdk') =>
    newId(prefix, { nowMs: () => 1 }, { bytes: (count) => randomBytes(count) })
  const keyBy = (digest: (purpose: string, text: string) => string) => {
    const parts = { accountId: idOf('acc'), keyId: idOf('sdk') }
    return { parts, text: deriveSdkKey(parts, digest) }
  }
  const madeUp = Array.from({ length: 2_000 }, () =>
    keyBy(() => randomBytes(32).toString('base64url')),
  )
  const lawful = keyBy(context.keyring.digest)
  issue(lawful.parts.keyId)

  for (const { text } of madeUp) {
    await expect(authenticateFrontEnd(context, text, undefined)).rejects.toMatchObject({
      code: 'invalid_sdk_key',
    })
  }
  const before = looks()
  const principal = await authenticateFrontEnd(context, lawful.text, undefined)

  expect([before, looks()]).toEqual([0, 1])
  expect(principal).toEqual({ kind: 'front_end', ...lawful.parts })
})
