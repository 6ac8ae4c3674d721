/** Serves the files of the console under `/console`, with the policy that its pages keep to. */

import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Next } from 'koa'
import sirv from 'sirv'
import { Failure } from '../../domain/failure.ts'
import type { Context } from '../request/requestContext.ts'
import { runWhenClosed } from '../request/runWhenClosed.ts'

/** Where `npm run build` puts it, seen from `src` and from `dist`. */
const builtFolder = fileURLToPath(new URL('../../../dist/console', import.meta.url))

const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}

/**
 * Answers `GET` below `/console` with its files: those with a hash in their name for ever, every other path as its
 * page. Throws `not_found` where the console was not built.
 */
export function serveConsole(folder = builtFolder) {
  // files that are there when the service starts: a build replaces it
  const serve = existsSync(folder)
    ? sirv(folder, { single: true, etag: true, gzip: true, brotli: true, setHeaders })
    : undefined

  return async function serveConsole(ctx: Context, next: Next): Promise<void> {
    const { path } = ctx.request
    if (ctx.state.sessionHost !== undefined || !/^\/console(?:\/|$)/.test(path)) return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.res.setHeader('Allow', 'GET, HEAD')
      throw new Failure('method_not_allowed', 'The path does not have this method; see Allow.')
    }
    if (!serve) throw new Failure('not_found', 'The console is not built: npm run build builds it.')
    const url = path.slice('/console'.length) || '/'
    const req: IncomingMessage = Object.create(ctx.req, { url: { value: url } })
    await new Promise<void>((resolve, reject) => {
      runWhenClosed(ctx.res, resolve)
      serve(req, ctx.res, () => reject(new Failure('not_found', 'There is nothing at this path.')))
      ctx.respond = !ctx.res.headersSent
    })
  }
}

function setHeaders(res: ServerResponse, pathname: string): void {
  const isHashed = pathname.startsWith('/assets/')
  res.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
