/** Something of an account behind its id, also when another instance has issued it a moment ago. */

import type { FoldedStream } from '../../commands/handling/family.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { type LookBounds, openBoundedLooks } from '../../queries/reading/boundedLooks.ts'
import { accountStream, type ServiceContext } from '../opening/serviceContext.ts'

/** What is sought, and where. */
interface Kind<One> extends LookBounds {
  readonly in: (state: AccountState) => ReadonlyMap<string, One>
}

/** The id of one, and of its account. */
interface Sought {
  readonly accountId: string
  readonly id: string
}

/**
 * Answers the one sought as this instance holds it, at once where nothing has to be read, or else after one look into the log: what is not in it then is unknown. Whoever sends
 * ids that do not exist costs a bounded number of looks at a time and in a second, each no more than one question to the store. Throws
 * `unavailable` when too many are looked for, and when the log cannot be read.
 */
export function openFindIssued<One>(
  { accounts, clock }: Pick<ServiceContext, 'accounts' | 'clock'>,
  kind: Kind<One>,
) {
  const look = openBoundedLooks(clock, kind)

  const lookFor = (stream: string, { accountId, id }: Sought): Promise<One | undefined> =>
    look(`${accountId} ${id}`, async () => kind.in((await accounts.catchUp(stream)).state).get(id))

  return (sought: Sought): One | undefined | Promise<One | undefined> => {
    const stream = accountStream(sought.accountId)
    const folded = accounts.peek(stream) && accounts.folded(stream)
    if (!folded) return lookFor(stream, sought)
    const heldOf = (held: FoldedStream<AccountState>) =>
      kind.in(held.state).get(sought.id) ?? lookFor(stream, sought)
    return folded instanceof Promise ? folded.then(heldOf) : heldOf(folded)
  }
}
