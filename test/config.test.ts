import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'

const mistakesOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : ['not an error']
  }
}

test('an empty environment gives the defaults', () => {
  const config = readConfig({})

  expect(config).toEqual({
    port: 8080,
    host: '127.0.0.1',
    dataFolder: './data',
    role: 'all',
    operatorToken: undefined,
    masterKey: undefined,
    trustedProxies: 0,
    logLevel: 'info',
    inFlightMax: 512,
    metricsAccess: 'operator',
    rateLimit: undefined,
    frontEnds: {
      keyRate: undefined,
      keyBytesPerDay: undefined,
      addressRate: undefined,
      ja4Header: undefined,
      countryHeader: undefined,
    },
    dispatchLifetimeMs: undefined,
    refreshRepeatMs: undefined,
    sessionDomain: 'session.localhost',
    privateMigrationHosts: [],
    demo: true,
    warnings: [],
  })
})

test('an empty variable is one that is not set', () => {
  const names = ['PORT', 'HOST', 'VIGIL_DATA', 'EVENTSTORE_URL', 'MONGODB_URL', 'VIGIL_MASTER_KEY']

  const config = readConfig(Object.fromEntries(names.map((name) => [name, ' '])))

  expect(config).toEqual(readConfig({}))
})

test('everything that can be set is read', () => {
  const config = readConfig({
    PORT: '0',
    HOST: '::',
    VIGIL_DATA: '/var/lib/vigil',
    VIGIL_OPERATOR_TOKEN: 'o'.repeat(32),
    VIGIL_MASTER_KEY: 'ab'.repeat(32),
    VIGIL_MAX_IN_FLIGHT: '16',
    VIGIL_METRICS: 'open',
    VIGIL_RATE_LIMIT: '50:200',
    VIGIL_SDK_KEY_RATE_LIMIT: '100:1000',
    VIGIL_SDK_KEY_DAILY_MEGABYTES: '5',
    VIGIL_SDK_ADDRESS_RATE_LIMIT: '2:20',
    VIGIL_JA4_HEADER: 'X-JA4',
    VIGIL_COUNTRY_HEADER: 'CF-IPCountry',
    VIGIL_DISPATCH_HOURS: '2',
    VIGIL_REFRESH_REPEAT_SECONDS: '60',
    VIGIL_PRIVATE_MIGRATION_HOSTS: 'auth.internal',
    SESSION_DOMAIN: 'Session.example.com',
    VIGIL_DEMO: 'False',
    TRUST_PROXY: '2',
    LOG_LEVEL: 'silent',
  })

  expect(config).toEqual({
    port: 0,
    host: '::',
    dataFolder: '/var/lib/vigil',
    role: 'all',
    operatorToken: 'o'.repeat(32),
    masterKey: Buffer.alloc(32, 0xab),
    trustedProxies: 2,
    logLevel: 'silent',
    inFlightMax: 16,
    metricsAccess: 'open',
    rateLimit: { perSecond: 50, burst: 200 },
    frontEnds: {
      keyRate: { perSecond: 100, burst: 1_000 },
      keyBytesPerDay: 5_000_000,
      addressRate: { perSecond: 2, burst: 20 },
      ja4Header: 'x-ja4',
      countryHeader: 'cf-ipcountry',
    },
    dispatchLifetimeMs: 2 * 60 * 60 * 1_000,
    refreshRepeatMs: 60_000,
    sessionDomain: 'session.example.com',
    privateMigrationHosts: [{ name: 'auth.internal' }],
    demo: false,
    warnings: [],
  })
})

test('a master key of any 32 bytes is read from hexadecimal and from base64 alike', () =>
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const key = Buffer.from(bytes)
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        const { masterKey } = readConfig({ VIGIL_MASTER_KEY: key.toString(encoding) })
        expect(Buffer.from(masterKey ?? [])).toEqual(key)
      }
    }),
  ))

test.each([
  ['true', 1],
  ['TRUE', 1],
  ['false', 0],
  ['0', 0],
  ['10', 10],
])('TRUST_PROXY=%s trusts %i proxies', (given, proxies) => {
  const config = readConfig({ TRUST_PROXY: given })

  expect(config.trustedProxies).toBe(proxies)
})

describe('a mistake is refused in a sentence that names the variable', () => {
  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['HOST', 'http://localhost'],
    ['VIGIL_OPERATOR_TOKEN', 'x'.repeat(31)],
    ['VIGIL_OPERATOR_TOKEN', `${'x'.repeat(31)} y`],
    ['VIGIL_OPERATOR_TOKEN', 'x'.repeat(513)],
    ['VIGIL_MASTER_KEY', 'ab'.repeat(31)],
    ['VIGIL_MASTER_KEY', 'g'.repeat(64)],
    ['VIGIL_MAX_IN_FLIGHT', '0'],
    ['VIGIL_ROLE', 'reader'],
    ['VIGIL_METRICS', 'everybody'],
    ['VIGIL_DEMO', 'no'],
    ['VIGIL_PRIVATE_MIGRATION_HOSTS', 'https://auth.internal'],
    ['SESSION_DOMAIN', 'session.example.com:8080'],
    ['VIGIL_RATE_LIMIT', '0'],
    ['VIGIL_RATE_LIMIT', '0.5'],
    ['VIGIL_RATE_LIMIT', '50:49'],
    ['VIGIL_RATE_LIMIT', '50:100001'],
    ['VIGIL_RATE_LIMIT', 'off'],
    ['VIGIL_SDK_KEY_RATE_LIMIT', '50:49'],
    ['VIGIL_SDK_KEY_DAILY_MEGABYTES', '0'],
    ['VIGIL_SDK_ADDRESS_RATE_LIMIT', '0'],
    ['VIGIL_DISPATCH_HOURS', '0'],
    ['VIGIL_REFRESH_REPEAT_SECONDS', '9'],
    ['VIGIL_REFRESH_REPEAT_SECONDS', '3601'],
    ['VIGIL_DISPATCH_HOURS', '8761'],
    ['TRUST_PROXY', '11'],
    ['TRUST_PROXY', 'yes'],
    ['LOG_LEVEL', 'loud'],
  ])('%s=%s', (name, value) => {
    const mistakes = mistakesOf({ [name]: value })

    expect(mistakes).toEqual([expect.stringMatching(new RegExp(`^${name} must be .+\\.$`))])
  })
})

test('every mistake is said at once', () => {
  const mistakes = mistakesOf({ PORT: 'x', LOG_LEVEL: 'x', TRUST_PROXY: 'x' })

  expect(mistakes).toHaveLength(3)
})

test('no sentence quotes a secret', () => {
  const mistakes = mistakesOf({
    VIGIL_OPERATOR_TOKEN: 'hunter2',
    VIGIL_MASTER_KEY: 'hunter2',
    EVENTSTORE_URL: 'esdb://admin:hunter2@hunter2@localhost',
    MONGODB_URL: 'mongodb://admin:hunter2@hunter2@localhost',
  })

  expect(mistakes).toHaveLength(4)
  expect(mistakes.join()).not.toContain('hunter2')
})

const servers = { EVENTSTORE_URL: 'esdb://localhost', MONGODB_URL: 'mongodb://localhost' }

test.each([
  ['EVENTSTORE_URL', 'MONGODB_URL'],
  ['MONGODB_URL', 'EVENTSTORE_URL'],
] as const)('%s without %s is a mistake', (set, missing) => {
  expect(mistakesOf({ [set]: servers[set] })).toEqual([
    `${set} is set without ${missing}: set both, to keep everything on servers, or neither, to keep everything in the data folder.`,
  ])
})

test('a connection string of MongoDB is read, and one that cannot be used is a mistake', () => {
  const url = 'mongodb://vigil:hunter2@mongo/vigil'

  expect(readConfig({ ...servers, MONGODB_URL: url }).mongoDbUrl).toBe(url)
  expect(mistakesOf({ ...servers, MONGODB_URL: 'mongodb://mongo/vigil?w=1' })).toEqual([
    'MONGODB_URL has a value that w cannot have.',
  ])
})

test('instances that share log, read models and keys are told which secrets they have to share', () => {
  const secrets = { VIGIL_OPERATOR_TOKEN: 'o'.repeat(32), VIGIL_MASTER_KEY: 'ab'.repeat(32) }

  expect(readConfig(servers).warnings).toEqual([
    expect.stringContaining('VIGIL_MASTER_KEY and VIGIL_OPERATOR_TOKEN not set'),
  ])
  expect(readConfig({ ...servers, ...secrets }).warnings).toEqual([])
})

test('a connection string of EventStoreDB that cannot be used is a mistake', () => {
  expect(mistakesOf({ ...servers, EVENTSTORE_URL: 'kurrentdb://localhost?tls=false' })).toEqual([
    'EVENTSTORE_URL must begin with esdb:// or esdb+discover://, also for a KurrentDB server.',
  ])
})

test('a password that is not sent is a warning', () => {
  const url = 'esdb://admin:hunter2@localhost?tls=false'

  const { eventStoreUrl, warnings } = readConfig({ ...servers, EVENTSTORE_URL: url })

  expect(eventStoreUrl).toBe(url)
  expect(warnings).toContainEqual(expect.stringContaining('not sent'))
  expect(warnings.join()).not.toContain('hunter2')
})

test('a rate without a burst is a burst of one second', () => {
  const { rateLimit } = readConfig({ VIGIL_RATE_LIMIT: '50' })

  expect(rateLimit).toEqual({ perSecond: 50, burst: 50 })
})

describe('a variable that begins like a setting and is none is refused', () => {
  test.each([
    ['VIGIL_LOG_FORMAT', 'text', 'unset it.'],
    ['VIGIL_MASTER_KEY_FIEL', '/run/secrets/key', 'did you mean VIGIL_MASTER_KEY_FILE?'],
    ['VIGIL_DATA_FILE', '/run/secrets/data', 'unset it.'],
    ['VIGIL_OPERATOR_TOKENS', 'o'.repeat(32), 'did you mean VIGIL_OPERATOR_TOKEN?'],
    ['MONGODB_URLS', 'mongodb://mongo/vigil', 'did you mean MONGODB_URL?'],
    ['EVENTSTORE_URL_FILES', '/run/secrets/url', 'did you mean EVENTSTORE_URL_FILE?'],
  ])('%s: %s', (name, value, advice) => {
    expect(mistakesOf({ [name]: value })).toEqual([
      `${name} is not a setting of this version: ${advice}`,
    ])
  })

  test.each([
    ['one that is empty', { VIGIL_PROT: ' ' }],
    ['those of other programs', { PATH: '/bin', EVENTSTORE_CLUSTER_SIZE: '1', MONGODB_DATA: 'x' }],
    [
      'what clients keep in the same shell',
      { VIGIL_TOKEN: 'x', VIGIL_SIGNUP_FLOW: 'flo_x', VIGIL_ANALYST_PASSWORD: 'x' },
    ],
    [
      'what Kubernetes sets for a Service named vigil',
      {
        VIGIL_SERVICE_HOST: '10.96.0.7',
        VIGIL_SERVICE_PORT: '8080',
        VIGIL_SERVICE_PORT_HTTP: '8080',
        VIGIL_PORT: 'tcp://10.96.0.7:8080',
        VIGIL_PORT_8080_TCP: 'tcp://10.96.0.7:8080',
        VIGIL_PORT_8080_TCP_PROTO: 'tcp',
        VIGIL_PORT_8080_TCP_PORT: '8080',
        VIGIL_PORT_8080_TCP_ADDR: '10.96.0.7',
        VIGIL_API_SERVICE_HOST: '10.96.0.8',
      },
    ],
  ])('and not %s', (_, environment) => expect(mistakesOf(environment)).toEqual([]))

  test('nor is a port passed over that a person has set', () => {
    expect(mistakesOf({ VIGIL_PORT: '9000' })).toHaveLength(1)
  })
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileOf = (content: string | Uint8Array): string => {
    const path = join(folder, randomUUID())
    writeFileSync(path, content)
    return path
  }
  const secrets = {
    EVENTSTORE_URL: 'esdb://eventstore:2113',
    MONGODB_URL: 'mongodb://vigil:hunter2@mongo/vigil',
    VIGIL_MASTER_KEY: 'ab'.repeat(32),
    VIGIL_OPERATOR_TOKEN: 'o'.repeat(32),
  }

  test.each([
    ['as it is', (text: string) => text],
    ['with the newline of an editor', (text: string) => `${text}\n`],
    ['with the byte order mark and line end of Windows', (text: string) => `\ufeff${text}\r\n`],
  ])('is the same as in the variable: %s', (_, written) => {
    const files = Object.entries(secrets).map(
      ([name, text]) => [`${name}_FILE`, fileOf(written(text))] as const,
    )

    const config = readConfig({ ...Object.fromEntries(files), VIGIL_ROLE: 'api' })

    expect(config).toEqual(readConfig({ ...secrets, VIGIL_ROLE: 'api' }))
  })

  test.each([
    [
      'is not there',
      () => join(folder, 'gone'),
      /^VIGIL_OPERATOR_TOKEN_FILE names .*gone, which cannot be read: it is not there, nor can it be made; check/,
    ],
    [
      'is a folder',
      () => folder,
      /^VIGIL_OPERATOR_TOKEN_FILE names .*, which cannot be read: it is no file;/,
    ],
    ['is empty', () => fileOf(' \n'), /^VIGIL_OPERATOR_TOKEN_FILE names .*, which is empty\.$/],
    [
      'is no UTF-8',
      () => fileOf(Buffer.from(`\ufeffhunter2${'o'.repeat(32)}`, 'utf16le')),
      /^VIGIL_OPERATOR_TOKEN_FILE names .*, which cannot be read: it is not UTF-8 text/,
    ],
    ['holds what cannot be', () => fileOf('hunter2'), /^VIGIL_OPERATOR_TOKEN must be 32 to 512/],
  ])('is refused in one sentence that does not quote it when it %s', (_, path, sentence) => {
    const mistakes = mistakesOf({ VIGIL_OPERATOR_TOKEN_FILE: path() })

    expect(mistakes).toEqual([expect.stringMatching(sentence)])
    expect(mistakes.join()).not.toContain('hunter2')
  })

  test.each(Object.entries(secrets))('and in the variable %s as well is refused', (name, text) => {
    const mistakes = mistakesOf({ ...secrets, [`${name}_FILE`]: fileOf(text) })

    expect(mistakes).toEqual([`${name} and ${name}_FILE are both set: set one of them.`])
  })
})

test('an operator token that could be guessed is refused with how to make one, and not quoted', () => {
  const mistakes = mistakesOf({ VIGIL_OPERATOR_TOKEN: 'secret-of-15-ch' })

  expect(mistakes).toEqual([
    'VIGIL_OPERATOR_TOKEN must be 32 to 512 visible ASCII characters, such as what `openssl rand -base64 33` prints.',
  ])
})

test.each(['api', 'projector'])(
  '%s alone on a data folder is refused, with what is missing',
  (role) => {
    const [mistake, ...others] = mistakesOf({ VIGIL_ROLE: role, VIGIL_MASTER_KEY: 'ab'.repeat(32) })

    expect(mistake).toContain(
      `VIGIL_ROLE=${role} needs EVENTSTORE_URL, MONGODB_URL, VIGIL_OPERATOR_TOKEN: a data folder`,
    )
    expect(others).toEqual([])
  },
)

test.each([
  [
    { VIGIL_JA4_HEADER: 'x ja4', TRUST_PROXY: '1' },
    /^VIGIL_JA4_HEADER must be the name of a header/,
  ],
  [{ VIGIL_JA4_HEADER: 'x-ja4' }, /^VIGIL_JA4_HEADER needs TRUST_PROXY/],
  [{ VIGIL_JA4_HEADER: 'x-ja4', TRUST_PROXY: 'False' }, /^VIGIL_JA4_HEADER needs TRUST_PROXY/],
  [
    { VIGIL_COUNTRY_HEADER: 'x country', TRUST_PROXY: '1' },
    /^VIGIL_COUNTRY_HEADER must be the name of a header/,
  ],
  [{ VIGIL_COUNTRY_HEADER: 'x-country' }, /^VIGIL_COUNTRY_HEADER needs TRUST_PROXY/],
])('a header that cannot be believed is refused: %j', (environment, sentence) => {
  expect(() => readConfig(environment)).toThrow(sentence)
})
