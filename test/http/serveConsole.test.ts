/** How the files of the console are served: what may be kept, what its pages may load, and what is no file of it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Koa from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { serveConsole } from '../../src/http/middleware/serveConsole.ts'
import type { Context, RequestState, WithService } from '../../src/http/request/requestContext.ts'

const folder = mkdtempSync(join(tmpdir(), 'vigil-console-'))
const page = '<!doctype html><title>Vigil</title>'
const script = 'export const answer = 42'
let url = ''

/** What stands around it in the service, as far as it matters here. */
function openApp(serve: ReturnType<typeof serveConsole>) {
  const app = new Koa<RequestState, WithService>()
  app.use(async (ctx, next) => {
    ctx.res.setHeader('Cache-Control', 'no-store')
    const { host } = ctx.req.headers
    if (host?.startsWith('app.')) ctx.state.sessionHost = 'app'
    try {
      await next()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      ctx.status = error.status
      ctx.body = error.message
    }
  })
  app.use((ctx, next) => serve(ctx as Context, next))
  app.use((ctx) => {
    ctx.body = 'the next step'
  })
  const handle = app.callback()
  return createServer((req, res) => void handle(req, res))
}

async function listen(server: ReturnType<typeof openApp>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'assets', 'index-a1b2.js'), script)
  writeFileSync(join(folder, 'assets', 'index-a1b2.js.gz'), gzipSync(script))
  url = await listen(openApp(serveConsole(folder)))
  return () => rmSync(folder, { recursive: true })
})

/** As it comes, without decompression. */
const get = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init)

test.each(['/console', '/console/', '/console/rules/rul_1?tab=x'])(
  '%s is the page, asked for anew each time and kept to its policy',
  async (path) => {
    const response = await get(path)

    expect(await response.text()).toBe(page)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'")
  },
)

test('a file with a hash in its name is kept for ever, and sent as it was compressed', async () => {
  const plain = await get('/console/assets/index-a1b2.js', {
    headers: { 'accept-encoding': 'identity' },
  })
  expect(await plain.text()).toBe(script)
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(plain.headers.get('content-type')).toContain('javascript')

  const packed = await get('/console/assets/index-a1b2.js', {
    headers: { 'accept-encoding': 'gzip' },
  })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(await packed.text()).toBe(script)
})

test('a file of another version is not there, rather than the page in its place', async () => {
  const { status, headers } = await get('/console/assets/index-old.js')

  expect(status).toBe(404)
  expect(headers.get('cache-control')).toBe('no-store')
})

test('HEAD has no body, and nothing else is a method', async () => {
  const head = await get('/console/', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const { status, headers } = await get('/console/', { method: 'POST' })
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test.each(['/console/../package.json', '/console/%2e%2e/%2e%2e/etc/passwd', '/console/%E0%A4%A'])(
  '%s leads out of nothing',
  async (path) => {
    expect(['the next step', page, 'There is nothing at this path.']).toContain(
      await (await get(path)).text(),
    )
  },
)

test('other paths are left to the next step', async () => {
  expect(await (await get('/consoles')).text()).toBe('the next step')
  expect(await (await get('/v2/whoami')).text()).toBe('the next step')
})

test('where it was not built, that is said', async () => {
  const bare = await listen(openApp(serveConsole(join(folder, 'nowhere'))))
  const response = await fetch(`${bare}/console/`)

  expect(response.status).toBe(404)
  expect(await response.text()).toBe('The console is not built: npm run build builds it.')
})
