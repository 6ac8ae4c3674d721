/** Checks whether an account ever had a token or SDK key: in memory first, then in the log. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'
import { decode } from '../../events/catalogue.ts'
import { mayHaveMore, pageOfStream } from '../../stores/eventStore.ts'
import type { Context } from '../handling/context.ts'
import type { AccountStreams } from './assertAccess.ts'

/** How to tell it in memory and in the log. */
interface Issued {
  readonly isHeld: (state: AccountState) => boolean
  readonly isIssue: (event: AccountEvent) => boolean
}

/** Checks memory, else reads the account's stream page by page, yielding in between. */
export async function wasIssued(
  { accounts, events }: AccountStreams & Pick<Context, 'events'>,
  stream: string,
  { isHeld, isIssue }: Issued,
): Promise<boolean> {
  if (isHeld((await accounts.catchUp(stream)).state)) return true
  for (let from = 0; ; ) {
    const page = { from, ...pageOfStream }
    const read = await events.readStream(stream, page)
    if (read.map(decode).some(({ event }) => isIssue(event as AccountEvent))) return true
    if (!mayHaveMore(page, read)) return false
    from += read.length
    await nextTurn()
  }
}
