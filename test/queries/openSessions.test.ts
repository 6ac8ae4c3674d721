import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type KeyState, sealValue } from '../../src/events/recording/sealing.ts'
import type { SessionDocument } from '../../src/projections/sessions/sessions.ts'
import { decryptSessions } from '../../src/queries/sessions/sessions.ts'

const id = 'ses_01h455vb4pex5vsknk084sn02q'
const device = {
  device_type: 'IOS',
  device_model: 'iPhone 15',
  os_version: '18.1',
  country_code: 'FR',
}
const empty = { device_type: '', device_model: '', os_version: '', country_code: '' }

function sealedSession() {
  const event = crypto.randomUUID()
  const key = { id: randomBytes(16).toString('base64url'), secret: new Uint8Array(randomBytes(32)) }
  const nonce = new Uint8Array(randomBytes(12))
  const body: SessionDocument = {
    user: 'usr_01h455vb4pex5vsknk084sn02q',
    app: 'corner1',
    account: 'acc_01h455vb4pex5vsknk084sn02q',
    epoch: 0,
    started_at: 1_700_000_000_000,
    last_seen_at: 1_700_000_000_000,
    expires_at: 1_700_000_600_000,
    device: sealValue(device, { event, field: 'device' }, { key, nonce }),
    event_id: event,
    event_position: 7,
  }
  return { key, found: [{ id, body }] }
}

function shown(found: Parameters<typeof decryptSessions>[1], state: KeyState | undefined) {
  const keys = async (ids: readonly string[]) =>
    new Map(state === undefined ? [] : ids.map((one) => [one, state]))
  return decryptSessions({ keyring: { keys } as never }, found)
}

test('a session is shown with its device', async () => {
  const { key, found } = sealedSession()

  const [first] = await shown(found, key.secret)

  expect(first).toMatchObject({ id, ...device, last_seen_at: '2023-11-14T22:13:20.000Z' })
})

test('a refreshed session is shown as it is since', async () => {
  const { key, found } = sealedSession()
  await shown(found, key.secret)

  const refreshed = { last_seen_at: 1_700_000_060_000, expires_at: 1_700_000_660_000 }
  const [after] = await shown(
    found.map((one) => ({ ...one, body: { ...one.body, ...refreshed } })),
    key.secret,
  )

  expect(after).toMatchObject({
    ...device,
    last_seen_at: '2023-11-14T22:14:20.000Z',
    expires_at: '2023-11-14T22:24:20.000Z',
  })
})

test('nothing is shown of the device any more once the key is destroyed, though it was opened before', async () => {
  const { key, found } = sealedSession()
  await shown(found, key.secret)

  expect(await shown(found, 'destroyed')).toMatchObject([{ id, ...empty }])
  await expect(shown(found, undefined)).rejects.toMatchObject({ code: 'unavailable' })
})
