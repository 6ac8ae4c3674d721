import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isInRanges,
  parseIpNumber,
  parseIpRange,
} from '../../src/engine/language/operators/domainFunctions.ts'
import { draws } from '../support/draws.ts'
import { outcomeOf, problemsOf } from './support/evaluate.ts'

/** An address as one number of 32 or 128 bits. */
interface Address {
  readonly width: 32 | 128
  readonly bits: bigint
}

const v4 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  fc.constantFrom(0n, 2n ** 32n - 1n),
)
const group = fc.oneof(
  fc.constantFrom(0, 0, 0, 1, 0xffff, 0x8000, 0x7fff, 0xdb8),
  fc.nat({ max: 0xffff }),
)
const v6 = fc
  .array(group, { minLength: 8, maxLength: 8 })
  .map((groups) => groups.reduce((bits, value) => bits * 65_536n + BigInt(value), 0n))
  // those below are IPv4 addresses in other clothes
  .filter((bits) => bits >> 32n !== 0xffffn)

const anyAddress: fc.Arbitrary<Address> = fc.oneof(
  v4.map((bits) => ({ width: 32 as const, bits })),
  v6.map((bits) => ({ width: 128 as const, bits })),
)

function textV4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.')
}

function groupsOf(bits: bigint): readonly string[] {
  return Array.from({ length: 8 }, (_, at) =>
    ((bits >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  )
}

function textOf({ width, bits }: Address): string {
  return width === 32 ? textV4(bits) : groupsOf(bits).join(':')
}

/** Every way to write an IPv6 address: each run of zeros left out, in upper case, with an IPv4 tail. */
function spellings(bits: bigint): readonly string[] {
  const groups = groupsOf(bits)
  const found = [groups.join(':'), groups.map((part) => part.padStart(4, '0')).join(':')]
  for (let from = 0; from < 8; from++) {
    for (let to = from + 1; to <= 8; to++) {
      if (groups.slice(from, to).some((part) => part !== '0')) break
      found.push(`${groups.slice(0, from).join(':')}::${groups.slice(to).join(':')}`)
    }
  }
  const tail = textV4(bits & 0xffffffffn)
  found.push(`${groups.slice(0, 6).join(':')}:${tail}`)
  return [...found, ...found.map((text) => text.toUpperCase())]
}

function networkOf({ width, bits }: Address, prefix: number): Address {
  const free = BigInt(width - prefix)
  return { width, bits: (bits >> free) << free }
}

function holds(network: Address, prefix: number, address: Address): boolean {
  if (network.width !== address.width) return false
  const free = BigInt(network.width - prefix)
  return network.bits >> free === address.bits >> free
}

function rangeOf(network: Address, prefix: number) {
  const range = parseIpRange(`${textOf(network)}/${prefix}`)
  if (typeof range === 'string') throw new Error(range)
  return range
}

function numberOf(text: string) {
  const number = parseIpNumber(text)
  if (number === undefined) throw new Error(`${text} is no address`)
  return number
}

const anyNetwork = fc.tuple(anyAddress, fc.nat({ max: 128 })).map(([address, bits]) => {
  const prefix = bits % (address.width + 1)
  return { network: networkOf(address, prefix), prefix }
})

describe('an address', () => {
  test('is the same however it is spelled', () => {
    fc.assert(
      fc.property(v6, (bits) => {
        const [first, ...others] = spellings(bits).map(parseIpNumber)

        expect(first).toBeDefined()
        for (const other of others) expect(other).toEqual(first)
      }),
      { numRuns: draws(150) },
    )
  })

  test('in IPv4 is the same in the clothes of IPv6', () => {
    fc.assert(
      fc.property(v4, (bits) => {
        const plain = parseIpNumber(textV4(bits))

        expect(plain).toBe(Number(bits))
        for (const text of spellings((0xffffn << 32n) + bits))
          expect(parseIpNumber(text)).toBe(plain)
      }),
      { numRuns: draws(150) },
    )
  })

  test('in IPv6 is another wherever one bit is another', () => {
    fc.assert(
      fc.property(v6, fc.integer({ min: 0, max: 127 }), (bits, at) => {
        const other = bits ^ (1n << BigInt(at))

        expect(parseIpNumber(groupsOf(other).join(':'))).not.toEqual(
          parseIpNumber(groupsOf(bits).join(':')),
        )
      }),
    )
  })

  test.each([
    ...['1.2.3.4/32', '1.2.3.004', '1.2.3.04', '1,2,3,4', '1.2.3.4.', '.1.2.3.4', '１.2.3.4'],
    ...['', '1.2.3', '127.1', '1.2.3.-4', '1e1.2.3.4', '::g', ':::', '2001:db8'],
    ...['0x1.2.3.4', '1.2.3.256', '1.2.3.1000', '16909060', '1.2.3.4\n', '1.2.3. 4', '+1.2.3.4'],
    ...['1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', '12345::', ':1:2:3:4:5:6:7'],
    '1:2:3:4:5:6:7:',
    ...['[::1]', '::1%1', 'fe80::1%eth0', '::1.2.3', '::1.2.3.256', '1.2.3.4::', '::1/128', ' ::1'],
  ])('is not written %j', (text) => {
    expect(parseIpNumber(text)).toBeUndefined()
  })
})

describe('a network', () => {
  test('holds what has its first bits, and no other address', () => {
    fc.assert(
      fc.property(anyNetwork, anyAddress, ({ network, prefix }, address) => {
        const inside = isInRanges(numberOf(textOf(address)), [rangeOf(network, prefix)])

        expect(inside).toBe(holds(network, prefix, address))
      }),
      { numRuns: draws(500) },
    )
  })

  test('holds its first and last address, not the ones beside them', () => {
    fc.assert(
      fc.property(anyNetwork, ({ network, prefix }) => {
        const { width, bits } = network
        const size = 1n << BigInt(width - prefix)
        const beside = [bits - 1n, bits + size].filter((n) => n >= 0n && n < 1n << BigInt(width))
        const range = rangeOf(network, prefix)
        const inside = (n: bigint) => isInRanges(numberOf(textOf({ width, bits: n })), [range])

        expect([bits, bits + size - 1n].map(inside)).toEqual([true, true])
        // ::ffff:0:0/96 is IPv4, which no network of IPv6 holds
        fc.pre(beside.every((n) => width === 32 || n >> 32n !== 0xffffn))
        fc.pre(width === 32 || (bits + size - 1n) >> 32n !== 0xffffn)
        expect(beside.map(inside)).toEqual(beside.map(() => false))
      }),
      { numRuns: draws(500) },
    )
  })

  test('is refused when a bit is set beyond its prefix', () => {
    fc.assert(
      fc.property(anyAddress, fc.nat({ max: 127 }), (address, bits) => {
        const prefix = bits % address.width
        const clean = networkOf(address, prefix).bits === address.bits

        const range = parseIpRange(`${textOf(address)}/${prefix}`)

        expect(typeof range).toBe(clean ? 'object' : 'string')
        if (!clean) expect(range).toContain('has bits set beyond its prefix')
      }),
      { numRuns: draws(300) },
    )
  })

  test('of IPv4 is the same in the clothes of IPv6, its prefix longer by 96', () => {
    fc.assert(
      fc.property(v4, fc.nat({ max: 32 }), (bits, prefix) => {
        const network = textV4(networkOf({ width: 32, bits }, prefix).bits)

        expect(parseIpRange(`::ffff:${network}/${prefix + 96}`)).toEqual(
          parseIpRange(`${network}/${prefix}`),
        )
      }),
      { numRuns: draws(100) },
    )
  })

  test.each([
    ...['1.2.3.0', '1.2.3.0/', '1.2.3.0/33', '/8', '::/129', '::ffff:0.0.0.0/95'],
    ...['1.2.3.4/033', '1.2.3.0/+24', '1.2.3.0/24 ', '1.2.3.0 /24', '1.2.3.0/24.0', '1.2.3/24'],
    ...['1.2.3.0/0x18', '1.2.3.0/255.255.255.0', '2001:db8::/1e1', '2001:db8::%1/32', '/'],
    '::/1000',
    ...['1.2.3.0-1.2.3.255', '1.2.3.*', '1.2.3.0\\24', 'localhost/8', '::ffff:1.2.3.0/24'],
  ])('is not written %j', (text) => {
    expect(typeof parseIpRange(text)).toBe('string')
    expect(problemsOf(`inCidr(signal.ip, ${JSON.stringify(text)})`)).toHaveLength(1)
  })
})

describe('a rule that asks for networks', () => {
  test('holds where any of them holds the address', () => {
    const networks = fc.array(anyNetwork, { minLength: 1, maxLength: 6 })

    fc.assert(
      fc.property(networks, anyAddress, fc.nat({ max: 5 }), (list, other, at) => {
        const near = list[at]?.network
        const address = near ?? other
        const written = list.map(({ network, prefix }) => `"${textOf(network)}/${prefix}"`)
        const expected = list.some(({ network, prefix }) => holds(network, prefix, address))

        expect(
          outcomeOf(`inCidr(signal.ip, [${written.join(', ')}])`, { 'signal.ip': textOf(address) }),
        ).toBe(String(expected))
      }),
      { numRuns: draws(150) },
    )
  })

  test('asks each address anew, however often one was asked before', () => {
    const rule = 'inCidr(signal.ip, "10.0.0.0/8") || inCidr(signal.ext.other, "10.0.0.0/8")'
    const outcome = (ip: string, other: string) =>
      outcomeOf(rule, { 'signal.ip': ip, 'signal.ext.other': other })

    expect(outcome('10.0.0.1', '11.0.0.1')).toBe('true')
    expect(outcome('11.0.0.1', '10.0.0.1')).toBe('true')
    expect(outcome('11.0.0.1', '11.0.0.1')).toBe('false')
    expect(outcome('11.0.0.1', 'no address')).toBe('missing signal.ext.other')
    expect(outcome('no address', 'no address')).toBe('missing signal.ip')
    expect(outcome('no address', '10.0.0.1')).toBe('missing signal.ip')
  })
})
