import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildEventContext,
  type CommandRequest,
} from '../../src/commands/handling/executeCommand.ts'
import type { AccountPrincipal, Principal } from '../../src/domain/principal.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import { draws } from '../support/draws.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

let drawn = 0
const sources = {
  clock: { nowMs: () => 1_700_000_000_000 },
  // other bytes each time
  random: {
    bytes: (count: number) => {
      drawn += 1
      return createHash('sha256').update(`${drawn}`).digest().subarray(0, count)
    },
  },
  keyring: {
    digest: (purpose: string, text: string) =>
      createHash('sha256').update(`${purpose} ${text}`).digest('base64url'),
  },
}
const author: AccountPrincipal = {
  kind: 'account',
  accountId: 'acc_1',
  tokenId: 'tok_1',
  scopes: ['author'],
}
const intention: CommandRequest = {
  account: 'acc_1',
  operation: 'rules.create',
  input: { name: 'n' },
}

const contextOf = (
  idempotencyKey?: string,
  change: Partial<CommandRequest> = {},
  principal: Principal = author,
) =>
  buildEventContext(
    sources,
    { principal, requestId: 'req_1', ...(idempotencyKey !== undefined && { idempotencyKey }) },
    { ...intention, ...change },
  )

test('says who, when and why, of an account or of the operator', () => {
  expect(contextOf()).toMatchObject({
    account: 'acc_1',
    actor: 'tok_1',
    request: 'req_1',
    time: 1_700_000_000_000,
  })
  expect(contextOf('k', {}, { kind: 'operator' })).toMatchObject({ actor: 'operator' })
})

describe('without a key', () => {
  test('every command is another, and nothing of its input is kept', () => {
    const contexts = Array.from({ length: 20 }, () => contextOf())

    expect(new Set(contexts.map(({ command }) => command)).size).toBe(20)
    for (const context of contexts) {
      expect(context).not.toHaveProperty('digest')
      expect(context.command).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    }
  })
})

describe('with a key', () => {
  test('the same command sent twice has the same key and the same digest, and an id of its own', () => {
    const [first, again] = [contextOf('key'), contextOf('key')]

    expect(again).toEqual({ ...first, command: again.command })
    expect(again.command).not.toBe(first.command)
    expect(first.command).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(first.key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/)
  })

  test('under another master key it is another: who has only the log finds no key by trying', async () => {
    const openRing = (byte: number) =>
      openKeyring({
        store: memoryKeyStore(),
        masterKey: new Uint8Array(32).fill(byte),
        random: { bytes: (count) => new Uint8Array(count) },
      })
    const phone = '+33612345678'
    const rings = await Promise.all([openRing(1), openRing(2), openRing(1)])

    const known = rings.map((keyring) => {
      const call = { principal: author, requestId: 'req_1', idempotencyKey: phone }
      const { key } = buildEventContext({ ...sources, keyring }, call, intention)
      const { command } = buildEventContext({ ...sources, keyring }, call, {
        ...intention,
        ownStream: true,
      })
      return { key, command }
    })
    await Promise.all(rings.map(({ close }) => close()))

    const [one, other, same] = known
    expect(one?.key).not.toBe(other?.key)
    expect(one?.command).not.toBe(other?.command)
    expect(same).toEqual(one)
  })

  test('a command with a stream of its own has the key as its id', () => {
    const { command, ...own } = contextOf('key', { ownStream: true })

    expect(command).toBe(contextOf('key').key)
    expect(own).not.toHaveProperty('key')
  })

  test('another input is the same command with another digest, so that it can be refused', () => {
    const [first, other] = [contextOf('key'), contextOf('key', { input: { name: 'other' } })]

    expect(other.key).toBe(first.key)
    expect(other.digest).not.toBe(first.digest)
  })

  test('the order of members and what is undefined are no other input', () => {
    const one = contextOf('key', { input: { a: 1, b: [{ c: 2, d: 3 }] } })
    const same = contextOf('key', { input: { b: [{ d: 3, c: 2, e: undefined }], a: 1 } })

    expect(same.digest).toBe(one.digest)
  })

  test.each<[string, Parameters<typeof contextOf>]>([
    ['key', ['other']],
    ['account', ['key', { account: 'acc_2' }]],
    ['operation', ['key', { operation: 'rules.replace rul_1' }]],
  ])('another %s is another command', (_, given) => {
    expect(contextOf(...given).key).not.toBe(contextOf('key').key)
  })

  test('the actor is not part of the command: a token may be replaced between two sendings', () => {
    const other = { ...author, tokenId: 'tok_2' }

    expect(contextOf('key', {}, other).key).toBe(contextOf('key').key)
  })

  test('no two of account, operation and key are taken for one another', () => {
    const part = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('"', '","', '\\', ' ', '["'))
    const parts = fc.tuple(part, part, part)
    fc.assert(
      fc.property(parts, parts, ([account, operation, key], [otherAccount, other, otherKey]) => {
        const one = contextOf(key, { account, operation }).key
        const two = contextOf(otherKey, { account: otherAccount, operation: other }).key

        const isSame = account === otherAccount && operation === other && key === otherKey
        expect(one === two).toBe(isSame)
      }),
      { numRuns: draws(500) },
    )
  })
})
