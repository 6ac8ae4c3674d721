/** Looks values up on lists: in the cache first, in the log only for possible hits. */

import { emailDomain, normalizeEmail } from '../../domain/evaluation/email.ts'
import { type ListAddress, phoneLists, subjectKindByListKind } from '../../domain/lists/lists.ts'
import { normalizeListValue } from '../../domain/lists/listValue.ts'
import { pauseLongWork, runLongWork } from '../../domain/load/longWork.ts'
import { addressBits, type IpNetwork, parseAddress } from '../../domain/network/cidr.ts'
import type { EvaluatedTarget } from '../../domain/signals/signals.ts'
import type { ListLookup } from '../../engine/compile/compileLookup.ts'
import type { ListAnswer, ListAnswers } from '../../engine/run/evidence.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import type { EntryEvent } from '../../events/lists/listEntry.ts'
import { entryStream, type NetworkSize } from '../../events/lists/listEntry.ts'
import { findListByName } from '../../events/rulebook/namedListEvents.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import {
  type FoldedStreamCache,
  type FollowProgress,
  isCacheFresh,
} from '../handling/foldedStreamCache.ts'
import { findActiveEntry, type ListEntryState } from './findActiveEntry.ts'
import type { ListCache, ListedValue } from './listCache.ts'

/** What looking on lists takes. */
export interface ListLookupContext extends Pick<CommandContext, 'events' | 'keyring' | 'clock'> {
  readonly followed: FollowProgress
  readonly cachedLists: ListCache
  readonly listEntries: FoldedStreamCache<ListEntryState, EntryEvent>
}

interface AskedValue {
  readonly account: string
  readonly address: ListAddress
  readonly value: string
}

/** Entries looked for in the log at a time. */
const atOnce = 16

/** The possible entries of a value on a list. */
export interface PossibleEntries {
  readonly account: string
  readonly list: string
  /** Of the values that would have it stand there. */
  readonly subjects: readonly string[]
  /** How far the log was followed when all others were known not to be there. */
  readonly position: number
}

/**
 * The possible entries of a value, by the cache; undefined for a value that neither is of the list's kind nor can be converted to it:
 * a list of domains is asked for email addresses too, one of networks for IP addresses.
 */
export function findPossibleEntries(
  context: ListLookupContext,
  asked: AskedValue,
): PossibleEntries | undefined {
  const { account, address } = asked
  const of = { account, list: address.list }
  const known = currentLists(context)
  const values = toMatchingListValues(asked, () => known?.get(of)?.networks())
  const kind = subjectKindByListKind[address.kind]
  const subjects = values?.map((value) => context.keyring.subject(account, kind, value))
  return subjects && entriesOf(context, of, subjects)
}

/** Where these subjects may stand on a list, as far as memory tells. */
function entriesOf(
  context: ListLookupContext,
  { account, list }: Pick<PossibleEntries, 'account' | 'list'>,
  subjects: readonly string[],
): PossibleEntries {
  const cached = currentLists(context)?.get({ account, list })
  const possible = cached ? subjects.filter((subject) => cached.has(subject)) : subjects
  return { account, list, subjects: possible, position: context.followed.position }
}

/** The lists in memory; undefined while they may lack what is on record. */
function currentLists({ followed, clock, cachedLists }: ListLookupContext) {
  return isCacheFresh(followed, clock) ? cachedLists : undefined
}

/** What the log says of them, at a time; without it where there are none. Throws `unavailable` when it cannot be read. */
function answerAmong(
  context: ListLookupContext,
  possible: PossibleEntries,
  timeMs: number,
): Required<ListAnswer> | Promise<Required<ListAnswer>> {
  const { subjects, position: revision } = possible
  return subjects.length === 0 ? { listed: false, revision } : inLog(context, possible, timeMs)
}

async function inLog(
  context: ListLookupContext,
  { subjects, ...of }: PossibleEntries,
  timeMs: number,
): Promise<Required<ListAnswer>> {
  let revision = Number.POSITIVE_INFINITY
  for (let first = 0; first < subjects.length; first += atOnce) {
    const some = subjects.slice(first, first + atOnce)
    const streams = some.map((subject) => deriveEntryStream(context, { ...of, subject }))
    const found = await Promise.all(streams.map((stream) => inStream(context, stream, timeMs)))
    revision = Math.min(revision, ...found.map((one) => one.revision))
    if (found.some(({ listed }) => listed)) return { listed: true, revision }
  }
  return { listed: false, revision }
}

async function inStream(
  context: ListLookupContext,
  stream: string,
  timeMs: number,
): Promise<Required<ListAnswer>> {
  const folded = await context.listEntries.catchUp(stream)
  const revision = Math.max(folded.caughtUpPosition, folded.position)
  const entry = await findActiveEntry(context, { stream, state: folded.state, timeMs })
  return { listed: entry !== undefined, revision }
}

/** The sizes of the networks that stand on a list; undefined where they are not known. */
type Sizes = () => readonly NetworkSize[] | undefined

/** The entries that would have the value stand on the list; of networks those of every size where it is not known. */
export function toMatchingListValues(
  asked: AskedValue,
  sizes: Sizes,
): readonly string[] | undefined {
  const { address, value } = asked
  if (address.kind === 'ip_range') return networksOf(value, sizes)
  const one = normalizeListValue(address.kind, value) ?? domainOf(asked)
  return one === undefined ? undefined : [one]
}

function domainOf({ address, value }: AskedValue): string | undefined {
  const email = address.kind === 'email_domain' ? normalizeEmail(value) : undefined
  return email === undefined ? undefined : emailDomain(email)
}

/** Those that hold the address, of the sizes that stand on the list; of every size where that is not known. */
function networksOf(value: string, sizes: Sizes): readonly string[] | undefined {
  const asked = parseAddress(value)
  if (!asked) return undefined
  const { version } = asked
  return (sizes() ?? everySize(version))
    .filter((size) => size.version === version)
    .map(({ prefix }) => asked.network(prefix).text)
}

function everySize(version: IpNetwork['version']): readonly NetworkSize[] {
  return Array.from({ length: addressBits(version) }, (_, index) => ({
    version,
    prefix: index + 1,
  }))
}

interface AskedTarget {
  readonly account: string
  readonly state: Pick<AccountState, 'hadManagement'>
  readonly target: EvaluatedTarget
  /** Of the evaluation, by which entries expire; in milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/**
 * What the lists answer. No store is read for an account that never had lists, nor for a number that the cache shows on none; every other
 * number is looked up in the log. Throws `unavailable` when that cannot be read.
 */
export function lookUpTarget(
  context: ListLookupContext,
  { account, state, target, timeMs }: AskedTarget,
): ListAnswers | Promise<ListAnswers> {
  const { phone_number } = target
  if (!state.hadManagement || phone_number === undefined) return onNoList
  const subjects = [
    context.keyring.subject(account, subjectKindByListKind.phone_number, phone_number),
  ]
  const answers = phoneLists.map((list) =>
    answerAmong(context, entriesOf(context, { account, list }, subjects), timeMs),
  )
  return whenAll(answers, ([allow = notListed, block = notListed]) => ({ allow, block }))
}

/** What is made of the answers: at once, unless one of them needs the log. */
function whenAll<Result>(
  answers: readonly (ListAnswer | Promise<ListAnswer>)[],
  make: (answers: readonly ListAnswer[]) => Result,
): Result | Promise<Result> {
  return answers.some((answer) => answer instanceof Promise)
    ? Promise.all(answers).then(make)
    : make(answers as readonly ListAnswer[])
}

const notListed: ListAnswer = { listed: false }
const onNoList: ListAnswers = { allow: notListed, block: notListed }

interface LookupInput {
  readonly account: string
  /** The account's own, in which its lists have their names. */
  readonly rulebook: Pick<RulebookState, 'lists'>
  readonly lookups: readonly ListLookup[]
  /** Of the evaluation, by which entries expire; in milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/** Questions that are answered at once: each may be about a network of a hundred sizes. */
const atOnceMax = 8

type Answers = ReadonlyMap<string, ListAnswer>

/**
 * The answers, by the names under which they are evidence; none for a value that cannot be on its list. Equal questions are asked once.
 * Many questions are long work. Throws `unavailable` when the log cannot be read.
 */
export function lookUpLists(
  context: ListLookupContext,
  asked: LookupInput,
): Answers | Promise<Answers> {
  const { account, lookups } = asked
  if (lookups.length > atOnceMax)
    return runLongWork(account, () => lookUpListsInSlices(context, asked))
  const possible = new Map<string, PossibleEntries>()
  for (const lookup of lookups) notePossible(context, { ...asked, possible }, lookup)
  return answersAmong(context, asked, possible)
}

/** Same, within long work. */
export async function lookUpListsInSlices(
  context: ListLookupContext,
  asked: LookupInput,
): Promise<Answers> {
  const possible = new Map<string, PossibleEntries>()
  for (const lookup of asked.lookups) {
    notePossible(context, { ...asked, possible }, lookup)
    await pauseLongWork()
  }
  return answersAmong(context, asked, possible)
}

/** Notes what memory tells of the question. */
function notePossible(
  context: ListLookupContext,
  {
    account,
    rulebook,
    possible,
  }: LookupInput & { readonly possible: Map<string, PossibleEntries> },
  lookup: ListLookup,
): void {
  const key = keyOf(lookup)
  const list = findListByName(rulebook.lists, lookup.list)
  if (!list || possible.has(key)) return
  const address = { list: list.id, kind: list.kind }
  const entries = findPossibleEntries(context, { account, address, value: lookup.value })
  if (entries) possible.set(key, entries)
}

function answersAmong(
  context: ListLookupContext,
  { lookups, timeMs }: LookupInput,
  possible: ReadonlyMap<string, PossibleEntries>,
): Answers | Promise<Answers> {
  const keys = [...possible.keys()]
  const found = [...possible.values()].map((entries) => answerAmong(context, entries, timeMs))
  return whenAll(found, (answers) => {
    const named = lookups.flatMap((lookup) => {
      const answer = answers[keys.indexOf(keyOf(lookup))]
      return answer ? [[lookup.name, answer] as const] : []
    })
    return new Map(named)
  })
}

function keyOf({ list, value }: ListLookup): string {
  return `${list} ${value}`
}

/** The stream of the value of this subject. */
export function deriveEntryStream(
  { keyring }: Pick<CommandContext, 'keyring'>,
  { account, list, subject }: Pick<ListedValue, 'account' | 'list' | 'subject'>,
): string {
  const name = JSON.stringify([account, list, subject])
  return entryStream(list, keyring.digest('phone list', name))
}
