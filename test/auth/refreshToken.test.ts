import { createHash, createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  deriveFirstRefreshToken,
  deriveNextRefreshToken,
  type KeyedDigest,
  refreshTokenPattern,
  verifyRefreshToken,
} from '../../src/auth/refreshToken.ts'
import { newId } from '../../src/domain/ids.ts'

const keyed =
  (key: string): KeyedDigest =>
  (purpose, text) =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, text]))
      .digest('base64url')
const digest = keyed('a secret of the installation')
const clock = { nowMs: () => 1_760_000_000_000 }
const sessionId = newId('ses', clock, { bytes: (count) => randomBytes(count) })
const owner = { appId: 'corner1', sessionId }
const first = deriveFirstRefreshToken(owner, digest)

describe('a refresh token', () => {
  test('has a form that scanners can look for, and says its session', () => {
    expect(first.text).toMatch(new RegExp(refreshTokenPattern))
    expect(verifyRefreshToken(first.text, 'corner1', digest)).toEqual(first)
    expect(first.sessionId).toBe(sessionId)
  })

  test('is kept as its hash, in which nothing of it stands', () => {
    expect(first.hash).toBe(createHash('sha256').update(first.text).digest('base64url'))
    expect(first.text).not.toContain(first.hash)
  })

  test('is the same however often it is made, and others are others', () => {
    const other = newId('ses', clock, { bytes: (count) => randomBytes(count) })

    expect(deriveFirstRefreshToken(owner, digest)).toEqual(first)
    expect(deriveFirstRefreshToken({ ...owner, sessionId: other }, digest).text).not.toBe(
      first.text,
    )
    expect(deriveFirstRefreshToken({ ...owner, appId: 'other01' }, digest).text).not.toBe(
      first.text,
    )
    expect(deriveFirstRefreshToken(owner, keyed('another')).text).not.toBe(first.text)
  })

  test('is followed by one that nobody can tell from it, and that is the same for all', () => {
    const second = deriveNextRefreshToken(first, 'corner1', digest)
    const third = deriveNextRefreshToken(second, 'corner1', digest)

    expect(deriveNextRefreshToken(first, 'corner1', digest)).toEqual(second)
    expect(verifyRefreshToken(second.text, 'corner1', digest)).toEqual(second)
    expect(new Set([first, second, third].map(({ text }) => text)).size).toBe(3)
    expect(deriveNextRefreshToken(first, 'corner1', keyed('another')).text).not.toBe(second.text)
  })

  test('of another application, and of another installation, is none', () => {
    expect(verifyRefreshToken(first.text, 'other01', digest)).toBeUndefined()
    expect(verifyRefreshToken(first.text, 'corner1', keyed('another'))).toBeUndefined()
  })

  test('with any character changed is none', () => {
    for (let at = 0; at < first.text.length; at += 1) {
      const changed = `${first.text.slice(0, at)}${first.text[at] === 'x' ? 'y' : 'x'}${first.text.slice(at + 1)}`
      expect(verifyRefreshToken(changed, 'corner1', digest)).toBeUndefined()
    }
  })
})

test('what is not one is none, whatever it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 300 })), (text) => {
      expect(verifyRefreshToken(text, 'corner1', digest)).toBeUndefined()
    }),
  )
  for (const text of [
    `${first.text}\n`,
    ` ${first.text}`,
    `${first.text}=`,
    first.text.repeat(2),
  ]) {
    expect(verifyRefreshToken(text, 'corner1', digest)).toBeUndefined()
  }
})
