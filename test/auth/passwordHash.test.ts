import { describe, expect, test } from 'vitest'
import {
  defaultHashCost,
  hashPassword,
  makeDecoyHash,
  needsRehash,
  verifyPassword,
} from '../../src/auth/passwordHash.ts'

const random = { bytes: (count: number) => new Uint8Array(count).fill(7) }
const cheap = { memoryKib: 8, passes: 1 }

describe('the hash of a password', () => {
  test('is argon2id with what OWASP asks for, and says so', async () => {
    const kept = await hashPassword('correct horse', random)

    expect(kept).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$BwcHBwcHBwcHBwcHBwcHBw\$[A-Za-z0-9+/]{43}$/,
    )
  })

  test('is that of RFC 9106 made by another program', async () => {
    // echo -n password | argon2 somesalt -id -v 13 -t 2 -m 16 -p 1: the reference implementation's own test
    const kept =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

    expect(await verifyPassword('password', kept)).toBe(true)
    expect(await verifyPassword('Password', kept)).toBe(false)
  })

  test.each(['a', 'correct horse', 'ω漢🔑', 'fish\u0000ing', ' ', '\u0000'])(
    'of %j is that of no other',
    async (text) => {
      const kept = await hashPassword(text, random, cheap)

      expect(await verifyPassword(text, kept)).toBe(true)
      for (const other of [
        `${text} `,
        `${text}\u0000`,
        text.slice(1),
        text.replace('\u0000', ''),
      ]) {
        expect(await verifyPassword(other, kept)).toBe(other === text)
      }
    },
  )

  test('has a salt of its own', async () => {
    let next = 0
    const counting = { bytes: (count: number) => new Uint8Array(count).fill(next++) }

    const one = await hashPassword('the same', counting, cheap)
    const other = await hashPassword('the same', counting, cheap)

    expect(one).not.toBe(other)
  })
})

describe('a hash is made anew', () => {
  const ofCost = (memoryKib: number, passes: number) =>
    hashPassword('x', random, { memoryKib, passes })

  test('when it costs less than today, and not when it costs as much or more', async () => {
    const today = { memoryKib: 64, passes: 2 }

    expect(needsRehash(await ofCost(64, 2), today)).toBe(false)
    expect(needsRehash(await ofCost(128, 3), today)).toBe(false)
    expect(needsRehash(await ofCost(63, 2), today)).toBe(true)
    expect(needsRehash(await ofCost(64, 1), today)).toBe(true)
  })

  test.each(['$argon2i$', '$argon2d$'])('when it is of another kind: %s', (kind) => {
    expect(needsRehash(makeDecoyHash(random).replace('$argon2id$', kind))).toBe(true)
  })

  test('when it is of an older version', () => {
    expect(needsRehash(makeDecoyHash(random).replace('v=19', 'v=16'))).toBe(true)
  })
})

describe('a decoy', () => {
  test('takes the work of a real one, and nothing matches it', async () => {
    const decoy = makeDecoyHash(random)
    const real = await hashPassword('x', random)

    expect(decoy.split('$').slice(0, 4)).toEqual(real.split('$').slice(0, 4))
    expect(decoy).toHaveLength(real.length)
    expect(needsRehash(decoy)).toBe(false)
    expect(await verifyPassword('x', decoy)).toBe(false)
  })

  test('is comparable at another cost too', async () => {
    expect(await verifyPassword('x', makeDecoyHash(random, cheap))).toBe(false)
    expect(needsRehash(makeDecoyHash(random, cheap), defaultHashCost)).toBe(true)
  })
})
