/** Reads the device of a session, cached for as long as the key that it is sealed under. */

import { LRUCache } from 'lru-cache'
import type { SessionDevice } from '../../domain/sessions/sessionDevice.ts'
import { decode, openEvent, sealedUnder } from '../../events/catalogue.ts'
import { isForgotten, isSealed } from '../../events/recording/sealing.ts'
import {
  type SessionEvent,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import type { Context } from '../handling/context.ts'

const unknown: SessionDevice = {
  device_type: '',
  device_model: '',
  os_version: '',
  country_code: '',
}

type Reading = Pick<Context, 'events' | 'keyring'>

interface Said {
  readonly id: string
  readonly state: Pick<SessionState, 'device_at'>
}

/** Sessions for which it is remembered what their device is sealed under. */
const rememberedMax = 16_384
/** Of the devices that are kept. */
const deviceCharsMax = 4 * 1024 * 1024
/** What one comes to beside its texts. */
const deviceChars = 128

const keyIds = new LRUCache<string, string>({ max: rememberedMax })
const devices = openedUnder<SessionDevice>(deviceCharsMax)

/** Nothing is known of a device once its user was erased. Throws `unavailable`. */
export async function readDevice(reading: Reading, said: Said): Promise<SessionDevice> {
  const name = `${said.id} ${said.state.device_at}`
  const secret = await secretOf(reading, keyIds.get(name))
  return (secret && devices.get(secret, name)) ?? openDevice(reading, said, name)
}

async function secretOf(
  { keyring }: Reading,
  keyId: string | undefined,
): Promise<Uint8Array | undefined> {
  if (keyId === undefined) return undefined
  const secret = (await keyring.keys([keyId])).get(keyId)
  return secret instanceof Uint8Array ? secret : undefined
}

async function openDevice(
  reading: Reading,
  { id, state }: Said,
  name: string,
): Promise<SessionDevice> {
  const { events, keyring } = reading
  const [recorded] = await events.readStream(sessionStream(id), { from: state.device_at, limit: 1 })
  if (!recorded) throw new Error('a session has no event where its device was said')
  const decoded = decode(recorded)
  const { data } = (await openEvent(decoded, keyring)).event as SessionEvent
  const device = 'device' in data ? data.device : undefined
  if (device === undefined || isForgotten(device)) return unknown
  if (isSealed(device)) throw new Error('a session was opened and its device is still sealed')
  const [keyId = ''] = sealedUnder(decoded)
  const secret = await secretOf(reading, keyId)
  const chars = Object.values(device).reduce((sum, text) => sum + text.length, deviceChars)
  if (secret) devices.set(secret, { name, value: device }, chars)
  keyIds.set(name, keyId)
  return device
}

interface OpenedUnder<Value> {
  readonly get: (secret: Uint8Array, name: string) => Value | undefined
  /** Keeps it, which takes so many characters. */
  readonly set: (secret: Uint8Array, named: Named<Value>, chars: number) => void
}

interface Named<Value> {
  readonly name: string
  readonly value: Value
}

/**
 * Keeps what was opened with secrets for as long as the secrets are, about `charsMax` characters at the most: what was not asked for since
 * half as many came goes. A value is found only by the very secret that opened it, as the keyring hands it out, and nothing here keeps a
 * secret: the keyring forgets those that are destroyed.
 */
export function openedUnder<Value>(charsMax: number): OpenedUnder<Value> {
  type Kept = WeakMap<Uint8Array, Map<string, { readonly value: Value; readonly chars: number }>>
  let recent: Kept = new WeakMap()
  let before: Kept = new WeakMap()
  let recentChars = 0

  const keep = (secret: Uint8Array, { name, value }: Named<Value>, chars: number): void => {
    if (recentChars + chars > charsMax / 2) {
      before = recent
      recent = new WeakMap()
      recentChars = 0
    }
    const named = recent.get(secret) ?? new Map()
    recent.set(secret, named.set(name, { value, chars }))
    recentChars += chars
  }

  return {
    get: (secret, name) => {
      const found = recent.get(secret)?.get(name)
      if (found) return found.value
      const older = before.get(secret)?.get(name)
      if (older) keep(secret, { name, value: older.value }, older.chars)
      return older?.value
    },
    set: keep,
  }
}
