import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizePublicIp } from '../../src/domain/network/ipAddress.ts'
import { draws } from '../support/draws.ts'

test.each([
  ['8.8.8.8', '8.8.8.8'],
  ['2a00:1450:4001:82b::200e', '2a00:1450:4001:82b::200e'],
  ['2A00:1450:4001:082B:0000:0000:0000:200E', '2a00:1450:4001:82b::200e'],
  ['2a00:0:0:1:0:0:0:1', '2a00:0:0:1::1'],
  ['::ffff:8.8.8.8', '8.8.8.8'],
  ['::FFFF:0808:0808', '8.8.8.8'],
  ['2002:808:808::1', '2002:808:808::1'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['192.0.2.1', '192.0.2.1'],
  ['198.51.100.7', '198.51.100.7'],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:DB8::1', '2001:db8::1'],
])('%s is the public address %s', (written, address) => {
  expect(normalizePublicIp(written)).toBe(address)
})

test.each([
  ['private', '10.1.2.3'],
  ['private', '172.16.0.1'],
  ['private', '192.168.1.1'],
  ['private behind a v6 face', '::ffff:10.1.2.3'],
  ['shared by a carrier', '100.64.0.1'],
  ['loopback', '127.0.0.1'],
  ['loopback', '::1'],
  ['loopback behind a v6 face', '::ffff:127.0.0.1'],
  ['link-local', '169.254.1.1'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['public with a zone', '2a00:1450::1%eth0'],
  ['unique local', 'fd00::1'],
  ['site-local', 'fec0::1'],
  ['multicast', '224.0.0.1'],
  ['multicast', 'ff02::1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified', '::'],
  ['this network', '0.1.2.3'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['benchmarking', '198.18.0.1'],
  ['benchmarking', '2001:2::1'],
  ['protocol assignments', '192.0.0.1'],
  ['discard only', '100::1'],
  ['translated', '64:ff9b::808:808'],
  ['v4 compatible', '::8.8.8.8'],
  ['outside the global unicast space', '4000::1'],
  ['documentation of 2024, which nobody’s examples use', '3fff::1'],
])('%s: %s is not public', (_, written) => {
  expect(normalizePublicIp(written)).toBeUndefined()
})

test.each([
  '',
  ' 8.8.8.8',
  '8.8.8.8 ',
  '8.8.8',
  '8.8.8.8.8',
  '8.8.8.256',
  '010.8.8.8',
  '0x08.8.8.8',
  '134744072',
  '8.8.8.8:443',
  '8.8.8.8/32',
  '8.8.8.8, 1.1.1.1',
  '[2a00:1450::1]',
  '2a00:1450::1::2',
  '2a00:1450:4001:82b:0:0:0:0:1',
  '2a00:1450::g',
  'example.com',
  '8.8.8.8\0',
])('%j is not an address', (written) => {
  expect(normalizePublicIp(written)).toBeUndefined()
})

test('whatever is accepted stays as it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (written) => {
      const address = normalizePublicIp(written)
      fc.pre(address !== undefined)

      expect(normalizePublicIp(address)).toBe(address)
      expect(normalizePublicIp(written.toUpperCase())).toBe(address)
    }),
    { numRuns: draws(500) },
  )
})

test('an IPv4 address in IPv6 clothes is that IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (written) => {
      expect(normalizePublicIp(`::ffff:${written}`)).toBe(normalizePublicIp(written))
    }),
  )
})
