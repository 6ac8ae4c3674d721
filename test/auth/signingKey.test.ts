import { sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { derivePublicKey, deriveSigningKey } from '../../src/auth/signingKey.ts'

/** RFC 8032, 7.1, test 1. */
const secret = Buffer.from(
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  'hex',
)
const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
const signature =
  'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'

test('the keys of a secret are those of RFC 8032', () => {
  expect(Buffer.from(derivePublicKey(secret), 'base64url').toString('hex')).toBe(publicKey)
  expect(sign(null, Buffer.alloc(0), deriveSigningKey(secret)).toString('hex')).toBe(signature)
})

test.each([0, 31, 33, 64])('a secret of %i bytes is none', (length) => {
  expect(() => deriveSigningKey(Buffer.alloc(length))).toThrow('32 bytes')
})
