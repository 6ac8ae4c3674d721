/** Sessions as they are shown (spec 2.9). */

import { isoTime } from '../../domain/isoTime.ts'
import type { SessionDevice } from '../../domain/sessionDevice.ts'
import { sessionDevice } from '../../domain/sessionDevice.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import { isForgotten } from '../../events/recording/isForgotten.ts'
import type { SessionState } from '../../events/sessions/session.ts'
import { recordedDevice, type SessionDocument } from '../../projections/sessions/sessions.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** Times in ISO 8601 UTC. */
export interface SessionView extends SessionDevice {
  readonly id: string
  readonly created_at: string
  readonly last_seen_at: string
  readonly expires_at: string
}

interface Shown extends Pick<SessionState, 'started_at' | 'last_seen_at' | 'expires_at'> {
  readonly device: SessionDevice
}

/** The session of this id. */
export function sessionView(
  id: string,
  { device, started_at, last_seen_at, expires_at }: Shown,
): SessionView {
  return {
    id,
    ...device,
    created_at: isoTime(started_at),
    last_seen_at: isoTime(last_seen_at),
    expires_at: isoTime(expires_at),
  }
}

interface Found {
  readonly id: string
  readonly body: SessionDocument
}

/** In the same order, all keys asked for at once; nothing is known of the devices of who was erased. Throws `unavailable` where a key is lost. */
export async function openSessions(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  found: readonly Found[],
): Promise<readonly SessionView[]> {
  const recorded = found.map(({ id, body }) => recordedDevice(id, body))
  const keys = await keyring.keys([...new Set(recorded.flatMap(sealedUnder))])
  return found.map(({ id, body }, index) => {
    const one = recorded[index]
    const device = one && openPersonal(one, keys).event.data.device
    const shown = isForgotten(device) ? sessionDevice({}) : (device as SessionDevice)
    return sessionView(id, { ...body, device: shown })
  })
}
