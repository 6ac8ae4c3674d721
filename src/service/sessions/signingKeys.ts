/** The signing keys of an application: seen, rotated, retired. Their private halves are secrets of the key store and of nothing else. */

import { publicKeyOf } from '../../auth/signingKey.ts'
import {
  type NewSigningKey,
  retireSigningKey,
  rotateSigningKey,
} from '../../commands/sessions/signingKeys.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { type AppState, appStream, type SigningKey } from '../../events/sessions/app.ts'
import { reached } from '../../queries/reading/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { standingApp } from './appQueries.ts'
import { changeApp } from './changeApp.ts'
import type { SessionsPart, SigningKeyView } from './sessionsPart.ts'

/** The commands and the question about them. */
export function openSigningKeys(context: ServiceContext): SessionsPart['signingKeys'] {
  return {
    list: async (place, { minPosition }) => {
      const position = await reached(context, minPosition)
      const app = await standingApp(context, place)
      return { value: keyViews(app), position }
    },
    rotate: async (call, place) => {
      const key = newSigningKey(context)
      const written = await changeApp(
        context,
        { call, place },
        {
          operation: 'signing_keys.rotate',
          input: null,
          decide: (state, nowMs) => rotateSigningKey(place, key, nowMs)(state),
        },
      )
      const made = keyViews(written.value).at(-1)
      if (!made) throw new Error('a rotation has left no signing key')
      return { ...written, value: made }
    },
    retire: async (call, place, kid) => {
      const { state } = await context.apps.catchUp(appStream(place.appId))
      // before it is said: a key that is retired has no private half anywhere
      retireSigningKey(place, kid, context.clock.nowMs())(state)
      await destroySigningKeys(context, [kid])
      const written = await changeApp(
        context,
        { call, place },
        {
          operation: `signing_keys.retire ${kid}`,
          input: null,
          decide: (now, nowMs) => retireSigningKey(place, kid, nowMs)(now),
        },
      )
      return { ...written, value: undefined }
    },
  }
}

/** A key out of those that are on disk already, taken when it is first asked for. Throws `unavailable` when none is left. */
export function newSigningKey({ keyring }: Pick<ServiceContext, 'keyring'>): NewSigningKey {
  let made: ReturnType<NewSigningKey> | undefined
  return () => {
    if (made) return made
    const { id, secret } = keyring.take()
    made = { kid: id, public_key: publicKeyOf(secret) }
    return made
  }
}

/** Destroys private halves for good; again is no error. None of them may be needed to sign any more. */
export async function destroySigningKeys(
  { keyring, clock }: Pick<ServiceContext, 'keyring' | 'clock'>,
  kids: readonly string[],
): Promise<void> {
  // no subject has had any of them
  if (kids.length > 0) await keyring.destroy(kids, clock.nowMs())
}

function keyViews({
  signing_keys: keys,
}: Pick<AppState, 'signing_keys'>): readonly SigningKeyView[] {
  return keys.map((key, index) => keyView(key, index === keys.length - 1))
}

function keyView({ added_at, retired_at, ...key }: SigningKey, isLast: boolean): SigningKeyView {
  const status = retired_at !== undefined ? 'retired' : isLast ? 'signs' : 'verifies'
  return {
    ...key,
    status,
    added_at: isoTime(added_at),
    ...(retired_at !== undefined && { retired_at: isoTime(retired_at) }),
  }
}
