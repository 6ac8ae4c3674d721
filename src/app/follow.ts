/** Declares the streams that an instance caches, and follows them in the log. */

import { accountStream } from '../events/accounts/account.ts'
import { type ErasureEvent, erasureStream } from '../events/audit/erasure.ts'
import { decode } from '../events/catalogue.ts'
import { namedEntryPrefix } from '../events/lists/listEntry.ts'
import { phoneListPrefix } from '../events/lists/phoneList.ts'
import { managedStream, rulebookStream } from '../events/rulebook/rulebook.ts'
import { appStream } from '../events/sessions/app.ts'
import { sessionStream } from '../events/sessions/session.ts'
import { userStream } from '../events/sessions/user.ts'
import { followConfiguration, type HeldStreams } from './followConfiguration.ts'
import type { ServiceContext } from './serviceContext.ts'

/**
 * Follows the configuration in the log, until it is closed: accounts, rulebooks with the managed one, lists, applications, their users and
 * sessions, and erasures. To be called before anything is cached; until then, and while the log cannot be followed, every use of a stream
 * reads on in the log. Rejects with what the store throws.
 */
export function follow(
  {
    events,
    clock,
    followed,
    accounts,
    rulebooks,
    managed,
    cachedLists,
    apps,
    users,
    sessions,
    keyring,
  }: ServiceContext,
  onFault: (error: unknown) => void,
): Promise<{ readonly close: () => Promise<void> }> {
  const rulebookOf = (stream: string): HearsAndDistrusts =>
    stream === managedStream ? managed : rulebooks
  const held: readonly HeldStreams[] = [
    { prefix: accountStream(''), hear: accounts.hear, distrust: accounts.distrust },
    {
      prefix: rulebookStream(''),
      hear: (recorded) => rulebookOf(recorded.stream).hear(recorded),
      distrust: (stream) => rulebookOf(stream).distrust(stream),
    },
    { prefix: appStream(''), hear: apps.hear, distrust: apps.distrust },
    { prefix: userStream(''), hear: users.hear, distrust: users.distrust },
    { prefix: sessionStream(''), hear: sessions.hear, distrust: sessions.distrust },
    { prefix: phoneListPrefix, hear: cachedLists.hear, distrust: cachedLists.distrust },
    { prefix: namedEntryPrefix, hear: cachedLists.hear, distrust: cachedLists.distrust },
    {
      prefix: erasureStream(''),
      hear: (recorded) => keyring.forget((decode(recorded).event as ErasureEvent).data.keys),
      // nothing is held of it: whoever needs a key that was not forgotten finds it destroyed
      distrust: () => undefined,
    },
  ]
  return followConfiguration({ events, clock, followed, held, onFault })
}

type HearsAndDistrusts = Pick<HeldStreams, 'hear' | 'distrust'>
