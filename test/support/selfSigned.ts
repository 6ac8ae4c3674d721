/** A certificate for names of these tests, made anew each time and signed by its own key (RFC 5280). */

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export interface SelfSigned {
  /** Both in PEM. */
  readonly key: string
  readonly cert: string
}

const dayMs = 24 * 60 * 60 * 1_000
const ecdsaWithSha256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]
const commonName = [0x55, 0x04, 0x03]
const subjectAltName = [0x55, 0x1d, 0x11]
const basicConstraints = [0x55, 0x1d, 0x13]

/** For these DNS names and IPv4 addresses, for a day before and after now. */
export function selfSigned(names: readonly string[]): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid(ecdsaWithSha256))
  const name = sequence(der(0x31, sequence(oid(commonName), der(0x0c, Buffer.from('tests only')))))
  const certificate = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(Date.now() - dayMs), utcTime(Date.now() + dayMs)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    der(0xa3, sequence(extension(subjectAltName, namesOf(names)), extension(basicConstraints, ca))),
  )
  const signature = sign('sha256', certificate, privateKey)
  const whole = sequence(certificate, algorithm, der(0x03, Buffer.from([0]), signature))
  const base64 = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}

function namesOf(names: readonly string[]): Buffer {
  return sequence(
    ...names.map((name) =>
      isIPv4(name)
        ? der(0x87, Buffer.from(name.split('.').map(Number)))
        : der(0x82, Buffer.from(name)),
    ),
  )
}

const ca = sequence(der(0x01, Buffer.from([0xff])))

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value))
}

function utcTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${text}Z`))
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes)
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

/** Tag, length, value. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const long = length > 255 ? [0x82, length >> 8, length & 255] : [0x81, length]
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), value])
}
