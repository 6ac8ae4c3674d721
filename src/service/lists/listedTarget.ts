/** Whether the target of an evaluation stands on the phone lists of its account. */

import { phoneLists, subjectKinds } from '../../domain/lists.ts'
import type { Target } from '../../domain/target.ts'
import type { ListAnswer, ListAnswers } from '../../engine/run/listAnswer.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { answerAmong, entriesOf } from './listAnswer.ts'

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
export function listedTarget(
  context: ServiceContext,
  asked: Asked,
): ListAnswers | Promise<ListAnswers> {
  const { phone_number } = asked.target
  if (!asked.state.managedOnce || phone_number === undefined) return onNoList
  return lookedFor(context, asked, phone_number)
}

function lookedFor(
  context: ServiceContext,
  { account, timeMs }: Asked,
  value: string,
): ListAnswers | Promise<ListAnswers> {
  const subjects = [context.keyring.subject(account, subjectKinds.phone_number, value)]
  const [allow, block] = phoneLists.map((list) =>
    answerAmong(context, entriesOf(context, { account, list }, subjects), timeMs),
  )
  if (allow instanceof Promise || block instanceof Promise) {
    return Promise.all([allow, block]).then(answersOf)
  }
  return answersOf([allow, block])
}

function answersOf([allow, block]: readonly (ListAnswer | undefined)[]): ListAnswers {
  return { allow: allow ?? notListed, block: block ?? notListed }
}

const notListed: ListAnswer = { listed: false }
const onNoList: ListAnswers = { allow: notListed, block: notListed }
