/** What the lists answer that the rules of a flow ask by name. */

import type { AskedList } from '../../engine/compile/compileLookup.ts'
import type { ListAnswer } from '../../engine/run/listAnswer.ts'
import { listNamed } from '../../events/rulebook/namedLists.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { listAnswer } from './listAnswer.ts'

interface Asked {
  readonly account: string
  /** The account's own, in which its lists have their names. */
  readonly rulebook: Pick<RulebookState, 'lists'>
  readonly lookups: readonly AskedList[]
  /** Of the evaluation, by which entries expire; in milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/**
 * The answers, by the names under which they are evidence; none for a value that cannot stand on its list. The same is asked once.
 * Throws `unavailable` when the log cannot be read.
 */
export async function askedLists(
  context: ServiceContext,
  { account, rulebook, lookups, timeMs }: Asked,
): Promise<ReadonlyMap<string, ListAnswer>> {
  const asking = withMemory(context)
  const under = new Map<string, Promise<ListAnswer | undefined>>()
  const answerOf = async (name: string, value: string): Promise<ListAnswer | undefined> => {
    const list = listNamed(rulebook.lists, name)
    const address = list && { list: list.id, kind: list.kind }
    return address && listAnswer(asking, { account, address, value, timeMs })
  }
  const ask = ({ list: name, value }: AskedList): Promise<ListAnswer | undefined> => {
    const key = `${name} ${value}`
    const answer = under.get(key) ?? answerOf(name, value)
    under.set(key, answer)
    return answer
  }
  const found = await Promise.all(
    lookups.map(async (lookup) => ({ name: lookup.name, answer: await ask(lookup) })),
  )
  return new Map(found.flatMap(({ name, answer }) => (answer ? [[name, answer] as const] : [])))
}

/** The same value may be looked for on many lists: its digest is made once. */
function withMemory(context: ServiceContext): ServiceContext {
  const subjects = new Map<string, string>()
  const { keyring } = context
  return {
    ...context,
    keyring: {
      ...keyring,
      subject: (account, kind, value) => {
        const key = `${kind} ${value}`
        const subject = subjects.get(key) ?? keyring.subject(account, kind, value)
        subjects.set(key, subject)
        return subject
      },
    },
  }
}
