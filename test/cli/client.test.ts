import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { listen } from '../support/listen.ts'
import { type Answers, openAnswers, type Reply } from './support/openAnswers.ts'
import { type Cli, openCli, type Situation } from './support/openCli.ts'

let cli: Cli

beforeEach(() => {
  cli = openCli()
})

afterEach(async () => {
  cli.close()
})

const ask = ({ url }: Pick<Answers, 'url'>, words: readonly string[], situation?: Situation) =>
  cli.run([...words, '--server', url, '--token', 'a-token'], situation)

const refusal = {
  code: 'invalid_rule',
  message: 'The expression does not compile; see details.',
  type: 'bad_request',
  request_id: '3d19215e-2991-4a05-a41a-527314e6ff6a',
  param: 'request',
  details: [
    { path: 'expression', message: "undeclared reference to 'foo'" },
    { path: 'name', message: 'Must not be empty.' },
  ],
}

describe('a refusal of the service', () => {
  test('is said with its code, a line for each detail and the id of the request, and ends with 1', async () => {
    const server = await openAnswers(() => ({ status: 400, body: refusal }))

    const { code, out, err } = await ask(server, ['rules', 'get', 'rul_1'])

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe(
      [
        'vigil: invalid_rule: The expression does not compile; see details.',
        "  expression: undeclared reference to 'foo'",
        '  name: Must not be empty.',
        '  request_id: 3d19215e-2991-4a05-a41a-527314e6ff6a',
        '',
      ].join('\n'),
    )
  })

  test('is one JSON object on stderr with --json', async () => {
    const server = await openAnswers(() => ({ status: 400, body: refusal }))

    const { code, out, err } = await ask(server, ['rules', 'get', 'rul_1', '--json'])

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(JSON.parse(err)).toEqual({ error: { ...refusal, status: 400 } })
  })

  test('cannot command the terminal', async () => {
    const message = 'no\u001b[2Jthing\u009b31m \u202eback'
    const server = await openAnswers(() => ({ status: 404, body: { ...refusal, message } }))

    const plain = await ask(server, ['rules', 'get', 'rul_1'])
    const json = await ask(server, ['rules', 'get', 'rul_1', '--json'])

    expect(plain.err).toContain('no\\u{1b}[2Jthing\\u{9b}31m \\u{202e}back')
    for (const mark of ['\u001b', '\u009b', '\u202e']) expect(json.err).not.toContain(mark)
    expect(JSON.parse(json.err).error.message).toBe(message)
  })
})

describe('a service that fails or is none', () => {
  test.each([
    [
      'fails',
      { status: 500, body: { ...refusal, code: 'internal', message: 'Ours.' } },
      'internal: Ours.',
    ],
    [
      'is hidden behind a proxy',
      { status: 502, body: '<html>' },
      "answered 502 in a form that is not Vigil's",
    ],
    ['answers no JSON', { status: 200, body: '<html>' }, 'is not an answer of Vigil'],
    ['answers no object', { status: 200, body: '3' }, 'is not an answer of Vigil'],
    ['answers another object', { status: 200, body: {} }, 'The answer has no rules'],
    ['breaks the connection', undefined, 'Cannot reach http://127.0.0.1:'],
  ])('ends with 3 when it %s', async (_, reply, said) => {
    const server = await openAnswers(() => reply)

    const { code, err } = await ask(server, ['rules', 'list'])

    expect(code).toBe(3)
    expect(err).toContain(said)
    expect(server.asked).toHaveLength(1)
  })

  test('ends with 3 when nothing listens', async () => {
    const server = await openAnswers(() => undefined)
    await server.close()

    const { code, err } = await ask(server, ['rules', 'list'])

    expect({ code, err }).toEqual({
      code: 3,
      err:
        `vigil: Cannot reach ${server.url}: the connection was refused.\n` +
        '  Is it running (npm start)? Set its address with --server, VIGIL_URL or vigil profile set.\n',
    })
  })
})

describe('what keeps the command line from the service is said with the next step', () => {
  const failed = (code: string) =>
    Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error(code), { code }),
    })

  test.each([
    ['ENOTFOUND', 'there is no such host', 'Is the address right?'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'not known here', 'NODE_EXTRA_CA_CERTS='],
    ['UND_ERR_SOCKET', 'closed without an answer', 'https://'],
    ['EWHATEVER', 'EWHATEVER', 'Is the address right?'],
    ['constructor', 'constructor', 'Is the address right?'],
  ])('%s', async (reason, said, next) => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(failed(reason))

    const { code, err } = await ask({ url: 'https://vigil.example' }, ['rules', 'list'])
    fetched.mockRestore()

    const [first = '', hint = ''] = err.split('\n')
    expect(code).toBe(3)
    expect(first).toMatch(/^vigil: Cannot reach https:\/\/vigil\.example: /)
    expect(first).toContain(said)
    expect(hint).toContain(next)
  })

  test('a service without TLS that is asked with it', async () => {
    const { url } = await openAnswers(() => ({}))

    const { code, err } = await ask({ url: url.replace('http:', 'https:') }, ['rules', 'list'])

    expect(code).toBe(3)
    expect(err).toContain('there is no TLS there.\n  Without TLS its address begins with http://')
  })

  test('a server that sends callers elsewhere, and only its origin is repeated', async () => {
    const location = 'https://vigil.example/login?next=secret'
    const server = await openAnswers(() => ({ status: 301, headers: { location } }))

    const { code, err } = await ask(server, ['rules', 'list'])

    expect(code).toBe(3)
    expect(err).toContain('It sends callers to https://vigil.example; if that is yours')
    expect(err).not.toContain('secret')
  })

  test.each([
    ['invalid_api_token', ['rules', 'list'], 'It came from --token, and may be revoked'],
    ['invalid_api_token', ['accounts', 'list'], 'The operator token is printed by the first'],
    ['insufficient_scope', ['rules', 'list'], 'vigil tokens issue ACCOUNT --scope'],
    ['insufficient_scope', ['accounts', 'list'], 'take it from VIGIL_OPERATOR_TOKEN'],
    ['access_not_enabled', ['rules', 'list'], 'The operator enables it: vigil access'],
  ])('a refusal for %s of %j', async (code, words, next) => {
    const server = await openAnswers(() => ({
      status: 403,
      body: { ...refusal, code, details: [] },
    }))

    const ended = await ask(server, words)
    const { error } = JSON.parse((await ask(server, [...words, '--json'])).err) as {
      error: { hint: string }
    }

    expect(ended.code).toBe(1)
    expect(ended.err).toContain(next)
    expect(error.hint).toContain(next)
  })
})

describe('a busy service', () => {
  const busy = (seconds: string): Reply => ({
    status: 503,
    headers: { 'retry-after': seconds },
    body: { ...refusal, code: 'unavailable', message: 'Busy.' },
  })

  test('is asked again after the time it names, under the same idempotency key', async () => {
    const server = await openAnswers((_, number) =>
      number < 3 ? busy('2') : { status: 201, body: { id: 'rul_1' } },
    )

    const { code } = await ask(server, ['rules', 'create', '--name', 'a', '--expression', 'b'])

    expect(code).toBe(0)
    expect(cli.pauses).toEqual([2_000, 2_000])
    const keys = server.asked.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).toBe(1)
    expect(server.asked[2]?.body).toBe('{"name":"a","expression":"b"}')
  })

  test('is given up after four calls', async () => {
    const server = await openAnswers(() => busy('0'))

    const { code, err } = await ask(server, ['rules', 'list'])

    expect(code).toBe(3)
    expect(err).toContain('unavailable: Busy.')
    expect(server.asked).toHaveLength(4)
  })

  test.each(['3600', 'soon', '-1'])('is not waited for when it says %s', async (seconds) => {
    const server = await openAnswers(() => busy(seconds))

    const { code } = await ask(server, ['rules', 'list'])

    expect(code).toBe(3)
    expect(server.asked).toHaveLength(1)
  })
})

describe('a connection that breaks', () => {
  test('while a command is under way has it sent again under the same key', async () => {
    const server = await openAnswers((_, number) =>
      number < 3 ? undefined : { status: 201, body: { id: 'rul_1' } },
    )

    const { code } = await ask(server, ['rules', 'create', '--name', 'a', '--expression', 'b'])

    expect(code).toBe(0)
    expect(server.asked).toHaveLength(3)
    expect(new Set(server.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  })

  test('every time ends with 3 after four calls', async () => {
    const server = await openAnswers(() => undefined)

    const { code, err } = await ask(server, ['rules', 'create', '--name', 'a', '--expression', 'b'])

    expect(code).toBe(3)
    expect(err).toContain('Cannot reach')
    expect(server.asked).toHaveLength(4)
  })
})

test.each([
  ['before it answers', () => undefined],
  ['in the middle of its answer', (socket: Socket) => socket.write(halfAnAnswer)],
])('a service that falls silent %s is not waited for beyond the time of a call', async (_, say) => {
  const real = AbortSignal.timeout.bind(AbortSignal)
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => real(50))
  const silent = createServer((socket) => {
    // the caller leaves without reading, which resets the connection
    socket.on('error', () => socket.destroy())
    socket.once('data', () => say(socket))
  })
  const { port, close } = await listen(silent)

  const { code, err } = await ask({ url: `http://127.0.0.1:${port}` }, ['rules', 'list'])

  expect(timeout).toHaveBeenCalledWith(30_000)
  expect({ code, err }).toEqual({
    code: 3,
    err:
      `vigil: Cannot reach http://127.0.0.1:${port}: no answer within 30 s.\n` +
      '  Is the address right? It comes from --server, VIGIL_URL or the profile.\n',
  })
  timeout.mockRestore()
  await close()
})

const halfAnAnswer = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"rules":'

test('Ctrl-C ends a question with 130', async () => {
  const interruption = new AbortController()
  const server = await openAnswers(() => {
    interruption.abort()
    return { body: { rules: [] } }
  })

  const { code, err } = await ask(server, ['rules', 'list'], { interrupted: interruption.signal })

  expect({ code, err }).toEqual({ code: 130, err: 'vigil: Interrupted.\n' })
})

test.each(['', '.', '..'])('an id of "%s" never becomes part of a path', async (id) => {
  const server = await openAnswers(() => ({}))

  const { code } = await ask(server, ['rules', 'restore', 'rul_1', '--', id])

  expect(code).toBe(2)
  expect(server.asked).toEqual([])
})

test('an id is one segment of the path, whatever stands in it', async () => {
  const server = await openAnswers(() => ({ status: 204, body: '' }))

  await ask(server, ['rules', 'restore', 'rul_1', 'a/../b?c#d'])

  expect(server.asked[0]?.path).toBe(
    '/v2/watch/management/rules/rul_1/versions/a%2F..%2Fb%3Fc%23d/restore',
  )
})

test('every page of a list is read', async () => {
  const server = await openAnswers(({ path }) =>
    path.includes('cursor=two')
      ? { body: { flows: [{ id: 'flo_2', name: 'b', recipes: [] }] } }
      : { body: { flows: [{ id: 'flo_1', name: 'a', recipes: [] }], next_cursor: 'two' } },
  )

  const { json } = await ask(server, ['flows', 'list', '--json'])

  expect(json()).toEqual({
    flows: [
      { id: 'flo_1', name: 'a', recipes: [] },
      { id: 'flo_2', name: 'b', recipes: [] },
    ],
  })
})
