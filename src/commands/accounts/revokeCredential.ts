/** Revokes a token or SDK key of an account, from the log when it is not in memory. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call, WriteResult } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
} from '../../events/accounts/account.ts'
import { decode } from '../../events/catalogue.ts'
import { mayHaveMore, pageOfStream } from '../../stores/eventStore.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { eventContextOf, write } from '../handling/executeCommand.ts'
import type { AccountStreams } from './assertAccess.ts'

interface Revocation {
  readonly account: string
  readonly operation: string
  readonly isCached: (state: AccountState) => boolean
  /** Whether the event issued it. */
  readonly isIssue: (event: AccountEvent) => boolean
  readonly decide: (wasIssued: boolean) => (state: AccountState) => readonly AccountEvent[]
}

/** Repeating it is no error. Throws what `decide` throws. */
export async function revokeCredential(
  context: WriteContext & AccountStreams,
  call: Call<Principal>,
  { account, operation, decide, ...sought }: Revocation,
): Promise<WriteResult<void>> {
  const stream = accountStream(account)
  const wasIssued = await findIssue(context, stream, sought)
  const written = await write(context, context.accounts, {
    stream,
    context: eventContextOf(context, call, { account, operation, input: null }),
    decide: decide(wasIssued),
  })
  return { ...written, value: undefined }
}

/** Checks memory, else reads the account's stream page by page, yielding in between. */
async function findIssue(
  { accounts, events }: WriteContext & AccountStreams,
  stream: string,
  { isCached, isIssue }: Pick<Revocation, 'isCached' | 'isIssue'>,
): Promise<boolean> {
  if (isCached((await accounts.catchUp(stream)).state)) return true
  for (let from = 0; ; ) {
    const page = { from, ...pageOfStream }
    const read = await events.readStream(stream, page)
    if (read.map(decode).some(({ event }) => isIssue(event as AccountEvent))) return true
    if (!mayHaveMore(page, read)) return false
    from += read.length
    await nextTurn()
  }
}
