import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, extname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import Prelude, { BadRequestError } from '@prelude.so/sdk'

const { VIGIL_URL, VIGIL_TOKEN, VIGIL_SIGNUP_FLOW, SDK_KEY, SHOP_PORT, TLS_PORT, SHOP_FILES } = process.env
const vigil = new Prelude({ apiToken: VIGIL_TOKEN, baseURL: VIGIL_URL })
const users = '/v2/session/apps/corner1/users'

/** What the page has to know; none of it is a secret. */
const settings = { sdkKey: SDK_KEY, vigilUrl: VIGIL_URL, domain: `corner1.session.localhost:${TLS_PORT}` }

async function signUp({ phone, password, dispatch }) {
  const { verdict } = await vigil.post('/v2/watch/eval', {
    body: { flow_id: VIGIL_SIGNUP_FLOW, target: { phone_number: phone }, dispatch_id: dispatch },
  })
  if (verdict === 'FLAG') return [403, { refused: 'We cannot sign you up.' }]
  const identifiers = [{ type: 'phone_number', value: phone }]
  const { id } = await vigil.post(users, { body: { identifiers } })
  try {
    await vigil.put(`${users}/${id}/password`, { body: { password } })
  } catch (error) {
    await vigil.delete(`${users}/${id}`)
    throw error
  }
  const target = { type: 'phone_number', value: phone }
  await vigil.watch.sendEvents({ events: [{ target, label: 'account.created', confidence: 'neutral' }] })
  return startSession(id)
}

async function signIn({ phone, password }) {
  const found = await vigil.get(users, { query: { type: 'phone_number', value: phone } })
  // asked of nobody, too, so that the answer does not say whom there is
  const id = found.users[0]?.id ?? `usr_${'0'.repeat(26)}`
  const { valid } = await vigil.post(`${users}/${id}/password/check`, { body: { password } })
  return valid ? startSession(id) : [401, { refused: 'The number or the password is wrong.' }]
}

async function startSession(id) {
  const { refresh_token } = await vigil.post(`${users}/${id}/sessions`, { body: { device_type: 'WEB' } })
  return [201, { refresh_token }]
}

async function page(name) {
  const types = { '.html': 'text/html', '.js': 'text/javascript' }
  const bytes = await readFile(join(SHOP_FILES, 'pages', name.startsWith('/assets/') ? 'assets' : '', basename(name) || 'index.html'))
  return { bytes, type: types[extname(name) || '.html'] ?? 'application/octet-stream' }
}

const reasonOf = ({ message, details = [] }) => details.map((one) => one.message).join(' ') || message

createServer(async (request, response) => {
  const actions = { '/sign-up': signUp, '/sign-in': signIn, '/settings': () => [200, settings] }
  const action = actions[request.url]
  try {
    if (!action) {
      const { bytes, type } = await page(request.url)
      return response.writeHead(200, { 'content-type': type }).end(bytes)
    }
    const [status, body] = await action(request.method === 'POST' ? await json(request) : {})
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  } catch (error) {
    const refused = error instanceof BadRequestError ? reasonOf(error.error) : undefined
    const status = refused ? 400 : error.code === 'ENOENT' ? 404 : 502
    response.writeHead(status).end(JSON.stringify({ refused: refused ?? 'That did not work.' }))
  }
}).listen(SHOP_PORT, 'localhost')
