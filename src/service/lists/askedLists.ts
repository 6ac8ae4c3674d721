/** What the lists answer that the rules of a flow ask by name. */

import type { AskedList } from '../../engine/compile/compileLookup.ts'
import type { ListAnswer } from '../../engine/run/listAnswer.ts'
import { listNamed } from '../../events/rulebook/namedLists.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { answerAmong, type PossibleEntries, possibleEntries } from './listAnswer.ts'

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
  const questions = new Map(lookups.map((lookup) => [keyOf(lookup), lookup]))
  const looking = lookedFor(context, { account, rulebook, questions })
  const possible = await context.computing.runInPieces(account, looking)
  const answers = new Map(
    await Promise.all(
      [...possible].map(async ([key, entries]) => {
        return [key, await answerAmong(context, entries, timeMs)] as const
      }),
    ),
  )
  return new Map(
    lookups.flatMap((lookup) => {
      const answer = answers.get(keyOf(lookup))
      return answer ? [[lookup.name, answer] as const] : []
    }),
  )
}

function keyOf({ list, value }: AskedList): string {
  return `${list} ${value}`
}

/** What memory tells of each question: others have their turns between them. */
function* lookedFor(
  context: ServiceContext,
  {
    account,
    rulebook,
    questions,
  }: Omit<Asked, 'lookups' | 'timeMs'> & { readonly questions: ReadonlyMap<string, AskedList> },
): Generator<undefined, ReadonlyMap<string, PossibleEntries>> {
  const found = new Map<string, PossibleEntries>()
  for (const [key, { list: name, value }] of questions) {
    const list = listNamed(rulebook.lists, name)
    const address = list && { list: list.id, kind: list.kind }
    const entries = address && possibleEntries(context, { account, address, value })
    if (entries) found.set(key, entries)
    yield
  }
  return found
}
