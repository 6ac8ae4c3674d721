/** What the lists answer that the rules of a flow ask by name. */

import { longWork, pause } from '../../domain/longWork.ts'
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

/** Questions that are answered at once: each may be about a network of a hundred sizes. */
const atOnceMax = 8

type Answers = ReadonlyMap<string, ListAnswer>

/**
 * The answers, by the names under which they are evidence; none for a value that cannot stand on its list. The same is asked once. Many
 * questions are long work. Throws `unavailable` when the log cannot be read.
 */
export function listsAsked(context: ServiceContext, asked: Asked): Answers | Promise<Answers> {
  const { account, lookups } = asked
  if (lookups.length > atOnceMax) return longWork(account, () => listsAskedInSlices(context, asked))
  const possible = new Map<string, PossibleEntries>()
  for (const lookup of lookups) lookIn(context, asked, { lookup, possible })
  return answersAmong(context, asked, possible)
}

/** The same within long work. */
export async function listsAskedInSlices(context: ServiceContext, asked: Asked): Promise<Answers> {
  const possible = new Map<string, PossibleEntries>()
  for (const lookup of asked.lookups) {
    lookIn(context, asked, { lookup, possible })
    await pause()
  }
  return answersAmong(context, asked, possible)
}

interface Looking {
  readonly lookup: AskedList
  readonly possible: Map<string, PossibleEntries>
}

/** Notes what memory tells of the question. */
function lookIn(
  context: ServiceContext,
  { account, rulebook }: Asked,
  { lookup, possible }: Looking,
): void {
  const key = keyOf(lookup)
  const list = listNamed(rulebook.lists, lookup.list)
  if (!list || possible.has(key)) return
  const address = { list: list.id, kind: list.kind }
  const entries = possibleEntries(context, { account, address, value: lookup.value })
  if (entries) possible.set(key, entries)
}

function answersAmong(
  context: ServiceContext,
  { lookups, timeMs }: Asked,
  possible: ReadonlyMap<string, PossibleEntries>,
): Answers | Promise<Answers> {
  const keys = [...possible.keys()]
  const found = [...possible.values()].map((entries) => answerAmong(context, entries, timeMs))
  const byName = (answers: readonly ListAnswer[]): Answers =>
    new Map(
      lookups.flatMap((lookup) => {
        const answer = answers[keys.indexOf(keyOf(lookup))]
        return answer ? [[lookup.name, answer] as const] : []
      }),
    )
  const isKnown = (answer: (typeof found)[number]) => !(answer instanceof Promise)
  return found.every(isKnown)
    ? byName(found as readonly ListAnswer[])
    : Promise.all(found).then(byName)
}

function keyOf({ list, value }: AskedList): string {
  return `${list} ${value}`
}
