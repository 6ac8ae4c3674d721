/** Whether a value stands on a list: from memory where it is on none, from the log where it may be. */

import { streamOf } from '../../commands/lists/entryKey.ts'
import { standingEntry } from '../../commands/lists/standingEntry.ts'
import { canonicalEmail, emailDomain } from '../../domain/email.ts'
import { askedAddress, type IpNetwork, longestPrefix } from '../../domain/ipNetwork.ts'
import { type ListAddress, subjectKinds } from '../../domain/lists.ts'
import { canonicalValue } from '../../domain/listValue.ts'
import type { ListAnswer } from '../../engine/run/listAnswer.ts'
import type { NetworkSize } from '../../events/lists/listEntry.ts'
import { isCurrent } from '../opening/followConfiguration.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

interface Asked {
  readonly account: string
  readonly address: ListAddress
  readonly value: string
}

/** Entries looked for in the log at a time. */
const atOnce = 16

/** Where a value may stand on a list. */
export interface PossibleEntries {
  readonly account: string
  readonly list: string
  /** Of the values that would have it stand there. */
  readonly subjects: readonly string[]
  /** How far the log was followed when all others were known not to be there. */
  readonly position: number
}

/**
 * Where a value may stand, as far as memory tells; undefined for a value that is none of its kind, nor can be made one: a list of domains
 * is asked for addresses too, one of networks for the addresses in them.
 */
export function possibleEntries(
  context: ServiceContext,
  asked: Asked,
): PossibleEntries | undefined {
  const { account, address } = asked
  const of = { account, list: address.list }
  const known = currentLists(context)
  const values = valuesOf(asked, () => known?.held(of)?.networks() ?? known?.networks(of))
  const kind = subjectKinds[address.kind]
  const subjects = values?.map((value) => context.keyring.subject(account, kind, value))
  return subjects && entriesOf(context, of, subjects)
}

/** Where these subjects may stand on a list, as far as memory tells. */
export function entriesOf(
  context: ServiceContext,
  { account, list }: Pick<PossibleEntries, 'account' | 'list'>,
  subjects: readonly string[],
): PossibleEntries {
  const held = currentLists(context)?.held({ account, list })
  const possible = held ? subjects.filter((subject) => held.has(subject)) : subjects
  return { account, list, subjects: possible, position: context.followed.position }
}

/** The lists in memory; undefined while they may lack what is on record. */
function currentLists({ followed, clock, heldLists }: ServiceContext) {
  return isCurrent(followed, clock) ? heldLists : undefined
}

/** What the log says of them, at a time; without it where there are none. Throws `unavailable` when it cannot be read. */
export function answerAmong(
  context: ServiceContext,
  possible: PossibleEntries,
  timeMs: number,
): Required<ListAnswer> | Promise<Required<ListAnswer>> {
  const { subjects, position: revision } = possible
  return subjects.length === 0 ? { listed: false, revision } : inLog(context, possible, timeMs)
}

async function inLog(
  context: ServiceContext,
  { subjects, ...of }: PossibleEntries,
  timeMs: number,
): Promise<Required<ListAnswer>> {
  let revision = Number.POSITIVE_INFINITY
  for (let first = 0; first < subjects.length; first += atOnce) {
    const some = subjects.slice(first, first + atOnce)
    const streams = some.map((subject) => streamOf(context, { ...of, subject }))
    const found = await Promise.all(streams.map((stream) => inStream(context, stream, timeMs)))
    revision = Math.min(revision, ...found.map((one) => one.revision))
    if (found.some(({ listed }) => listed)) return { listed: true, revision }
  }
  return { listed: false, revision }
}

async function inStream(
  context: ServiceContext,
  stream: string,
  timeMs: number,
): Promise<Required<ListAnswer>> {
  const folded = await context.listEntries.catchUp(stream)
  const revision = Math.max(folded.known, folded.position)
  const entry = await standingEntry(context, { stream, state: folded.state, timeMs })
  return { listed: entry !== undefined, revision }
}

/** The sizes of the networks that stand on a list; undefined where they are not known. */
type Sizes = () => readonly NetworkSize[] | undefined

/** The entries that would have the value stand on the list. */
function valuesOf(asked: Asked, sizes: Sizes): readonly string[] | undefined {
  const { address, value } = asked
  if (address.kind === 'ip_range') return networksOf(value, sizes)
  const one = canonicalValue(address.kind, value) ?? domainOf(asked)
  return one === undefined ? undefined : [one]
}

function domainOf({ address, value }: Asked): string | undefined {
  const email = address.kind === 'email_domain' ? canonicalEmail(value) : undefined
  return email === undefined ? undefined : emailDomain(email)
}

/** Those that hold the address, of the sizes that stand on the list; of every size where that is not known. */
function networksOf(value: string, sizes: Sizes): readonly string[] | undefined {
  const asked = askedAddress(value)
  if (!asked) return undefined
  const { version } = asked
  return (sizes() ?? everySize(version))
    .filter((size) => size.version === version)
    .map(({ prefix }) => asked.network(prefix).text)
}

function everySize(version: IpNetwork['version']): readonly NetworkSize[] {
  return Array.from({ length: longestPrefix(version) }, (_, index) => ({
    version,
    prefix: index + 1,
  }))
}
