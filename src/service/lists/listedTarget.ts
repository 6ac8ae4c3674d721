/** Whether the target of an evaluation stands on the lists of its account. */

import { standingEntry } from '../../commands/lists/standingEntry.ts'
import { type PhoneList, phoneLists } from '../../domain/phoneLists.ts'
import type { Target } from '../../domain/target.ts'
import type { ListAnswer, ListAnswers } from '../../engine/run/listAnswer.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { isCurrent } from '../opening/followConfiguration.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { phonePlace } from './phonePlace.ts'

interface Asked {
  readonly account: string
  readonly state: Pick<AccountState, 'managedOnce'>
  readonly target: Target
  /** Of the evaluation, by which entries expire; in milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/**
 * What the lists answer. No store is asked for an account that never had lists, nor for a number that is held to be on none; every other
 * number is looked for in the log. Throws `unavailable` when that cannot be read.
 */
export async function listedTarget(context: ServiceContext, asked: Asked): Promise<ListAnswers> {
  const { phone_number: phoneNumber } = asked.target
  if (!asked.state.managedOnce || phoneNumber === undefined) return onNoList
  const answer = (list: PhoneList) => answerOf(context, { ...asked, list, phoneNumber })
  const [allow, block] = await Promise.all(phoneLists.map(answer))
  if (!allow || !block) throw new Error('a list has not answered')
  return { allow, block }
}

const onNoList: ListAnswers = { allow: { listed: false }, block: { listed: false } }

async function answerOf(
  context: ServiceContext,
  { account, list, phoneNumber, timeMs }: Asked & { list: PhoneList; phoneNumber: string },
): Promise<ListAnswer> {
  const place = phonePlace(context, { account, list, phoneNumber })
  const { followed, heldLists, phoneLists: streams } = context
  const { position } = followed
  const mayHave = isCurrent(followed, context.clock) ? heldLists.mayHave(place) : undefined
  if (mayHave === false) return { listed: false, revision: position }
  const { stream } = place
  const folded = await streams.catchUp(stream)
  const revision = Math.max(folded.known, folded.position)
  const entry = await standingEntry(context, { stream, state: folded.state, timeMs })
  return { listed: entry !== undefined, revision }
}
