/** Decrypts stored password hashes; sweeps the keys of those replaced since 30 days or the last. */

import { decode, openEvent, sealedUnder } from '../../../events/catalogue.ts'
import type { DecodedEvent } from '../../../events/recording/event.ts'
import { isForgotten } from '../../../events/recording/sealing.ts'
import { type UserEvent, type UserState, userStream } from '../../../events/sessions/user.ts'
import { readDocumentPages } from '../../../projections/running/documents.ts'
import { passwordKeyCollection } from '../../../projections/sessions/passwordKeys.ts'
import type { CommandContext } from '../../handling/commandContext.ts'
import type { SessionsContext } from '../sessionsContext.ts'

type PasswordChanged = Extract<UserEvent, { readonly type: 'PasswordChanged' }>

/** A password as the state of its user knows it. */
export type PasswordRef = NonNullable<UserState['password']>

/**
 * The hash, sealed in the log under a key that is destroyed when another takes its place; undefined when it was
 * destroyed meanwhile. Throws `unavailable` when its key is lost or damaged, or a store does not answer.
 */
export async function readPasswordHash(
  context: Pick<CommandContext, 'events' | 'keyring'>,
  userId: string,
  password: PasswordRef,
): Promise<string | undefined> {
  const sealed = await readPasswordEvent(context, userId, password)
  const { hash } = (await openEvent(sealed, context.keyring)).event.data
  if (isForgotten(hash)) return undefined
  if (typeof hash !== 'string') throw new Error('a password was opened and is still sealed')
  return hash
}

/** Destroys the key of a password permanently, so that its hash cannot be opened any more; repeating it is no error. */
export async function destroyPasswordKey(
  context: Pick<CommandContext, 'events' | 'keyring' | 'clock'>,
  userId: string,
  password: PasswordRef,
): Promise<void> {
  const { keyring, clock } = context
  const keys = sealedUnder(await readPasswordEvent(context, userId, password))
  await keyring.destroy(keys, clock.nowMs())
}

async function readPasswordEvent(
  { events }: Pick<CommandContext, 'events'>,
  userId: string,
  { revision }: PasswordRef,
): Promise<DecodedEvent<PasswordChanged>> {
  const [recorded] = await events.readStream(userStream(userId), { from: revision, limit: 1 })
  const decoded = recorded && decode(recorded)
  if (decoded?.event.type !== 'PasswordChanged')
    throw new Error('a password is not where it was recorded')
  return decoded as DecodedEvent<PasswordChanged>
}

type PasswordSweepContext = Pick<
  SessionsContext,
  'keyring' | 'clock' | 'events' | 'projections' | 'documents'
>

/** How far back at the start: as long as an installation may have stood still. */
const startBackMs = 30 * 24 * 60 * 60 * 1_000
/** How far before the last sweep: clocks of instances differ, and the newest changes are still being destroyed. */
const marginMs = 60 * 60 * 1_000
/** How long a sweep waits for the read models. */
const knownMs = 10_000

/**
 * Destroys the remaining keys of passwords that were replaced since a while before the last complete sweep,
 * permanently: after an outage of the key store or the read models, the next sweep destroys what the failed one did
 * not. Any number of instances may do it at once. Throws what the stores throw.
 */
export function openReplacedKeySweep(context: PasswordSweepContext): () => Promise<void> {
  const { keyring, clock, events, projections } = context
  let sinceMs = clock.nowMs() - startBackMs
  return async () => {
    const beganMs = clock.nowMs()
    const isKnown = await projections.waitFor(await events.head(), knownMs)
    // those replaced since, or before by the same users; the earliest change first
    const question = { where: { changed_at: { gte: sinceMs } }, sort: ['changed_at'] as const }
    const reading = { question, readAtOnce: 100 }
    for await (const page of readDocumentPages(context, passwordKeyCollection, reading)) {
      const keys = page.flatMap(({ body }) => body.earlier.map(({ key }) => key))
      const states = await keyring.keys(keys)
      const left = keys.filter((key) => states.get(key) !== 'destroyed')
      if (left.length > 0) await keyring.destroy(left, clock.nowMs())
    }
    if (isKnown) sinceMs = Math.max(sinceMs, beganMs - marginMs)
  }
}
