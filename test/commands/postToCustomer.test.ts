import { createServer } from 'node:https'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ForbiddenAddress,
  postToCustomer,
  type ResolveAddresses,
} from '../../src/commands/sessions/migration/postToCustomer.ts'
import { parsePrivateHosts } from '../../src/domain/network/outboundHost.ts'
import { listen } from '../support/listen.ts'
import { selfSigned } from '../support/selfSigned.ts'

const name = 'legacy.example.com'
const { key, cert } = selfSigned([name, 'localhost'])

let asked: string[] = []
const server = createServer({ key, cert }, (req, res) => {
  asked.push(`${req.method} ${req.url}`)
  req.pipe(res)
})
const { port, close } = await listen(server)
afterAll(close)

beforeEach(() => {
  asked = []
})

/** Of this machine, where the server of the test is, though nobody else may call it. */
const here = parsePrivateHosts('127.0.0.1') ?? []
const to =
  (...addresses: readonly string[]): ResolveAddresses =>
  async () =>
    addresses
const post = (path = '/', options = {}) =>
  postToCustomer(`https://${name}:${port}${path}`, '{"token":"x"}', {
    allowedHosts: here,
    certificates: cert,
    findAddresses: to('127.0.0.1'),
    ...options,
  })

describe('a URL of a customer', () => {
  test('is posted JSON, at the address that its name has', async () => {
    expect(await post('/validate?x=1')).toEqual({ status: 200, text: '{"token":"x"}' })
    expect(asked).toEqual(['POST /validate?x=1'])
  })

  test('is refused unless its certificate is for its name', async () => {
    await expect(post('/', { certificates: undefined })).rejects.toThrow(/self-signed/i)
    const other = postToCustomer(`https://other.example.com:${port}/`, '{}', {
      allowedHosts: here,
      certificates: cert,
      findAddresses: to('127.0.0.1'),
    })
    await expect(other).rejects.toThrow(/altnames/i)
    expect(asked).toEqual([])
  })
})

describe('an address that nobody may call is not connected to', () => {
  const forbidden = (findAddresses: ResolveAddresses) =>
    post('/', { allowedHosts: [], findAddresses }).then(
      () => 'called',
      (error: unknown) => (error instanceof ForbiddenAddress ? 'forbidden' : String(error)),
    )

  // which addresses those are, the tests of migration URLs say
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '::ffff:127.0.0.1',
    '2002:a00:1::',
    'fe80::1%eth0',
    '0x7f.1',
    'localhost',
    '',
  ])('though a public name leads to it: %s', async (address) => {
    expect(await forbidden(to(address))).toBe('forbidden')
    expect(asked).toEqual([])
  })

  test('though another address of the name is a good one', async () => {
    expect(await forbidden(to('93.184.215.14', '127.0.0.1'))).toBe('forbidden')
    expect(asked).toEqual([])
  })

  test.each(['https://127.1', 'https://[::1]', 'https://localhost', 'https://user@127.0.0.1'])(
    'however the URL spells it: %s',
    async (url) => {
      const options = {
        allowedHosts: [],
        certificates: cert,
        findAddresses: to('127.0.0.1'),
      }
      const asking = postToCustomer(`${url}:${port}/`, '{}', options)
      await expect(asking).rejects.toThrow(ForbiddenAddress)
      expect(asked).toEqual([])
    },
  )
})

test('whom the operator names may be anywhere', async () => {
  const answer = await postToCustomer(`https://localhost:${port}/`, '{}', {
    allowedHosts: parsePrivateHosts('localhost') ?? [],
    certificates: cert,
  })

  expect(answer.status).toBe(200)
})

test('a name that has no address is an error', async () => {
  await expect(post('/', { findAddresses: to() })).rejects.toThrow('has no address')
})
