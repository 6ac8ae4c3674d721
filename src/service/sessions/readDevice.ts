/** What a session is used from, as it was said last. */

import type { SessionDevice } from '../../domain/sessionDevice.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/isForgotten.ts'
import { isSealed } from '../../events/recording/sealing.ts'
import {
  type SessionEvent,
  type SessionState,
  sessionStream,
} from '../../events/sessions/session.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

const unknown: SessionDevice = {
  device_type: '',
  device_model: '',
  os_version: '',
  country_code: '',
}

/** Nothing is known of a device once its user was erased. */
export async function readDevice(
  { events, keyring }: Pick<ServiceContext, 'events' | 'keyring'>,
  { id, state }: { readonly id: string; readonly state: Pick<SessionState, 'device_at'> },
): Promise<SessionDevice> {
  const [recorded] = await events.readStream(sessionStream(id), { from: state.device_at, limit: 1 })
  if (!recorded) throw new Error('a session has no event where its device was said')
  const { data } = (await openEvent(decode(recorded), keyring)).event as SessionEvent
  const device = 'device' in data ? data.device : undefined
  if (device === undefined || isForgotten(device)) return unknown
  if (isSealed(device)) throw new Error('a session was opened and its device is still sealed')
  return device
}
