/** Declares the record of evidence: names by source in clear, values sealed. */

import { asSchemaOf, type TypeOf } from '../../domain/jsonSchema.ts'
import type { Mutable } from '../../domain/mutable.ts'
import { formatExtName, parseExtKey } from '../../engine/language/readableNames.ts'
import {
  type Evidence,
  type EvidenceItem,
  type EvidenceSource,
  notCountedReasons,
  type Unanswered,
  unansweredReasons,
} from '../../engine/run/evidence.ts'
import {
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
  scalar,
  text,
  tuple,
} from '../recording/eventSchema.ts'

/** A signal or field that was sent and did not count: name, value, source, reason. A field's name may be empty. */
const recordedNotCounted = tuple(
  text,
  asSchemaOf<string | boolean>({ type: ['string', 'boolean'] }),
  oneOf(['request', 'dispatch']),
  oneOf(notCountedReasons),
)
export type RecordedNotCounted = TypeOf<typeof recordedNotCounted>

/**
 * Up to which position of the log a list was read for its answer, by the name under which the answer is evidence; or
 * how many texts a sum has left out.
 */
const recordedRevision = tuple(nonEmptyString, integerFrom(0))

/** A key of `signals.ext` whose name is sealed with its value: it is long, may name a person, or is one too many. */
const unnamedKey = tuple(text, scalar)

/** The values of an evaluation's evidence. The target has fields of its own, and the clock is `readClock`. */
export const recordedEvidence = object(
  {
    // in the order of the names, group by group
    values: list(scalar),
  },
  {
    unnamed_ext: list(unnamedKey),
    // apart from the evidence, which rules never saw it in
    not_counted: list(recordedNotCounted),
    dispatch_id: nonEmptyString,
    // what the caller knows the evaluation by
    correlation_id: nonEmptyString,
    // absent where no list was read
    lists: list(recordedRevision),
    // of sums, where texts were left out
    left_out: list(recordedRevision),
  },
)
export type RecordedEvidence = TypeOf<typeof recordedEvidence>

/** A call without an answer, and why. */
const unansweredCall = tuple(nonEmptyString, oneOf(unansweredReasons))

const names = list(nonEmptyString)
/** The names of what arrived, by group: of signals without `signal.`, of `ext` the keys. */
export const recordedNames = object(
  {},
  {
    dispatch: names,
    request: names,
    user_agent: names,
    // what the user agent said that managed rules alone read, of which the account is not told
    for_managed: names,
    ext: list(text),
    // number of the keys whose names are sealed
    ext_unnamed: integerFrom(1),
    list: names,
    // answers of calls that need no store, by their canonical text
    call: names,
    // those that managed rules alone asked for, of which the account is not told
    calls_for_managed: names,
    // counters by their canonical text; managed rules have none
    counter: names,
    // calls that were asked and have no answer, also of managed rules: no account is told
    unanswered: list(unansweredCall),
  },
)
export type RecordedNames = TypeOf<typeof recordedNames>

/** The groups with the source of each, in the order of the values: a new group comes last, records depend on it. */
const sourceByGroup = {
  dispatch: 'dispatch',
  request: 'request',
  user_agent: 'user_agent',
  for_managed: 'user_agent',
  ext: 'request',
  list: 'list',
  call: 'call',
  calls_for_managed: 'call',
  counter: 'counter',
} as const satisfies Partial<Record<keyof RecordedNames, EvidenceSource>>
type Group = keyof typeof sourceByGroup
const groups = Object.keys(sourceByGroup) as readonly Group[]
/** What only managed rules have found out. */
const hiddenGroups: ReadonlySet<Group> = new Set(['for_managed', 'calls_for_managed'])
/** Groups whose names are as rules have them. */
const plainGroups: ReadonlySet<Group> = new Set(['list', 'call', 'calls_for_managed', 'counter'])

/** Recorded elsewhere: the target under keys of its own, the clock with the event. */
const recordedApart: ReadonlySet<string> = new Set([
  'target.phone_number',
  'target.email_address',
  'request.time',
  'flow.id',
])

/**
 * Keys whose names stand in the log in clear: so many, of so many characters, without an address or a number that may
 * be a person's.
 */
const keysMax = 64
const keyChars = 64
const personalKey = /@|\d(?:[ ().-]?\d){6}/

const signalPrefix = 'signal.'

type Scalar = EvidenceItem['value']
interface NamedValue {
  readonly group: Group
  readonly name: string
  readonly value: Scalar
}
/** What has no value among those of the groups. */
interface WithoutValue {
  /** Number of the keys of `ext` whose names are sealed. */
  readonly unnamed: number
  readonly unanswered: Unanswered
}
interface Gathered extends Pick<RecordedEvidence, 'values' | 'unnamed_ext' | 'lists' | 'left_out'> {
  readonly arrived: RecordedNames
}

/**
 * What arrived, its names apart from its values, and the calls without an answer; `shownNames` are those that the
 * account's own rules read.
 */
export function encodeEvidence(
  evidence: Evidence,
  shownNames: Pick<ReadonlySet<string>, 'has'>,
  unanswered: Unanswered = new Map(),
): Gathered {
  const named: NamedValue[] = []
  const unnamed: TypeOf<typeof unnamedKey>[] = []
  let keys = 0
  for (const [name, { value, source }] of evidence) {
    if (recordedApart.has(name)) continue
    const key = parseExtKey(name)
    if (key === undefined) {
      named.push({ group: findGroup(name, source, shownNames), name: shortenName(name), value })
    } else if (isClearKey(key, keys)) {
      named.push({ group: 'ext', name: key, value })
      keys += 1
    } else {
      unnamed.push([key, value])
    }
  }
  const gathered = joinGroups(named, { unnamed: unnamed.length, unanswered })
  if (unnamed.length > 0) gathered.unnamed_ext = unnamed
  return Object.assign(gathered, encodeFacts(evidence))
}

/** What answers come with beside their values. */
function encodeFacts(evidence: Evidence): Pick<Gathered, 'lists' | 'left_out'> {
  const lists: TypeOf<typeof recordedRevision>[] = []
  const leftOut: TypeOf<typeof recordedRevision>[] = []
  for (const [name, { revision, left_out }] of evidence) {
    if (revision !== undefined) lists.push([name, revision])
    if (left_out !== undefined) leftOut.push([name, left_out])
  }
  return {
    ...(lists.length > 0 && { lists }),
    ...(leftOut.length > 0 && { left_out: leftOut }),
  }
}

/** Whether the name of the key may stand in clear behind so many others. */
export function isClearKey(key: string, before: number): boolean {
  return before < keysMax && key.length <= keyChars && !personalKey.test(key)
}

function findGroup(
  name: string,
  source: EvidenceSource,
  shownNames: Pick<ReadonlySet<string>, 'has'>,
): Group {
  if (source === 'user_agent' && !shownNames.has(name)) return 'for_managed'
  if (source === 'call' && !shownNames.has(name)) return 'calls_for_managed'
  if (source in sourceByGroup) return source as Group
  throw new Error(`the record has no place for evidence of the source ${source}`)
}

function joinGroups(
  named: readonly NamedValue[],
  { unnamed, unanswered }: WithoutValue,
): Mutable<Gathered> {
  const arrived: Mutable<RecordedNames> = {}
  const values: Scalar[] = []
  for (const group of groups) {
    const own = named.filter((one) => one.group === group)
    if (own.length > 0) arrived[group] = own.map(({ name }) => name)
    for (const { value } of own) values.push(value)
  }
  if (unnamed > 0) arrived.ext_unnamed = unnamed
  if (unanswered.size > 0) arrived.unanswered = [...unanswered]
  return { arrived, values }
}

interface ArrivedName {
  readonly name: string
  readonly source: EvidenceSource
  /** Whether the account is told. */
  readonly isShown: boolean
}

/** Every name that arrived beside target and clock, and is not sealed with its value, in the order of the values. */
export function listArrivedNames(arrived: RecordedNames): readonly ArrivedName[] {
  return groups.flatMap((group) =>
    (arrived[group] ?? []).map((name) => ({
      name: formatName(name, group),
      source: sourceByGroup[group],
      isShown: !hiddenGroups.has(group),
    })),
  )
}

function shortenName(name: string): string {
  return name.startsWith(signalPrefix) ? name.slice(signalPrefix.length) : name
}

function formatName(name: string, group: Group): string {
  if (group === 'ext') return formatExtName(name)
  return plainGroups.has(group) ? name : `${signalPrefix}${name}`
}

/**
 * The evidence by name, without target and clock: all of it, or what its account may see. Throws when there are more or
 * fewer values than names.
 */
export function decodeEvidence(
  arrived: RecordedNames,
  { values, unnamed_ext = [], lists = [], left_out = [] }: RecordedEvidence,
  of: 'all' | 'account' = 'all',
): ReadonlyMap<string, EvidenceItem> {
  const found = new Map<string, EvidenceItem>()
  let at = 0
  for (const group of groups) {
    const isLeftOut = of === 'account' && hiddenGroups.has(group)
    for (const name of arrived[group] ?? []) {
      const item = { value: values[at] as Scalar, source: sourceByGroup[group] }
      if (!isLeftOut) found.set(formatName(name, group), item)
      at += 1
    }
  }
  if (at !== values.length) throw new Error('the evidence has not the values of its names')
  const add = (name: string, fact: Partial<EvidenceItem>): void => {
    const item = found.get(name)
    if (item) found.set(name, { ...item, ...fact })
  }
  for (const [name, revision] of lists) add(name, { revision })
  for (const [name, ofSum] of left_out) add(name, { left_out: ofSum })
  for (const [key, value] of unnamed_ext) {
    found.set(formatExtName(key), { value, source: 'request' })
  }
  return found
}
