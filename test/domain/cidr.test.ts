import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { addressBits, parseAddress, parseIpNetwork } from '../../src/domain/network/cidr.ts'
import { draws } from '../support/draws.ts'

/** Groups of which many are zero, in every pattern of runs. */
const group = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 0xff_ff }) },
)
const ipv6 = fc
  .array(group, { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((one) => one.toString(16)).join(':'))
const ipv4 = fc
  .array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 })
  .map((octets) => octets.join('.'))

describe('the networks that an address lies in', () => {
  test('are written as the library writes them, of every size', () => {
    fc.assert(
      fc.property(fc.oneof(ipv6, ipv4), (text) => {
        const asked = parseAddress(text)
        if (!asked) throw new Error(`no address: ${text}`)
        for (let prefix = 1; prefix <= addressBits(asked.version); prefix += 1) {
          expect(asked.network(prefix).text).toBe(byLibrary(text, prefix))
        }
      }),
      { numRuns: draws(300) },
    )
  })

  test('are read back as what they are', () => {
    fc.assert(
      fc.property(fc.oneof(ipv6, ipv4), fc.integer({ min: 1, max: 128 }), (text, bits) => {
        const asked = parseAddress(text)
        const network = asked?.network(Math.min(bits, addressBits(asked.version)))
        expect(parseIpNetwork(network?.text ?? '')).toEqual(network)
      }),
    )
  })
})

function byLibrary(text: string, prefix: number): string {
  const address = ipaddr.process(text)
  const bytes = address.toByteArray().map((byte, index) => {
    const free = Math.min(8, Math.max(0, 8 * (index + 1) - prefix))
    return byte & (0xff << free)
  })
  const first = ipaddr.fromByteArray(bytes).toString()
  return prefix === 8 * bytes.length ? first : `${first}/${prefix}`
}
