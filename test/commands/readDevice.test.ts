import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { readSessionDevice } from '../../src/commands/sessions/refreshSession.ts'
import { encode } from '../../src/events/catalogue.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import { samples } from '../events/samples.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

const random = { bytes: (count: number) => randomBytes(count) }
const device = {
  device_type: 'IOS',
  device_model: 'iPhone 15',
  os_version: '18.1',
  country_code: 'FR',
}

async function recordedSession() {
  const keyring = await openKeyring({ store: memoryKeyStore(), masterKey: randomBytes(32), random })
  const id = `ses_01h455vb4pex5vsknk0${randomBytes(3).toString('hex')}0`
  const data = { ...samples.SessionStarted, session_id: id, device }
  const context = { account: 'acc', actor: 'tok', request: '', command: randomUUID(), time: 1 }
  const event = encode({ event: { type: 'SessionStarted', data }, context, index: 0 }, keyring)
  const readStream = async () => [{ ...event, stream: `session-${id}`, revision: 0, position: 1 }]
  const reading = { keyring, events: { readStream } as never }
  return { keyring, event, read: () => readSessionDevice(reading, id, { device_at: 0 }) }
}

test('a device is known until its key is destroyed', async () => {
  const { keyring, read, event } = await recordedSession()
  const { subjects } = JSON.parse(event.metadata)

  expect(await read()).toEqual(device)

  await keyring.destroy([subjects[0].key], 1)

  const unknown = { device_type: '', device_model: '', os_version: '', country_code: '' }
  expect(await read()).toEqual(unknown)
})
