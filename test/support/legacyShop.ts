/** The system before, whose sessions are validated by the example of the guide. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { listen } from './listen.ts'
import type { Vigil } from './openVigil.ts'
import { selfSigned } from './selfSigned.ts'

/** What the system before knows of a session. */
interface LegacySession {
  readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  readonly device?: object
}

interface Example {
  readonly validateSessions: (options: {
    readonly issuer: string
    readonly audience: string
    readonly keys: JWTVerifyGetKey
    readonly findSession: (token: string) => Promise<LegacySession | undefined>
  }) => RequestListener
}

const file = join(import.meta.dirname, '../../docs/guide/examples/validateSessions.mjs')
const { validateSessions } = (await import(pathToFileURL(file).href)) as Example

export interface LegacyShop {
  readonly url: string
  /** The name of its host is looked up by name servers, which the test stands in for. */
  readonly publicUrl: string
  readonly certificates: string
  readonly sessions: Map<string, LegacySession>
  /** How often it was asked. */
  readonly asked: () => number
  /** The last question. */
  readonly last: () => { readonly authorization: string; readonly body: string }
  /** What answers in place of the example; the example again when it is undefined. */
  answering: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Answers what this Vigil asks for its application. */
  readonly serve: (vigil: Vigil, appId: string, url?: string) => void
  readonly close: () => Promise<void>
}

const publicName = 'legacy.example.com'

/** Opens it on a port of this machine. */
export async function openLegacyShop(): Promise<LegacyShop> {
  const { key, cert } = selfSigned(['localhost', publicName])
  const sessions = new Map<string, LegacySession>()
  let example: RequestListener | undefined
  let asked = 0
  let last = { authorization: '', body: '' }
  const server = createServer({ key, cert }, (request, response) => {
    asked += 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { authorization = '' } = request.headers
      last = { authorization, body: Buffer.concat(chunks).toString() }
    })
    const { answering } = shop
    if (answering) answering(request, response)
    else example?.(request, response)
  })
  const { port, close } = await listen(server)
  const url = `https://localhost:${port}/validate`
  const shop: LegacyShop = {
    url,
    publicUrl: `https://${publicName}:${port}/validate`,
    certificates: cert,
    sessions,
    asked: () => asked,
    last: () => last,
    answering: undefined,
    serve: ({ door }, appId, audience = url) => {
      const host = `${appId}.session.localhost`
      const keys: JWTVerifyGetKey = async (header, token) => {
        const { body } = await door.request<JSONWebKeySet & Record<string, unknown>>(
          'GET',
          '/.well-known/jwks.json',
          { headers: { host } },
        )
        return createLocalJWKSet(body)(header, token)
      }
      const findSession = async (token: string) => sessions.get(token)
      example = validateSessions({ issuer: `https://${host}`, audience, keys, findSession })
    },
    close,
  }
  return shop
}

/** Every session is valid, and of the same user. */
export function answerValid(_: IncomingMessage, response: ServerResponse): void {
  const identifiers = [{ type: 'customer_user_id', value: 'user of the system before' }]
  response.end(JSON.stringify({ valid: true, identifiers }))
}
