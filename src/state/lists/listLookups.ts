/** Looks values up on lists: in the cache first, in the log only for possible hits. */

import { extractMailDomain, normalizeEmail } from '../../domain/evaluation/email.ts'
import { type ListAddress, phoneLists, subjectKindByListKind } from '../../domain/lists/lists.ts'
import { normalizeListValue } from '../../domain/lists/listValue.ts'
import { runSoon } from '../../domain/load/scheduler.ts'
import { mapInSteps, type Steps } from '../../domain/load/steps.ts'
import { addressBits, parseAddress } from '../../domain/network/cidr.ts'
import type { EvaluatedTarget } from '../../domain/signals/signals.ts'
import type { ListLookup } from '../../engine/compile/compileAskedCall.ts'
import type { ListAnswer, ListAnswers } from '../../engine/run/evidence.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { type EntryEvent, entryStream, type NetworkSize } from '../../events/lists/listEntry.ts'
import { findListByName } from '../../events/rulebook/namedListEvents.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import {
  type FoldedStreamCache,
  type FollowProgress,
  isCacheFresh,
} from '../folding/foldedStreamCache.ts'
import type { StateContext } from '../folding/stateContext.ts'
import { findActiveEntry, type ListEntryState } from './findActiveEntry.ts'
import type { ListCache, ListedValue } from './listCache.ts'

export interface ListLookupContext
  extends Pick<StateContext, 'events' | 'keyring' | 'clock' | 'scheduler'> {
  readonly followed: FollowProgress
  readonly cachedLists: ListCache
  readonly listEntries: FoldedStreamCache<ListEntryState, EntryEvent>
}

export interface ValueOnList {
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
 * The possible entries of a value, by the cache; undefined for a value that neither is of the list's kind nor can be
 * converted to it: a list of domains is asked for email addresses too, one of networks for IP addresses.
 */
export function findPossibleEntries(
  context: ListLookupContext,
  asked: ValueOnList,
): PossibleEntries | undefined {
  const { account, address } = asked
  const of = { account, list: address.list }
  const sizes = address.kind === 'ip_range' ? getCachedList(context, of)?.networks() : undefined
  const values = toMatchingListValues(asked, sizes)
  const kind = subjectKindByListKind[address.kind]
  const subjects = values?.map((value) => context.keyring.subject(account, kind, value))
  return subjects && filterByCache(context, of, subjects)
}

/** Where these subjects may stand on a list, as far as memory tells. */
function filterByCache(
  context: ListLookupContext,
  of: Pick<PossibleEntries, 'account' | 'list'>,
  subjects: readonly string[],
): PossibleEntries {
  const cached = getCachedList(context, of)
  const possible = cached ? subjects.filter((subject) => cached.has(subject)) : subjects
  return { ...of, subjects: possible, position: context.followed.position }
}

/** The list in memory; undefined while it may lack what is on record. */
function getCachedList(
  { followed, clock, cachedLists }: ListLookupContext,
  of: Pick<PossibleEntries, 'account' | 'list'>,
) {
  return isCacheFresh(followed, clock) ? cachedLists.get(of) : undefined
}

/** What the log says of them, at a time; undefined without entries. Throws `unavailable` when it cannot be read. */
async function findAnswer(
  context: ListLookupContext,
  { subjects, position, ...of }: PossibleEntries,
  timeMs: number,
): Promise<Required<ListAnswer>> {
  if (subjects.length === 0) return { listed: false, revision: position }
  const inStream = async (subject: string): Promise<Required<ListAnswer>> => {
    const stream = deriveEntryStream(context, { ...of, subject })
    const { state, position, caughtUpPosition } = await context.listEntries.catchUp(stream)
    const entry = await findActiveEntry(context, { stream, state, timeMs })
    return { listed: entry !== undefined, revision: Math.max(caughtUpPosition, position) }
  }
  let revision = Number.POSITIVE_INFINITY
  for (let first = 0; first < subjects.length; first += atOnce) {
    const found = await Promise.all(subjects.slice(first, first + atOnce).map(inStream))
    revision = Math.min(revision, ...found.map((one) => one.revision))
    if (found.some(({ listed }) => listed)) return { listed: true, revision }
  }
  return { listed: false, revision }
}

/**
 * The entries that would have the value stand on the list: of domains it and those above it; of networks those that
 * hold the address, of the sizes that stand on the list, of every size where those are not known.
 */
export function toMatchingListValues(
  { address: { kind }, value }: Pick<ValueOnList, 'address' | 'value'>,
  sizes: readonly NetworkSize[] | undefined,
): readonly string[] | undefined {
  if (kind === 'ip_range') {
    const asked = parseAddress(value)
    if (!asked) return undefined
    const prefixes = sizes
      ? sizes.flatMap(({ version, prefix }) => (version === asked.version ? prefix : []))
      : Array.from({ length: addressBits(asked.version) }, (_, index) => index + 1)
    return prefixes.map((prefix) => asked.network(prefix).text)
  }
  const email = kind === 'email_domain' ? normalizeEmail(value) : undefined
  const one = normalizeListValue(kind, value) ?? (email && extractMailDomain(email))
  if (one === undefined) return undefined
  return kind === 'email_domain' ? listDomainsAbove(one) : [one]
}

/** Labels of an entry that takes in what is below it: an address may have 126, and each is a lookup. */
const takenInLabelsMax = 10

/** The domain and those above it, without the top one. */
function listDomainsAbove(domain: string): readonly string[] {
  const last = domain.split('.').slice(-takenInLabelsMax)
  const above = last.slice(1).map((_, index) => last.slice(index).join('.'))
  return above[0] === domain ? above : [domain, ...above]
}

interface AskedTarget {
  readonly account: string
  readonly state: Pick<AccountState, 'hadManagement'>
  readonly target: EvaluatedTarget
  /** Of the evaluation, by which entries expire; in milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/**
 * What the lists answer. No store is read for an account that never had lists, nor for a number that the cache shows on
 * none; every other number is looked up in the log. Throws `unavailable` when that cannot be read.
 */
export async function lookUpTarget(
  context: ListLookupContext,
  { account, state, target, timeMs }: AskedTarget,
): Promise<ListAnswers> {
  const { phone_number } = target
  if (!state.hadManagement || phone_number === undefined) return onNoList
  const subjects = [
    context.keyring.subject(account, subjectKindByListKind.phone_number, phone_number),
  ]
  const answers = phoneLists.map((list) =>
    findAnswer(context, filterByCache(context, { account, list }, subjects), timeMs),
  )
  const [allow = notListed, block = notListed] = await Promise.all(answers)
  return { allow, block }
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

type Answers = ReadonlyMap<string, ListAnswer>

/**
 * The answers, by the names under which they are evidence; none for a value that cannot be on its list.
 * Throws `unavailable` when the log cannot be read.
 */
export async function lookUpLists(
  context: ListLookupContext,
  asked: LookupInput,
): Promise<Answers> {
  const possible = await runSoon(context, asked.account, findPossibleAnswers(context, asked))
  return findListAnswers(context, asked, possible)
}

/** What memory tells of the questions, one at each step: it may be about a network of a hundred sizes. */
export function* findPossibleAnswers(
  context: ListLookupContext,
  asked: LookupInput,
): Steps<readonly PossibleAnswer[]> {
  const find = (lookup: ListLookup) => findPossibleAnswer(context, asked, lookup)
  return (yield* mapInSteps(asked.lookups, find)).flat()
}

interface PossibleAnswer {
  readonly name: string
  readonly entries: PossibleEntries
}

/** What memory tells of the question; nothing for a value that cannot be on the list. */
function findPossibleAnswer(
  context: ListLookupContext,
  { account, rulebook }: LookupInput,
  { name, list: called, value }: ListLookup,
): readonly PossibleAnswer[] {
  const list = findListByName(rulebook.lists, called)
  const address = list && { list: list.id, kind: list.kind }
  const entries = address && findPossibleEntries(context, { account, address, value })
  return entries ? [{ name, entries }] : []
}

/** The answers to the questions that memory leaves open; see `lookUpLists`. */
export async function findListAnswers(
  context: ListLookupContext,
  { timeMs }: LookupInput,
  possible: readonly PossibleAnswer[],
): Promise<Answers> {
  const answers = await Promise.all(
    possible.map(({ entries }) => findAnswer(context, entries, timeMs)),
  )
  return new Map(possible.map(({ name }, index) => [name, answers[index] ?? notListed]))
}

/** The stream of the value of this subject. */
export function deriveEntryStream(
  { keyring }: Pick<StateContext, 'keyring'>,
  { account, list, subject }: Pick<ListedValue, 'account' | 'list' | 'subject'>,
): string {
  const name = JSON.stringify([account, list, subject])
  return entryStream(list, keyring.digest('phone list', name))
}
