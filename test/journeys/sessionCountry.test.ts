import { decodeJwt } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { decode } from '../../src/events/catalogue.ts'
import { sessionStream } from '../../src/events/sessions/session.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { type Refreshed, refresh } from '../support/refreshing.ts'
import { startSession } from '../support/startSession.ts'

const appId = 'corner1'
const countryHeader = 'cf-ipcountry'

let vigil: Vigil
afterEach(() => vigil.close())

/** A session that was started in France, and a way to refresh it from elsewhere. */
async function travelling(options: Parameters<typeof openVigil>[0] = {}) {
  vigil = await openVigil({
    trustedProxies: 1,
    frontEnds: { countryHeader },
    ...options,
  })
  const shop = await openCustomer(vigil)
  await shop.send('POST', '/v2/session/apps', { name: 'Shop', app_id: appId })
  const { id, token, user } = await startSession(shop, appId)
  const key = dpopKey()
  const from = (
    { token, nonce }: Pick<Refreshed, 'token'> & { nonce?: string },
    country?: string,
  ) =>
    refresh({
      port: vigil.door.port,
      appId,
      token,
      key,
      claims: { nonce },
      ...(country !== undefined && { headers: { [countryHeader]: country } }),
    })
  const listed = async () => {
    const path = `/v2/session/apps/${appId}/users/${user}/sessions`
    const { body } = await shop.send('GET', path)
    const [session] = body['sessions'] as readonly Record<string, string>[]
    return session
  }
  return { id, start: { token }, from, listed }
}

const countryOf = ({ body }: Refreshed) => decodeJwt(String(body['access_token']))['cc']

test('a session has the country that the proxy told at its last refresh', async () => {
  const { start, from, listed } = await travelling()

  const home = await from(start, 'FR')
  const away = await from(home, 'de')
  const unknown = await from(away, 'XX')
  const silent = await from(unknown)

  expect([home, away, unknown, silent].map(countryOf)).toEqual(['FR', 'DE', 'DE', 'DE'])
  await eventually(async () => {
    const session = await listed()
    return session?.['country_code'] === 'DE' && session['device_type'] === 'WEB'
  })
})

test('an answer that is given again has the same country, wherever it is asked for', async () => {
  const { start, from } = await travelling()
  const home = await from(start, 'FR')

  const away = await from(home, 'DE')
  const again = await from(home, 'IT')

  expect(again.body).toEqual(away.body)
})

test('only a refresh from another country writes what the session is used from', async () => {
  const { id, start, from } = await travelling()

  const first = await from(start, 'FR')
  await from(await from(first, 'DE'), 'DE')

  const { events } = vigil.service.context
  const recorded = await events.readStream(sessionStream(id), { from: 1, limit: 10 })
  const says = recorded.map((one) => 'device' in Object(decode(one).event.data))
  expect(says).toEqual([false, true, false])
  expect(JSON.stringify(recorded)).not.toContain('"DE"')
})

test.each([
  ['no header is named', { frontEnds: {} }],
  ['there is no proxy', { trustedProxies: 0 }],
])('what a client says of its country is nobody’s word when %s', async (_, options) => {
  const { start, from } = await travelling(options)

  expect(countryOf(await from(start, 'DE'))).toBe('FR')
})
