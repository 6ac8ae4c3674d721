/** Whether a value stands on a list: from memory where it is on none, from the log where it may be. */

import type { ListPlace } from '../../commands/lists/heldLists.ts'
import { standingEntry } from '../../commands/lists/standingEntry.ts'
import { canonicalEmail, emailDomain } from '../../domain/email.ts'
import { askedAddress, type IpNetwork, longestPrefix } from '../../domain/ipNetwork.ts'
import type { ListAddress } from '../../domain/lists.ts'
import { canonicalValue } from '../../domain/listValue.ts'
import type { ListAnswer } from '../../engine/run/listAnswer.ts'
import type { NetworkSize } from '../../events/lists/listEntry.ts'
import { isCurrent } from '../opening/followConfiguration.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { type EntryPlace, entryPlace } from './entryPlace.ts'

interface Asked {
  readonly account: string
  readonly address: ListAddress
  readonly value: string
  /** Of the evaluation, by which entries expire; in milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/** Entries looked for in the log at a time. */
const atOnce = 16

/**
 * What the list answers; undefined for a value that is none of its kind, nor can be made one: a list of domains is asked for addresses
 * too, one of networks for the addresses in them. Throws `unavailable` when the log cannot be read.
 */
export async function listAnswer(
  context: ServiceContext,
  asked: Asked,
): Promise<ListAnswer | undefined> {
  const possible = possibleEntries(context, asked)
  return possible && answerAmong(context, possible, asked.timeMs)
}

/** Where a value may stand on a list. */
export interface PossibleEntries {
  readonly places: readonly EntryPlace[]
  /** How far the log was followed when all others were known not to be there. */
  readonly position: number
}

/** The same, as far as memory tells. */
export function possibleEntries(
  context: ServiceContext,
  asked: Omit<Asked, 'timeMs'>,
): PossibleEntries | undefined {
  const values = valuesOf(context, asked)
  if (!values) return undefined
  const { account, address } = asked
  const { position } = context.followed
  const places = values
    .map((value) => entryPlace(context, { account, address, value }))
    .filter((place) => mayHave(context, place))
  return { places, position }
}

/** What the log says of them, at a time. Throws `unavailable` when it cannot be read. */
export async function answerAmong(
  context: ServiceContext,
  { places: possible, position }: PossibleEntries,
  timeMs: number,
): Promise<Required<ListAnswer>> {
  let revision = possible.length === 0 ? position : Number.POSITIVE_INFINITY
  for (let first = 0; first < possible.length; first += atOnce) {
    const some = possible.slice(first, first + atOnce)
    const found = await Promise.all(some.map((place) => inLog(context, place, timeMs)))
    revision = Math.min(revision, ...found.map((one) => one.revision))
    if (found.some(({ listed }) => listed)) return { listed: true, revision }
  }
  return { listed: false, revision }
}

/** Whether it must be looked for: not where it is known to be on no list. */
function mayHave({ followed, clock, heldLists }: ServiceContext, place: ListPlace): boolean {
  return !isCurrent(followed, clock) || heldLists.mayHave(place) !== false
}

async function inLog(
  context: ServiceContext,
  { stream }: EntryPlace,
  timeMs: number,
): Promise<Required<ListAnswer>> {
  const folded = await context.listEntries.catchUp(stream)
  const revision = Math.max(folded.known, folded.position)
  const entry = await standingEntry(context, { stream, state: folded.state, timeMs })
  return { listed: entry !== undefined, revision }
}

/** The entries that would have the value stand on the list. */
function valuesOf(
  context: ServiceContext,
  asked: Omit<Asked, 'timeMs'>,
): readonly string[] | undefined {
  const { address, value } = asked
  if (address.kind === 'ip_range') return networksOf(context, asked)
  const one = canonicalValue(address.kind, value) ?? domainOf(asked)
  return one === undefined ? undefined : [one]
}

function domainOf({ address, value }: Omit<Asked, 'timeMs'>): string | undefined {
  const email = address.kind === 'email_domain' ? canonicalEmail(value) : undefined
  return email === undefined ? undefined : emailDomain(email)
}

/** Those that hold the address, of the sizes that stand on the list; of every size where that is not known. */
function networksOf(
  { followed, clock, heldLists }: ServiceContext,
  { account, address: { list }, value }: Omit<Asked, 'timeMs'>,
): readonly string[] | undefined {
  const asked = askedAddress(value)
  if (!asked) return undefined
  const { version } = asked
  const held = isCurrent(followed, clock) ? heldLists.networks({ account, list }) : undefined
  const sizes = held ?? everySize(version)
  return sizes
    .filter((size) => size.version === version)
    .map(({ prefix }) => asked.network(prefix).text)
}

function everySize(version: IpNetwork['version']): readonly NetworkSize[] {
  return Array.from({ length: longestPrefix(version) }, (_, index) => ({
    version,
    prefix: index + 1,
  }))
}
