/** Whether an account ever had a token: those that are long dead are forgotten in memory. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { decode } from '../../events/catalogue.ts'
import { mayGoOn, pageOfStream } from '../../stores/eventStore.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** Looks in memory, and for what is not there through the account's stream, in turns. */
export async function wasIssued(
  { accounts, events }: Pick<ServiceContext, 'accounts' | 'events'>,
  stream: string,
  tokenId: string,
): Promise<boolean> {
  if ((await accounts.catchUp(stream)).state.tokens.has(tokenId)) return true
  for (let from = 0; ; ) {
    const page = { from, ...pageOfStream }
    const read = await events.readStream(stream, page)
    if (read.map(decode).some(({ event }) => isIssueOf(event, tokenId))) return true
    if (!mayGoOn(page, read)) return false
    from += read.length
    await nextTurn()
  }
}

function isIssueOf(event: ReturnType<typeof decode>['event'], tokenId: string): boolean {
  return event.type === 'ApiTokenIssued' && event.data.token_id === tokenId
}
