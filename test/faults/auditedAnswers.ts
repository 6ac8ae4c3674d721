/** Compares what auditors were answered with the log, each answer computed in the plainest way. */

import type { VigilEvent } from '../../src/events/catalogue.ts'
import type { DecodedEvent } from '../../src/events/recording/event.ts'
import type {
  AskedState,
  AuditAnswers,
  Backwards,
  Certified,
  Followed,
  Person,
} from './auditWork.ts'

export type LogEntry = DecodedEvent<VigilEvent>

/** A sentence for each answer that is not what the log gives. */
export function findBrokenAnswers(work: AuditAnswers, log: readonly LogEntry[]): readonly string[] {
  const digestOf = findDigests(work, log)
  return [
    ...work.followed.flatMap((one) => findBrokenFollower(one, log, digestOf)),
    ...work.backwards.flatMap((one) => findBrokenBackwards(one, log)),
    ...work.certified.flatMap((one) => findBrokenCertificate(one, log, digestOf)),
    ...work.states.flatMap((one) => findBrokenState(one, log)),
  ]
}

type DigestLookup = (person: Person) => string | undefined

/**
 * The digest of a person: the one that all of their evaluations have; of a number and an address that come together
 * that of the number, which is on lists, too.
 */
function findDigests({ evaluated }: AuditAnswers, log: readonly LogEntry[]): DigestLookup {
  const common = new Map<string, readonly string[]>()
  const uses = new Map<string, number>()
  for (const { event, metadata } of log) {
    const digests = [...new Set((metadata.subjects ?? []).map(({ digest }) => digest))]
    for (const digest of digests) uses.set(digest, (uses.get(digest) ?? 0) + 1)
    const persons =
      event.type === 'FlowEvaluated' ? (evaluated.get(event.data.evaluation_id) ?? []) : []
    for (const { value } of persons) {
      const known = common.get(value) ?? digests
      common.set(
        value,
        known.filter((digest) => digests.includes(digest)),
      )
    }
  }
  return ({ value }) =>
    common.get(value)?.toSorted((one, other) => (uses.get(other) ?? 0) - (uses.get(one) ?? 0))[0]
}

function hasSubject({ metadata }: LogEntry, digest: string | undefined): boolean {
  return digest !== undefined && (metadata.subjects ?? []).some((one) => one.digest === digest)
}

function findBrokenFollower(
  { name, wanted, positions }: Followed,
  log: readonly LogEntry[],
  digestOf: DigestLookup,
): readonly string[] {
  const digest = wanted.person && digestOf(wanted.person)
  if (wanted.person && digest === undefined) return [`nobody knows the digest of ${name}`]
  const expected = log
    .filter((entry) => wanted.type === undefined || entry.event.type === wanted.type)
    .filter((entry) => !wanted.person || hasSubject(entry, digest))
    .map(({ position }) => position)
  return compare(`the follower of ${name}`, positions, expected)
}

function findBrokenBackwards(
  { end, positions }: Backwards,
  log: readonly LogEntry[],
): readonly string[] {
  const expected = log.map(({ position }) => position).filter((position) => position <= end)
  return compare(`the pages backwards from ${end}`, positions, expected)
}

function compare(
  what: string,
  found: readonly number[],
  expected: readonly number[],
): readonly string[] {
  const has = new Set(found)
  const missing = expected.filter((position) => !has.has(position))
  const known = new Set(expected)
  const foreign = found.filter((position) => !known.has(position))
  const twice = found.length - has.size
  const isOrdered = found.every((position, at) => at === 0 || position > (found[at - 1] ?? 0))
  if (missing.length + foreign.length + twice === 0 && isOrdered) return []
  return [
    `${what} has ${found.length} for ${expected.length}: ${missing.length} missing (${missing.slice(0, 5)}), ${foreign.length} not in the log (${foreign.slice(0, 5)}), ${twice} twice, ${isOrdered ? 'in order' : 'out of order'}`,
  ]
}

/** Between what was answered before the request and what was recorded before the certificate lies what it may count. */
function findBrokenCertificate(
  { person, certificate }: Certified,
  log: readonly LogEntry[],
  digestOf: DigestLookup,
): readonly string[] {
  const digest = digestOf(person)
  const { id, evaluations, position, requested_at } = certificate as {
    id: string
    evaluations: number
    position: string
    requested_at: string
  }
  if (digest === undefined || id === undefined) return []
  const own = log.filter(
    (entry) => entry.event.type === 'FlowEvaluated' && hasSubject(entry, digest),
  )
  const least = own.filter(
    ({ metadata }) => metadata.time < Date.parse(requested_at) - 1_000,
  ).length
  const most = own.filter((entry) => entry.position < Number(position)).length
  if (evaluations >= least && evaluations <= most) return []
  return [`${id} counts ${evaluations} evaluations, the log has ${least} to ${most}`]
}

const stateFolds: Readonly<Record<string, (ids: Set<string>, event: VigilEvent) => void>> = {
  application: (ids, { type, data }) => {
    if (type === 'AppRegistered') ids.add(data.app_id)
  },
  rule: (ids, { type, data }) => {
    if (type === 'RulePublished') ids.add(data.rule_id)
    if (type === 'RuleRetired') ids.delete(data.rule_id)
  },
  list: (ids, { type, data }) => {
    if (type === 'ListCreated') ids.add(data.list_id)
  },
}

function findBrokenState(
  { kind, asOf, ids }: AskedState,
  log: readonly LogEntry[],
): readonly string[] {
  const expected = kind === 'entry' ? foldEntries(log, asOf) : foldState(kind, log, asOf)
  const found = new Set(ids)
  const missing = [...expected].filter((id) => !found.has(id))
  const foreign = [...found].filter((id) => !expected.has(id))
  if (missing.length + foreign.length === 0 && found.size === ids.length) return []
  return [
    `the state of ${kind} at ${asOf} has ${ids.length} for ${expected.size}: missing ${missing.slice(0, 3)}, not there by the log ${foreign.slice(0, 3)}`,
  ]
}

function foldState(kind: string, log: readonly LogEntry[], asOf: number): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { event, position } of log) if (position <= asOf) stateFolds[kind]?.(ids, event)
  return ids
}

/** Streams of entries that are listed and not erased. */
function foldEntries(log: readonly LogEntry[], asOf: number): ReadonlySet<string> {
  const keysByEntry = new Map<string, readonly string[]>()
  for (const entry of log.filter(({ position }) => position <= asOf)) foldEntry(keysByEntry, entry)
  return new Set(keysByEntry.keys())
}

function foldEntry(
  keysByEntry: Map<string, readonly string[]>,
  { event, metadata, stream }: LogEntry,
): void {
  if (event.type === 'PhoneNumberListed' || event.type === 'ListEntryAdded') {
    const subjects = metadata.subjects ?? []
    keysByEntry.set(
      stream,
      subjects.map(({ key }) => key),
    )
  }
  if (event.type === 'PhoneNumberUnlisted' || event.type === 'ListEntryRemoved') {
    keysByEntry.delete(stream)
  }
  if (event.type !== 'SubjectErased') return
  const gone = new Set(event.data.keys)
  for (const [entry, keys] of keysByEntry) {
    if (keys.some((key) => gone.has(key))) keysByEntry.delete(entry)
  }
}
