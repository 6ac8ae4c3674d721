import { expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'

const startMs = Date.UTC(2026, 10, 21, 9, 30)
const url = 'https://api.example.com/session/validate'

const { vigil, shop } = await openShopOfFile({ privateMigrationHosts: '10.1.0.0/16' })

const at = (seconds: number) => vigil.setTime(startMs + seconds * 1_000)
const isoAt = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString()
const pathOf = (appId: string) => `/v2/session/apps/${appId}/config/migration`
async function newPath(): Promise<string> {
  const { body } = await shop.send('POST', '/v2/session/apps', { name: 'Shop' })
  return pathOf(String(body['app_id']))
}
const set = (path: string, session_validation_url: string) =>
  shop.send('PUT', path, { session_validation_url })

test('keeps when it was made, and moves when it was changed by another URL only (spec 2.10, 4.6)', async () => {
  const path = await newPath()
  at(0)
  const first = await set(path, url)
  at(10)
  const same = await set(path, url)
  at(20)
  const moved = await set(path, `${url}/v2`)
  at(30)
  const seen = await shop.send('GET', path)

  const config = { session_validation_url: url, created_at: isoAt(0), updated_at: isoAt(0) }
  expect([first, same].map(({ status, body }) => ({ status, body }))).toEqual([
    { status: 200, body: { config } },
    { status: 200, body: { config } },
  ])
  const changed = { ...config, session_validation_url: `${url}/v2`, updated_at: isoAt(20) }
  expect(moved.body).toEqual({ config: changed })
  expect(seen).toMatchObject({ status: 200, body: { config: changed } })
})

test('is deleted, again too, and begins anew when it is set again (spec 4.7)', async () => {
  const path = await newPath()
  at(40)
  await set(path, url)

  const deleted = await shop.send('DELETE', path)
  const repeated = await shop.send('DELETE', path)
  const gone = await shop.send('GET', path)
  at(50)
  const anew = await set(path, url)

  expect([deleted, repeated].map(({ status, text }) => [status, text])).toEqual([
    [204, ''],
    [204, ''],
  ])
  expect(gone).toMatchObject({
    status: 404,
    body: {
      code: 'not_found',
      status: 'not_found',
      message: 'The application has no migration configuration.',
    },
  })
  expect(anew.body).toMatchObject({ config: { created_at: isoAt(50), updated_at: isoAt(50) } })
})

test.each([
  [{ session_validation_url: 'http://api.example.com/' }, 'Must be an HTTPS URL.'],
  [{ session_validation_url: 'https://0x7f000001/' }, 'Must name a host of the public Internet.'],
  [{ session_validation_url: 7 }, 'Must be a string of 1 to 2048 characters.'],
  [{ session_validation_url: '' }, 'Must be a string of 1 to 2048 characters.'],
  [{}, 'This field is required: a string of 1 to 2048 characters.'],
])(
  'a body that is not valid is told what is wrong with it, in spec 7.3: %j',
  async (body, message) => {
    const path = await newPath()

    const received = await shop.send('PUT', path, body)

    expect(received.status).toBe(400)
    expect(received.body).toEqual({
      code: 'invalid_request',
      status: 'bad_request',
      message: `session_validation_url: ${message}`,
    })
  },
)

test('a private host is taken where the operator allows it', async () => {
  const path = await newPath()

  const allowed = await set(path, 'https://10.1.2.3/validate')
  const refused = await set(path, 'https://10.2.2.3/validate')

  expect([allowed.status, refused.status]).toEqual([200, 400])
})
