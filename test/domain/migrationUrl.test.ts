import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findMigrationUrlProblem,
  migrationUrlMax,
  parsePrivateHosts,
} from '../../src/domain/network/outboundHost.ts'
import { draws } from '../support/draws.ts'

const problem = (url: string, allowed = '') =>
  findMigrationUrlProblem(url, parsePrivateHosts(allowed) ?? [])

describe('a URL of the public Internet', () => {
  test.each([
    'https://api.example.com/session/validate',
    'https://api.example.com:8443/validate?tenant=7',
    'https://münchen.example.com/',
    'https://93.184.215.14/validate',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/validate',
    'HTTPS://API.EXAMPLE.COM./',
  ])('%s is taken', (url) => {
    expect(problem(url)).toBeUndefined()
  })
})

describe('a URL that is not to be called', () => {
  test.each([
    ['http://api.example.com/', 'Must be an HTTPS URL.'],
    ['https:/api.example.com/', 'Must be an HTTPS URL.'],
    ['https:///api.example.com/', 'Must be an HTTPS URL.'],
    ['https:///user:secret@api.example.com/v', 'Must be an HTTPS URL.'],
    ['https:////@api.example.com/', 'Must be an HTTPS URL.'],
    ['https://\\user:secret@api.example.com/', 'Must be an HTTPS URL.'],
    ['https:\\\\api.example.com/', 'Must be an HTTPS URL.'],
    ['https://api.example.com/a b', 'Must be an HTTPS URL.'],
    ['https://api.example.com/\n', 'Must be an HTTPS URL.'],
    ['https://ap\ti.example.com/', 'Must be an HTTPS URL.'],
    ['https://', 'Must be an HTTPS URL.'],
    ['https://256.1.1.1/', 'Must be an HTTPS URL.'],
    ['https://api.example.com/\ud800', 'Must be an HTTPS URL.'],
    ['https://api.example.com/v?\udc00=1', 'Must be an HTTPS URL.'],
    ['https://api.example.com:0/', 'Must have a port from 1 to 65535, or none.'],
    ['https://api.example.com:000/', 'Must have a port from 1 to 65535, or none.'],
    ['javascript:alert(1)', 'Must be an HTTPS URL.'],
    ['https://user:secret@api.example.com/', 'Must have no user name and no password.'],
    ['https://@api.example.com/', 'Must have no user name and no password.'],
    ['https://api.example.com#@127.0.0.1', 'Must have no fragment: it would never be sent.'],
    [
      `https://api.example.com/${'a'.repeat(migrationUrlMax)}`,
      'Must be at most 2048 characters long.',
    ],
  ])('%s is refused: %s', (url, message) => {
    expect(problem(url)).toBe(message)
  })

  test('has a user or a password, however the beginning is spelt', () => {
    const beginning = fc
      .array(fc.constantFrom('/', '\\'), { maxLength: 5 })
      .map((signs) => `https:${signs.join('')}`)
    const user = fc.constantFrom('user:secret@', 'user@', ':secret@', ':@', '@', '%40@', '@@')

    fc.assert(
      fc.property(beginning, user, (scheme, before) => {
        expect(problem(`${scheme}${before}api.example.com/v`)).toBeDefined()
      }),
      { numRuns: draws(500) },
    )
  })

  test.each([
    'localhost',
    'LOCALHOST.',
    'shop.localhost',
    'intranet',
    'db.internal',
    'metadata.google.internal.',
    'printer.local',
    'nas.home.arpa',
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '0.0.0.0',
    '0',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
  ])('the host %s is refused', (host) => {
    expect(problem(`https://${host}/validate`)).toBe('Must name a host of the public Internet.')
  })

  test('whatever the spelling of a loopback address', () => {
    const spelt = fc
      .tuple(
        fc.nat(255),
        fc.nat(255),
        fc.nat(255),
        fc.constantFrom('dotted', 'decimal', 'hex', 'octal', 'mapped'),
      )
      .map(([b, c, d, form]) => {
        const whole = 127 * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
        if (form === 'decimal') return String(whole)
        if (form === 'hex') return `0x${whole.toString(16)}`
        if (form === 'octal') return [127, b, c, d].map((part) => `0${part.toString(8)}`).join('.')
        return form === 'mapped' ? `[::ffff:127.${b}.${c}.${d}]` : `127.${b}.${c}.${d}`
      })

    fc.assert(
      fc.property(spelt, (host) => {
        expect(problem(`https://${host}/`)).toBe('Must name a host of the public Internet.')
      }),
    )
  })
})

describe('what the operator allows', () => {
  test.each([
    ['10.1.2.3', '10.1.0.0/16', true],
    ['0x0a010203', '10.1.0.0/16', true],
    ['[::ffff:10.1.2.3]', '10.1.0.0/16', true],
    ['10.2.2.3', '10.1.0.0/16', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.2', '127.0.0.1', false],
    ['[fd00::7]', 'fd00::/8', true],
    ['auth.internal', 'auth.internal, 10.0.0.0/8', true],
    ['auth.internal.', 'AUTH.internal', true],
    ['db.auth.internal', 'auth.internal', false],
    ['169.254.169.254', '10.0.0.0/8', false],
  ])('%s under %s: %s', (host, allowed, isTaken) => {
    expect(problem(`https://${host}/`, allowed) === undefined).toBe(isTaken)
  })

  test.each(['10.0.0.0/33', 'https://auth.internal', 'a b', '10.1.0.0/16,,', '-auth'])(
    '%s is no list of hosts',
    (text) => {
      expect(parsePrivateHosts(text)).toBeUndefined()
    },
  )
})
