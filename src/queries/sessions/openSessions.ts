/** Opens sessions as they are shown (spec 2.9), cached for as long as their key stays. */

import { openedUnder } from '../../commands/sessions/sessionDevice.ts'
import { type SessionView, sessionView } from '../../commands/sessions/views.ts'
import { type SessionDevice, sessionDevice } from '../../domain/sessionDevice.ts'
import { openPersonal } from '../../events/catalogue.ts'
import { isForgotten, isSealed, type KeyState } from '../../events/recording/sealing.ts'
import { recordedDevice, type SessionDocument } from '../../projections/sessions/sessions.ts'
import type { Found } from '../reading/documents.ts'
import type { SessionsQueryContext } from './queryContext.ts'

type Keys = ReadonlyMap<string, KeyState>

/** Of the views that are kept. */
const viewCharsMax = 4 * 1024 * 1024
/** What a view comes to beside the texts of its device: an id, three times, the name that it is found by. */
const viewChars = 256
const views = openedUnder<SessionView>(viewCharsMax)

/** In the same order, all keys asked for at once; nothing is known of the devices of users who were erased. Throws `unavailable` where a key is lost. */
export async function openSessions(
  { keyring }: Pick<SessionsQueryContext, 'keyring'>,
  found: readonly Found<SessionDocument>[],
): Promise<readonly SessionView[]> {
  const sealing = found.map(({ body }) => keyOf(body))
  const keys = await keyring.keys([...new Set(sealing.filter((key) => key !== undefined))])
  return found.map((one, index) => {
    const secret = keys.get(sealing[index] ?? '')
    return secret instanceof Uint8Array ? viewUnder(secret, one, keys) : openedView(one, keys)
  })
}

/** The key that the device is sealed under. */
function keyOf({ device }: SessionDocument): string | undefined {
  return isSealed(device) ? device.sealed.key : undefined
}

/** A device is opened once for each time that it or its session changes. */
function viewUnder(secret: Uint8Array, found: Found<SessionDocument>, keys: Keys): SessionView {
  const { id, body } = found
  const name = `${id} ${body.event_id} ${body.last_seen_at} ${body.expires_at}`
  const known = views.get(secret, name)
  if (known) return known
  const view = openedView(found, keys)
  const { device_type, device_model, os_version } = view
  const chars = viewChars + device_type.length + device_model.length + os_version.length
  views.set(secret, { name, value: view }, chars)
  return view
}

function openedView({ id, body }: Found<SessionDocument>, keys: Keys): SessionView {
  const { device } = openPersonal(recordedDevice(id, body), keys).event.data
  const shown = isForgotten(device) ? sessionDevice({}) : (device as SessionDevice)
  return sessionView(id, { ...body, device: shown })
}
