/**
 * The configurations of nginx against a real one, where it is installed; what they say without it, `deployment.test.ts`
 * asks.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Failure, type FailureCode } from '../../src/domain/failure.ts'
import { listen } from '../support/listen.ts'

const isInstalled = spawnSync('nginx', ['-v']).status === 0

const phone = '33612345678'
type Answer = (req: IncomingMessage, res: ServerResponse, nth: number) => unknown

/** Two instances, and nginx with the configuration in front of them. */
async function openProxy(
  file: string,
  answer: Answer = (_req, res) => res.end('{}'),
  edit = (configuration: string) => configuration,
) {
  const asked: IncomingMessage[] = []
  const instances = await Promise.all(
    [0, 1].map(() => {
      let nth = 0
      const server = createServer({ maxHeaderSize: 64 * 1_024 }, (req, res) => {
        asked.push(req)
        nth += 1
        answer(req, res, nth)
      })
      return listen(server)
    }),
  )
  const ports = instances.map(({ port }) => port)
  const proxy = await startOnFreePort(edit(readFileSync(file, 'utf8')), ports)
  onTestFinished(async () => {
    proxy.stop()
    await Promise.all(instances.map(({ close }) => close()))
  })
  return { ...proxy, asked, instances }
}

/** Another process may take a port before nginx does: then it is another one. */
async function startOnFreePort(configuration: string, instances: readonly number[]) {
  for (let tries = 0; tries < 50; tries += 1) {
    const { port, close } = await listen(createServer())
    await close()
    const proxy = startNginx(configuration, port, instances)
    if (proxy) return proxy
  }
  throw new Error('no port is free')
}

/**
 * Starts nginx; it has bound its port when this returns, undefined when another has it. Both configurations are changed
 * only in what this machine does not have.
 */
function startNginx(configuration: string, port: number, instances: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-nginx-'))
  const errors = join(folder, 'errors.inc')
  writeFileSync(errors, readFileSync('ops/nginx.errors.inc'))
  const [first = 0, second = 0] = instances
  const site = configuration
    .replace(/listen (443 ssl|8080);/, `listen 127.0.0.1:${port};`)
    .replaceAll(/^\s*(ssl_|resolver ).*$/gm, '')
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${first};`)
    .replace('api-1:8080 resolve', `127.0.0.1:${first}`)
    .replace('api-2:8080 resolve', `127.0.0.1:${second}`)
    .replace('conf.d/nginx.errors.inc', errors)
    .replaceAll('/var/log/nginx/', `${folder}/`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid;\nerror_log ${folder}/main.log;\nevents { worker_connections 1024; }\nhttp {\naccess_log ${folder}/access.log;\nerror_log ${folder}/error.log;\n${temporary.join('\n')}\n${site}\n}\n`,
  )
  mkdirSync(join(folder, 'logs'))
  const run = (...words: string[]) =>
    spawnSync('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), ...words], {
      encoding: 'utf8',
    })
  const { status, stderr } = run()
  if (stderr.includes('still could not bind')) {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  if (status !== 0) throw new Error(stderr)
  let logs: string | undefined
  /** Stops it and returns all that it has logged. */
  const stop = (): string => {
    if (logs !== undefined) return logs
    run('-s', 'stop')
    logs = ['access.log', 'error.log']
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('')
    rmSync(folder, { recursive: true, force: true })
    return logs
  }
  return { port, stop }
}

interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string
}

function ask(port: number, { method = 'GET', path = '/v2/x', headers = {}, body }: Asked = {}) {
  return new Promise<{ status: number; type: string; body: string }>((resolve, reject) => {
    const all = { Host: 'vigil.example.com', ...headers }
    const req = request({ port, host: '127.0.0.1', method, path, headers: all, agent: false })
    req.on('error', reject)
    req.on('response', (res) => {
      const { statusCode: status = 0 } = res
      const type = res.headers['content-type'] ?? ''
      text(res).then((body) => resolve({ status, type, body }), reject)
    })
    req.end(body)
  })
}

/** The body of what is answered to bytes that are no request. */
async function askRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end(bytes)
  return (await text(socket)).split('\r\n\r\n')[1] ?? ''
}

const closed: Answer = (_req, res) => res.socket?.destroy()

describe.skipIf(!isInstalled).each(['ops/nginx.conf', 'ops/nginx.cluster.conf'])('%s', (file) => {
  test('given requests with a phone number in the query, when they are answered, refused or fail, then no log has it', async () => {
    const { port, stop } = await openProxy(file, (req, res, nth) =>
      req.url?.includes('fails') ? closed(req, res, nth) : res.end('{}'),
    )

    for (const path of ['/v2/works', '/v2/fails', '/metrics'])
      await ask(port, { path: `${path}?phone=${phone}` })
    const body = 'x'.repeat(3 * 1_024 * 1_024)
    await ask(port, { method: 'POST', path: `/v2/large?phone=${phone}`, body })
    await ask(port, { path: `/v2/long?phone=${phone}${'0'.repeat(20_000)}` })
    await askRaw(port, `GET /v2/bad?phone=${phone} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`)
    const logs = stop()

    expect(logs).not.toContain(phone)
    for (const path of ['works', 'fails', 'large']) expect(logs).toContain(` /v2/${path}"`)
  })

  test('given a client that names addresses, when it asks, then the instance sees its own alone', async () => {
    const { port, asked } = await openProxy(file)

    await ask(port, { headers: { 'X-Forwarded-For': ['192.0.2.1', '192.0.2.2'] } })

    const { rawHeaders = [] } = asked[0] ?? {}
    const at = rawHeaders.flatMap((name, i) => (/^x-forwarded-for$/i.test(name) ? [i] : []))
    expect(at.map((i) => rawHeaders[i + 1])).toEqual(['127.0.0.1'])
  })

  test('given an access token and a proof that Vigil takes, when they are sent, then nginx takes them', async () => {
    const { port, asked } = await openProxy(file, (_req, res) =>
      res.setHeader('Set-Cookie', 'c'.repeat(8_000)).end('{}'),
    )

    const headers = { Authorization: `DPoP ${'t'.repeat(4_096)}`, DPoP: 'p'.repeat(9_000) }
    const { status } = await ask(port, { headers })

    expect([status, asked.length]).toEqual([200, 1])
  })

  test('given an instance that answers 502, when a GET is sent, then this is the answer, once', async () => {
    const { port, asked } = await openProxy(file, (_req, res) => res.writeHead(502).end('own'))

    const { status, body } = await ask(port)

    expect([status, body, asked.length]).toEqual([502, 'own', 1])
  })

  test('given a POST that broke off, then it was sent once, and what comes next is answered', async () => {
    const { port, asked } = await openProxy(file, (req, res, nth) =>
      nth === 1 ? closed(req, res, nth) : res.end('{}'),
    )

    const posts = [await ask(port, { method: 'POST', body: '{}' })]
    if (file.includes('cluster')) posts.push(await ask(port, { method: 'POST', body: '{}' }))
    const sent = asked.length
    const after = await ask(port)

    expect(posts.map(({ status }) => status)).toEqual(posts.map(() => 503))
    expect([sent, after.status]).toEqual([posts.length, 200])
  })

  test.each<[string, FailureCode, Asked]>([
    ['an instance that breaks off', 'unavailable', { path: '/v2/fails' }],
    [
      'the same on the host of an application',
      'unavailable',
      { path: '/v1/fails', headers: { Host: 'shop1.session.example.com' } },
    ],
    ['a body', 'payload_too_large', { method: 'POST', body: 'x'.repeat(3 * 1_024 * 1_024) }],
    ['an address', 'headers_too_large', { path: `/v2/${'x'.repeat(20_000)}` }],
    ['a header', 'headers_too_large', { headers: { Authorization: 'x'.repeat(20_000) } }],
    ['a method', 'method_not_allowed', { method: 'TRACE' }],
  ])('given %s that nginx refuses itself, then it is %s in JSON', async (_, code, asked) => {
    const { port } = await openProxy(file, closed)

    const { status, type, body } = await ask(port, asked)

    const expected = new Failure(code, '')
    expect([status, type]).toEqual([expected.status, 'application/json; charset=utf-8'])
    expect(JSON.parse(body)).toEqual({
      code,
      message: expect.stringMatching(/\.$/),
      type: expected.type,
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
  })

  test('given what is no request, then it is answered as Vigil does', async () => {
    const { port } = await openProxy(file)

    const body = await askRaw(port, 'GET /x HTTP/1.1\r\nno header\r\n\r\n')

    expect(JSON.parse(body)).toMatchObject({ code: 'invalid_request', type: 'bad_request' })
  })
})

describe.skipIf(!isInstalled)('ops/nginx.cluster.conf', () => {
  test('given an instance that is gone, when requests come, then the other answers all of them', async () => {
    const { port, instances } = await openProxy('ops/nginx.cluster.conf')
    await instances[0]?.close()

    const answers = []
    for (const method of ['GET', 'POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST'])
      answers.push(await ask(port, { method }))

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  test('given another proxy in front, when it is named, then the address that it says is the one', async () => {
    const { port, asked } = await openProxy('ops/nginx.cluster.conf', undefined, (configuration) =>
      configuration
        .replace('# set_real_ip_from 172.16.0.0/12;', 'set_real_ip_from 127.0.0.0/8;')
        .replace('# real_ip_header', 'real_ip_header'),
    )

    await ask(port, { headers: { 'X-Forwarded-For': '192.0.2.1' } })

    expect(asked[0]?.headers['x-forwarded-for']).toBe('192.0.2.1')
  })

  test('given what is for the operator, when it is asked, then there is nothing', async () => {
    const { port, asked } = await openProxy('ops/nginx.cluster.conf')

    const answers = await Promise.all(
      ['/metrics', '/v2/operator/accounts', '/console/api/v2/operator/accounts'].map((path) =>
        ask(port, { path }),
      ),
    )

    expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(Array(3).fill('not_found'))
    expect(asked).toEqual([])
  })
})

describe.skipIf(!isInstalled)('ops/nginx.conf', () => {
  test('given more requests of an address at once than it lets through, then one is 429 in JSON', async () => {
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { port } = await openProxy('ops/nginx.conf', async (_req, res) => {
      await released
      res.end('{}')
    })

    const answers = Array.from({ length: 101 }, () => ask(port, { path: '/v1/x' }))
    const first = await Promise.race(answers)
    release()
    await Promise.all(answers)

    expect([first.status, JSON.parse(first.body).code]).toEqual([429, 'rate_limited'])
  })
})
