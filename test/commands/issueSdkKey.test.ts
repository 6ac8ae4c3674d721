import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveSdkKey, parseSdkKey } from '../../src/auth/sdkKey.ts'
import { decideSdkKeyIssue, decideSdkKeyOrigins } from '../../src/commands/accounts/sdkKeys.ts'
import { newId } from '../../src/domain/ids.ts'
import { noAccount } from '../../src/events/accounts/account.ts'
import { accountAfter, fact } from './support/givenAccount.ts'
import { outcome } from './support/outcome.ts'

const issued = (key_id: string) => fact('SdkKeyIssued', { key_id })
const revoked = (key_id: string) => fact('SdkKeyRevoked', { key_id })

test('an account has at most a hundred in force', () => {
  const hundred = Array.from({ length: 100 }, (_, number) => issued(`sdk_${number}`))

  expect(() => decideSdkKeyIssue({ keyId: 'sdk_more' })(accountAfter(...hundred))).toThrow(
    /at most 100/,
  )
  const freed = accountAfter(...hundred, revoked('sdk_7'))
  expect(decideSdkKeyIssue({ keyId: 'sdk_more' })(freed)).toHaveLength(1)
})

test('there is nothing to issue on an account that was never opened', () => {
  expect(outcome(noAccount, decideSdkKeyIssue({ keyId: 'sdk_1' }))).toEqual(['not_found'])
})

describe('the origins of a key', () => {
  const shop = ['https://shop.example']
  const set = (origins: readonly string[]) => fact('SdkKeyOriginsSet', { key_id: 'sdk_1', origins })

  test('are said when it is issued, and changed later; the same again is no change', () => {
    const events = decideSdkKeyIssue({ keyId: 'sdk_1', origins: shop })(accountAfter())
    const state = accountAfter(...events)

    expect(events).toEqual([issued('sdk_1'), set(shop)])
    expect(decideSdkKeyOrigins('sdk_1', shop)(state)).toEqual([])
    expect(decideSdkKeyOrigins('sdk_1', [])(state)).toEqual([set([])])
    expect(accountAfter(...events, set([])).sdkKeys.get('sdk_1')).toEqual({ revoked: false })
  })

  test('are such as browsers send', () => {
    for (const origin of ['shop.example', 'https://shop.example/', 'https://*.shop.example']) {
      expect(() => decideSdkKeyOrigins('sdk_1', [...shop, origin])).toThrow(
        expect.objectContaining({ details: [expect.objectContaining({ path: 'origins.1' })] }),
      )
    }
  })

  test('are none of a key that there is not, or that is revoked', () => {
    const state = accountAfter(issued('sdk_1'), revoked('sdk_1'))

    expect(() => decideSdkKeyOrigins('sdk_1', shop)(state)).toThrow('There is nothing')
    expect(() => decideSdkKeyOrigins('sdk_2', shop)(state)).toThrow('There is nothing')
  })
})

test('the text of a key says whose it is, and no other text does, nor that of another installation', () =>
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.string(), (bytes, text) => {
      const random = { bytes: (count: number) => bytes.slice(0, count) }
      const idOf = (prefix: 'acc' | 'sdk') => newId(prefix, { nowMs: () => 1 }, random)
      const parts = { accountId: idOf('acc'), keyId: idOf('sdk') }
      const digestBy = (key: string) => (purpose: string, of: string) =>
        createHmac('sha256', key).update(`${purpose} ${of}`).digest('base64url')
      const ours = digestBy('ours')
      const key = deriveSdkKey(parts, ours)

      expect(parseSdkKey(key, ours)).toEqual(parts)
      expect(parseSdkKey(key, digestBy('theirs'))).toBeUndefined()
      expect(parseSdkKey(text, ours)).toBeUndefined()
      expect(parseSdkKey(`${key}\n`, ours)).toBeUndefined()
      expect(parseSdkKey(key.slice(0, -12), ours)).toBeUndefined()
    }),
  ))
