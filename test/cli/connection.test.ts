import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Answers, openAnswers } from './support/openAnswers.ts'
import { type Cli, openCli } from './support/openCli.ts'

let cli: Cli
let server: Answers
let other: Answers

beforeEach(async () => {
  cli = openCli()
  server = await openAnswers(() => ({ body: { flows: [] } }))
  other = await openAnswers(() => ({ body: { flows: [] } }))
})

afterEach(async () => {
  cli.close()
})

const authorization = ({ asked }: Answers): string | undefined => asked[0]?.headers.authorization

describe('where the server and the token come from', () => {
  test('a flag wins over the environment', async () => {
    const variables = { VIGIL_URL: other.url, VIGIL_TOKEN: 'of-the-environment' }

    const { code } = await cli.run(
      ['flows', 'list', '--server', server.url, '--token', 'of-the-flag'],
      { variables },
    )

    expect(code).toBe(0)
    expect(authorization(server)).toBe('Bearer of-the-flag')
    expect(other.asked).toEqual([])
  })

  test('the environment wins over the profile', async () => {
    await cli.run(['profile', 'set', 'default', '--server', other.url, '--token', 'of-the-profile'])
    const variables = { VIGIL_URL: server.url, VIGIL_TOKEN: 'of-the-environment' }

    await cli.run(['flows', 'list'], { variables })

    expect(authorization(server)).toBe('Bearer of-the-environment')
    expect(other.asked).toEqual([])
  })

  test('the default profile is used when nothing else is said, a named one when it is named', async () => {
    await cli.run(['profile', 'set', 'default', '--server', server.url, '--token', 'first'])
    await cli.run(['profile', 'set', 'staging', '--server', other.url, '--token', 'second'])

    await cli.run(['flows', 'list'])
    await cli.run(['flows', 'list', '--profile', 'staging'])
    await cli.run(['flows', 'list'], { variables: { VIGIL_PROFILE: 'staging' } })

    expect(authorization(server)).toBe('Bearer first')
    expect(other.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer second',
      'Bearer second',
    ])
  })

  test("the operator's commands take the operator's token and no other", async () => {
    const variables = { VIGIL_URL: server.url, VIGIL_TOKEN: 'of-the-account' }

    const without = await cli.run(['accounts', 'open', 'Shop'], { variables })
    await cli.run(['accounts', 'open', 'Shop'], {
      variables: { ...variables, VIGIL_OPERATOR_TOKEN: 'of-the-operator' },
    })

    expect(without.code).toBe(2)
    expect(without.err).toContain('VIGIL_OPERATOR_TOKEN')
    expect(authorization(server)).toBe('Bearer of-the-operator')
  })

  test('the operator token may be in a file, which only the commands that need it open', async () => {
    const file = join(cli.folder, 'operator-token')
    writeFileSync(file, 'of-the-file\n')
    const to = { VIGIL_URL: server.url, VIGIL_TOKEN: 'of-the-account' }

    const opened = { variables: { ...to, VIGIL_OPERATOR_TOKEN_FILE: file } }
    await cli.run(['accounts', 'open', 'Shop'], opened)
    const gone = { variables: { ...to, VIGIL_OPERATOR_TOKEN_FILE: `${file}-gone` } }
    const [refused, other] = [
      await cli.run(['accounts', 'open', 'Shop'], gone),
      await cli.run(['flows', 'list'], gone),
    ]

    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer of-the-file',
      'Bearer of-the-account',
    ])
    expect([refused.code, other.err]).toEqual([2, ''])
    expect(refused.err).toContain(`VIGIL_OPERATOR_TOKEN_FILE names ${file}-gone, which cannot be`)
  })

  test('a token of - is read from standard input, or asked for at a terminal', async () => {
    const words = ['flows', 'list', '--server', server.url, '--token', '-']

    await cli.run(words, { stdin: 'piped\n' })
    const { err } = await cli.run(words, { typed: 'typed' })

    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer piped',
      'Bearer typed',
    ])
    expect(err).toBe('Token: ')
  })

  test('an address with a path is kept in front of every path of the API', async () => {
    await cli.run(['flows', 'list', '--server', `${server.url}/vigil/`, '--token', 't'])

    expect(server.asked[0]?.path).toBe('/vigil/v2/watch/management/flows?limit=200')
  })

  test.each([
    [['--token', 't', '--server', 'ftp://example.com'], 'must be an address'],
    [['--token', 't', '--server', 'http://user:secret@example.com'], 'must be an address'],
    [['--token', 't', '--server', 'example'], 'must be an address'],
    [['--token', 'two words'], 'one word of visible ASCII'],
    [['--token', ''], 'one word of visible ASCII'],
    [[], 'There is no token: set VIGIL_TOKEN, or keep one with: vigil profile set default'],
    [['--profile', 'nowhere'], 'There is no profile nowhere.\n  See: vigil profile list'],
    [['--profile', 'constructor'], 'There is no profile constructor'],
  ])('%j cannot be used, and ends with 2', async (flags, said) => {
    const { code, err } = await cli.run(['flows', 'list', ...flags])

    expect(code).toBe(2)
    expect(err).toContain(said)
    expect(err).not.toContain('secret')
  })
})

describe('a service and a token that are found', () => {
  test('on this machine are those of the port that PORT names', async () => {
    const port = new URL(server.url).port
    const variables = { PORT: port, VIGIL_TOKEN: 't' }

    const { code } = await cli.run(['flows', 'list'], { variables })

    expect(code).toBe(0)
    expect(server.asked).toHaveLength(1)
  })

  test.each(['http', '0', '65536', '80 80'])('%s is no port, and is passed over', async (PORT) => {
    const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('not asked'))

    await cli.run(['flows', 'list'], { variables: { PORT, VIGIL_TOKEN: 't' } })

    expect(String(asked.mock.calls[0]?.[0])).toContain('http://127.0.0.1:8080/')
    asked.mockRestore()
  })

  test('are said by name when the token is refused', async () => {
    const refusing = await openAnswers(() => ({
      status: 401,
      body: { code: 'invalid_api_token', message: 'The API token is not valid.' },
    }))
    await cli.run(['profile', 'set', 'staging', '--server', refusing.url, '--token', 'kept'])

    const kept = await cli.run(['flows', 'list', '--profile', 'staging'])
    const given = await cli.run(['flows', 'list', '--server', refusing.url], {
      variables: { VIGIL_TOKEN: 'of-the-environment' },
    })

    expect(kept).toMatchObject({ code: 1 })
    expect(kept.err).toContain('It came from the profile staging')
    expect(given.err).toContain('It came from VIGIL_TOKEN')
    expect(kept.err + given.err).not.toMatch(/kept|of-the-environment/)
  })

  test('a profile without a token says how to give it one', async () => {
    await cli.run(['profile', 'set', 'staging', '--server', server.url])

    const { code, err } = await cli.run(['flows', 'list', '--profile', 'staging'])

    expect(code).toBe(2)
    expect(err).toContain('keep one with: vigil profile set staging --token -')
  })

  test('a mistyped profile is answered with the one that was meant', async () => {
    await cli.run(['profile', 'set', 'staging', '--token', 't'])

    const { code, err } = await cli.run(['flows', 'list', '--profile', 'stagign'])

    expect(code).toBe(2)
    expect(err).toContain('There is no profile stagign. Did you mean staging?')
  })
})

describe('profiles', () => {
  test('are kept in a file that only its owner can read', async () => {
    const { code, out } = await cli.run(['profile', 'set', 'default', '--token', '-'], {
      stdin: 'a-secret\n',
    })

    expect({ code, out }).toEqual({ code: 0, out: `Kept default in ${cli.profilesFile}.\n` })
    expect(statSync(cli.profilesFile).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(cli.profilesFile)).mode & 0o777).toBe(0o700)
    expect(JSON.parse(readFileSync(cli.profilesFile, 'utf8'))).toEqual({
      profiles: { default: { token: 'a-secret' } },
    })
  })

  test('are set field by field, listed without their tokens, and removed', async () => {
    await cli.run(['profile', 'set', 'default', '--server', 'http://127.0.0.1:8080'])
    await cli.run(['profile', 'set', 'default', '--token', 'secret-1'])
    await cli.run(['profile', 'set', 'a', '--operator-token', '-'], { typed: 'secret-2' })

    const listed = await cli.run(['profile', 'list'])
    const removed = await cli.run(['profile', 'remove', 'default', '--json'])
    const left = await cli.run(['profile', 'list', '--json'])

    expect(listed.out).toMatchInlineSnapshot(`
      "   NAME     SERVER                  TOKEN  OPERATOR TOKEN
         a                                -      kept
      *  default  http://127.0.0.1:8080/  kept   -
      "
    `)
    expect(removed.json()).toEqual({ profile: 'default', removed: true })
    expect(left.json()).toEqual({
      profiles: [{ name: 'a', server: '', token: false, operator_token: true, current: false }],
    })
    expect(listed.out + left.out).not.toContain('secret')
  })

  test.each([0o644, 0o640, 0o604, 0o620])(
    'are not believed while the file has the mode %o',
    async (mode) => {
      await cli.run(['profile', 'set', 'default', '--server', server.url, '--token', 'kept'])
      chmodSync(cli.profilesFile, mode)

      const { code, err } = await cli.run(['flows', 'list'])

      expect(code).toBe(2)
      expect(err).toBe(
        `vigil: ${cli.profilesFile} contains tokens and is open to others (mode 0${mode.toString(8)}); ` +
          `close it with: chmod 600 ${cli.profilesFile}\n`,
      )
      expect(server.asked).toEqual([])
    },
  )

  test('are not looked at when flags say all there is to say', async () => {
    await cli.run(['profile', 'set', 'default', '--token', 'kept'])
    chmodSync(cli.profilesFile, 0o644)

    const { code } = await cli.run(['flows', 'list', '--server', server.url, '--token', 't'])

    expect(code).toBe(0)
  })

  test.each([
    '{',
    '[]',
    '{"profiles": 1}',
    '{"profiles": {"a": 1}}',
    '{"profiles": {"a": {"token": 1}}}',
  ])('are refused when the file holds %s', async (text) => {
    mkdirSync(dirname(cli.profilesFile), { recursive: true })
    writeFileSync(cli.profilesFile, text, { mode: 0o600 })

    const { code, err } = await cli.run(['profile', 'list'])

    expect(code).toBe(2)
    expect(err).toContain('is not a file of profiles')
  })

  test.each([
    [['set', 'a b', '--token', 't'], 'A profile name is'],
    [['set', '__proto__', '--token', 't'], 'A profile name is'],
    [['set', 'a'], 'Say what to save'],
    [['set', 'a', '--server', 'nowhere'], 'must be an address'],
    [['remove', 'a'], 'There is no profile a'],
  ])('profile %j is refused', async (words, said) => {
    const { code, err } = await cli.run(['profile', ...words])

    expect(code).toBe(2)
    expect(err).toContain(said)
  })

  test('only one token can be piped in', async () => {
    const words = ['profile', 'set', 'a', '--token', '-', '--operator-token', '-']

    const { code, err } = await cli.run(words, { stdin: 't' })

    expect(code).toBe(2)
    expect(err).toContain('Only one of the two tokens')
  })
})
