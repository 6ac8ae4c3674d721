import { createHash } from 'node:crypto'
import { jwtVerify } from 'jose'

const bodyMax = 64 * 1024

/**
 * Answers Vigil whether sessions are valid. `issuer` is the application's host, `audience` the URL of this place, `keys` the key set of
 * that host (`createRemoteJWKSet` of jose), and `findSession` finds what a token stands for: `{ identifiers, device }`, or nothing.
 */
export function validateSessions({ issuer, audience, keys, findSession }) {
  const asked = { issuer, audience, typ: 'session-validation+jwt', algorithms: ['EdDSA'] }

  /** Whether Vigil has asked this, here, within the last minute. */
  async function isVigil({ headers }, body) {
    const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
    try {
      const { payload } = await jwtVerify(token, keys, asked)
      return payload.body_sha256 === createHash('sha256').update(body).digest('base64url')
    } catch {
      return false
    }
  }

  return async (request, response) => {
    const answer = (status, body) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const body = await readBody(request)
    if (body === undefined || !(await isVigil(request, body))) return answer(401, {})
    const session = await findSession(JSON.parse(body.toString()).token)
    return answer(200, session ? { valid: true, ...session } : { valid: false })
  }
}

async function readBody(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > bodyMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
