import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { expect, test } from 'vitest'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { openLegacyShop } from '../support/legacyShop.ts'
import { openCustomer, openVigil } from '../support/openVigil.ts'
import { refresh } from '../support/refreshing.ts'
import { newUser } from '../support/startSession.ts'

const apps = '/v2/session/apps'

test('no password and no token of a session stands in the folder, a count or a line, whatever becomes of it', async () => {
  const metrics = openMetrics()
  const lines: string[] = []
  const legacy = await openLegacyShop()
  const vigil = await openVigil({
    metrics,
    logger: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    linesPerSecond: 1_000_000,
    privateMigrationHosts: 'localhost',
    outside: { certificates: legacy.certificates },
  })
  const shop = await openCustomer(vigil)
  await shop.send('POST', apps, { name: 'Shop', app_id: 'corner1' })
  await shop.send('PUT', `${apps}/corner1/config/migration`, { session_validation_url: legacy.url })
  legacy.serve(vigil, 'corner1')
  const legacyToken = 'the-legacy-token-of-somebody'
  legacy.sessions.set(legacyToken, {
    identifiers: [{ type: 'customer_user_id', value: 'ann' }],
  })
  const host = { host: 'corner1.session.localhost' }

  const migrated = await vigil.door.request('POST', '/v1/session/migration', {
    headers: host,
    body: { token: legacyToken },
  })
  const token = String(migrated.headers['x-refresh-token'])
  const key = dpopKey()
  const asked = { port: vigil.door.port, appId: 'corner1', key }
  const first = await refresh({ ...asked, token })
  const cookie = { cookie: `__refresh_corner1=${first.token}` }
  const second = await refresh({ ...asked, headers: cookie })
  const list = '/v1/session/me/list'
  const access = [migrated, first, second].map(({ body }) => String(body['access_token']))
  const listed = await vigil.door.request('GET', list, { token: access[2], headers: host })
  await vigil.door.request('GET', `${list}?limit=${access[2]}`, { token: access[2], headers: host })
  const reused = await refresh({ ...asked, token })
  const user = await newUser(shop, `${apps}/corner1`)
  const password = 'Tr0ub4dor and three'
  const given = [
    await shop.send('PUT', `${user}/password`, { password }),
    await shop.send('PUT', `${user}/password`, { password: `${password}${'!'.repeat(200)}` }),
    await shop.send('POST', `${user}/password/check`, { password }),
    await shop.send('POST', `${user}/password/check`, { password: `${password}!` }),
    await shop.send('GET', user),
  ]
  const counts = await metrics.text()
  await vigil.door.close()
  await vigil.service.close()
  await legacy.close()

  expect([migrated, first, second, listed, reused].map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 401,
  ])
  const files = readdirSync(vigil.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  const texts = [counts, ...lines, ...given.map(({ text }) => text)]
  const bytes = Buffer.concat([...files, Buffer.from(texts.join(''))])
  // the id of the session stands in front of the secret, and is none
  const secrets = [token, first.token, second.token].map((text) =>
    text.slice(`vgr_${'0'.repeat(26)}_`.length),
  )
  const signatures = access.map((text) => text.split('.')[2] ?? '')
  const tokens = [...secrets, ...signatures, legacyToken]
  expect(tokens.every((text) => text.length > 20)).toBe(true)
  const inForms = [
    password,
    Buffer.from(password, 'utf16le'),
    Buffer.from(password).toString('hex'),
    Buffer.from(password).toString('base64').slice(0, 20),
  ]
  const sought = [...tokens, ...inForms, '$argon2id$']
  expect(sought.filter((one) => bytes.includes(one))).toEqual([])
  // what is looked for is where it would be found
  expect(given.map(({ status }) => status)).toEqual([204, 400, 200, 200, 200])
  expect(bytes.includes('SessionRevoked') && bytes.includes('PasswordChanged')).toBe(true)
  expect(counts).toContain('vigil_session_refreshes_total{result="reused"} 1')
  expect(lines.join('')).toContain('A refresh token was used twice')
  await (await openVigil({ folder: vigil.folder })).close()
})
