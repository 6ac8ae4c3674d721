/** Declares events of evaluations and plans; encodes and decodes evidence, indexed by name. */

import { asSchemaOf, type TypeOf } from '../../domain/jsonSchema.ts'
import { readAskedCall } from '../../engine/language/askedCalls.ts'
import { type Expression, visitNodes } from '../../engine/language/expression.ts'
import {
  type Evidence,
  type EvidenceItem,
  type EvidenceSource,
  evidenceSources,
  notCountedReasons,
  type UnansweredReason,
} from '../../engine/run/evidence.ts'
import { missingReasons } from '../../engine/run/missingNames.ts'
import {
  type ClearData,
  type DataSubject,
  defineNonPersonalEvent,
  type EventOf,
} from '../recording/eventDefinition.ts'
import {
  epochMs,
  integer,
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
  scalar,
  text,
  tuple,
} from '../recording/eventSchema.ts'
import { expressionRef } from '../recording/expressionSchema.ts'

/** The stream of an evaluation. */
export function evaluationStream(id: string): string {
  return `evaluation-${id}`
}

/** What `RecordedEvidence.sources` looks like: a name that is absent, or so many behind one another, and letters. */
const sourcesPattern = '^(?:[CDLRSUXY]|-[0-9]{0,7})*$'

const verdict = oneOf(['PASS', 'FLAG'])
const place = {
  rule_id: nonEmptyString,
  type: oneOf(['MANAGED', 'CUSTOM']),
  name: nonEmptyString,
  version_id: nonEmptyString,
  weight: integer,
}
/** A rule of a plan with the digest of its expression, where it has one. */
const pinnedRule = object(place, { preempts: verdict, expression: nonEmptyString })
const recipe = {
  recipe_id: nonEmptyString,
  version_id: nonEmptyString,
  status: oneOf(['LIVE', 'SHADOW']),
  threshold: integer,
}
/** A chunk of a recipe's rules: the digest of the event that contains them, and their number. */
const pinnedPart = tuple(nonEmptyString, integerFrom(1))
/** A recipe of a plan with the chunks that contain its rules, in order. */
const pinnedRecipe = object({ ...recipe, parts: list(pinnedPart) })
const flow = { flow_id: nonEmptyString, flow_version_id: nonEmptyString, semantics: integer }
/** A plan whose rules and expressions are in events of their own. */
const pinnedPlan = object({ ...flow, recipes: list(pinnedRecipe) })

export type PinnedRule = TypeOf<typeof pinnedRule>
export type PinnedRuleChunk = TypeOf<typeof pinnedPart>
export type PinnedRecipe = TypeOf<typeof pinnedRecipe>
export type PinnedPlan = TypeOf<typeof pinnedPlan>

const recordedRecipe = object(
  {
    recipe_id: nonEmptyString,
    score: integer,
    verdict,
    outcomes: asSchemaOf<string>({ type: 'string', pattern: '^[TNMUS]*$' }),
  },
  {
    determined_by: nonEmptyString,
    skipped: asSchemaOf<string>({ type: 'string', pattern: '^[TNMU]+$' }),
    blocked_by: list(list(integer)),
  },
)
/** A name for which rules were not evaluated, and why. */
const recordedName = tuple(nonEmptyString, oneOf(missingReasons))
/** Something of the evidence of one evaluation: name, value, source. */
const recordedItem = tuple(nonEmptyString, scalar, oneOf(evidenceSources))
type RecordedItem = TypeOf<typeof recordedItem>

/** A signal or field that was sent and did not count: name, value, source, reason. A field's name may be empty. */
const recordedNotCounted = tuple(
  text,
  asSchemaOf<string | boolean>({ type: ['string', 'boolean'] }),
  oneOf(['request', 'dispatch']),
  oneOf(notCountedReasons),
)
export type RecordedNotCounted = TypeOf<typeof recordedNotCounted>

/** Up to which position of the log a list was read for its answer, by the name under which the answer is evidence. */
const recordedRevision = tuple(nonEmptyString, integerFrom(0))
type RecordedRevision = TypeOf<typeof recordedRevision>

/**
 * The evidence of an evaluation. Values are in the order in which the plan's rules name them, see `indexEvidenceNames`; the target has fields of its
 * own, and the clock is the evaluation's time.
 */
const evidence = object(
  {
    // for each name that the plan's rules read where its value comes from: `D`ispatch, `R`equest, `U`ser agent,
    // `L`ist, `C`all, `S`ervice; `X` of a call that cannot read what it was asked for, `Y` of one that knows no
    // answer; `-` where it did not arrive or is recorded elsewhere, `-12` for twelve of these behind one another
    sources: asSchemaOf<string>({ type: 'string', pattern: sourcesPattern }),
    // of those that arrived, in the same order
    values: list(scalar),
    // what arrived beside it
    items: list(recordedItem),
    // apart from the evidence, which rules never saw it in
    not_counted: list(recordedNotCounted),
  },
  {
    dispatch_id: nonEmptyString,
    // what the caller knows a prediction by
    correlation_id: nonEmptyString,
    // absent where no list was read
    lists: list(recordedRevision),
  },
)
export type RecordedEvidence = TypeOf<typeof evidence>

const flowEvaluated = object(
  {
    evaluation_id: nonEmptyString,
    flow_id: nonEmptyString,
    flow_version_id: nonEmptyString,
    // digest of the plan that ran: the pins of every recipe and rule
    plan: nonEmptyString,
    semantics: integer,
    // whether a dispatch was named and known, and not too old by then
    dispatch: oneOf(['none', 'found', 'expired', 'unknown']),
    // the clock the rules saw: milliseconds since the Unix epoch
    time: epochMs,
    verdict,
    // live and shadow recipes, in the plan's order: see `RecordedRun`, as for `missing` and `missing_managed`
    recipes: list(recordedRecipe),
    // SHA-256 of the answered body, hexadecimal
    result_hash: nonEmptyString,
    // position up to which the instance had followed the log before it gathered the evidence: of what came later it may not have known
    as_of: integerFrom(0),
  },
  {
    missing: list(recordedName),
    missing_managed: list(recordedName),
    // keyed digest of the request, where the caller gave an `Idempotency-Key`
    request_digest: nonEmptyString,
    // keyed digest of the id of the dispatch that was named: with the person its signals are erased, too
    dispatch_subject: nonEmptyString,
    // keyed digests of the address and the device's id, by which the evaluation is found: of those that counted, else of those sent
    ip: nonEmptyString,
    device: nonEmptyString,
    // keyed digest of `evidence.correlation_id`
    correlation: nonEmptyString,
  },
)

export const evaluationEvents = {
  /** An expression that some plan of the account runs; the digest is of both. One of a managed rule says so: the account does not see it. */
  ExpressionRecorded: defineNonPersonalEvent(
    { digest: nonEmptyString, expression: expressionRef },
    { managed: asSchemaOf<true>({ type: 'boolean', const: true }) },
  ),
  /** A part of the rules of a recipe in some plan of the account, in order. */
  PlanRulesRecorded: defineNonPersonalEvent({ digest: nonEmptyString, rules: list(pinnedRule) }),
  /** What a flow runs; the events that it names by their digests are in the log before it. */
  FlowPlanRecorded: defineNonPersonalEvent({ digest: nonEmptyString, plan: pinnedPlan }),
  FlowEvaluated: {
    schema: flowEvaluated,
    personal: {
      /** The target: each under its own subject; a number that came with an address, and the evidence with it, are erased with either. */
      phone_number: {
        subject: phoneSubject,
        also: alsoEmail,
        schema: nonEmptyString,
        optional: true,
      },
      email_address: { subject: emailSubject, schema: nonEmptyString, optional: true },
      /** Everything else that arrived, the dispatch's id included, under the subject of the number, else of the address. */
      evidence: { subject: targetSubject, schema: evidence },
    },
  },
} as const

export type EvaluationEvent = EventOf<typeof evaluationEvents>
/** The data of the events of one type. */
export type EvaluationData<Type extends EvaluationEvent['type']> = Extract<
  EvaluationEvent,
  { type: Type }
>['data']
export type FlowEvaluated = EvaluationData<'FlowEvaluated'>

/** An evaluation with its personal fields in clear. */
export type EvaluationToRecord = ClearData<FlowEvaluated>

interface Evaluated {
  readonly phone_number?: string
  readonly email_address?: string
}

function phoneSubject({ phone_number }: Evaluated): DataSubject {
  return { kind: 'phone', value: requireSubjectValue(phone_number) }
}

function emailSubject({ email_address }: Evaluated): DataSubject {
  return { kind: 'email', value: requireSubjectValue(email_address) }
}

function alsoEmail(data: Evaluated): readonly DataSubject[] {
  return data.email_address === undefined ? [] : [emailSubject(data)]
}

function targetSubject(data: Evaluated): DataSubject {
  return data.phone_number === undefined ? emailSubject(data) : phoneSubject(data)
}

function requireSubjectValue(value: string | undefined): string {
  if (value === undefined) throw new Error('an evaluation without a target has no subject')
  return value
}

/** Names whose values stand elsewhere in the record: the target under keys of its own, the clock as the evaluation's time. */
const recordedApart: ReadonlySet<string> = new Set([
  'target.phone_number',
  'target.email_address',
  'request.time',
])

/** The letters of `RecordedEvidence.sources`. */
const letters: Readonly<Record<EvidenceSource, string>> = {
  dispatch: 'D',
  request: 'R',
  user_agent: 'U',
  list: 'L',
  call: 'C',
  service: 'S',
}
const unansweredLetters: Readonly<Record<UnansweredReason, string>> = {
  not_readable: 'X',
  not_known: 'Y',
}
const absent = '-'
const sourceOf = new Map(
  (Object.keys(letters) as EvidenceSource[]).map((source) => [letters[source], source]),
)

const step = /([A-Z])|-(\d*)/g

type Arrived = Pick<RecordedEvidence, 'sources' | 'values' | 'items' | 'lists'>

/**
 * What arrived, in the order of the names that the plan reads; what it does not read behind it, by name. Takes what arrived takes, and not
 * what the plan might read.
 */
export function encodeEvidence(
  evidence: Evidence,
  names: EvidenceNameIndex,
  unanswered: ReadonlyMap<string, UnansweredReason> = new Map(),
): Arrived {
  const coded: CodedName[] = []
  const items: RecordedItem[] = []
  const lists: RecordedRevision[] = []
  for (const [name, item] of evidence) {
    if (item.revision !== undefined) lists.push([name, item.revision])
    if (recordedApart.has(name)) continue
    const at = names.get(name)
    if (at === undefined) items.push([name, item.value, item.source])
    else coded.push({ at, letter: letters[item.source], value: item.value })
  }
  for (const [name, reason] of unanswered) {
    const at = names.get(name)
    if (at !== undefined) coded.push({ at, letter: unansweredLetters[reason] })
  }
  coded.sort((one, other) => one.at - other.at)
  const sources = formatSources(coded, names.size)
  const values = coded.flatMap(({ value }) => value ?? [])
  return lists.length > 0 ? { sources, values, items, lists } : { sources, values, items }
}

/** A name of the plan that has a letter, and a value unless the letter says why not. */
interface CodedName {
  readonly at: number
  readonly letter: string
  readonly value?: EvidenceItem['value']
}

function formatSources(coded: readonly CodedName[], names: number): string {
  let sources = ''
  let next = 0
  for (const { at, letter } of coded) {
    sources += formatAbsences(at - next) + letter
    next = at + 1
  }
  return sources + formatAbsences(names - next)
}

function isUnanswered(letter: string): boolean {
  return Object.values(unansweredLetters).includes(letter)
}

/** So many names behind one another that are absent. */
function formatAbsences(count: number): string {
  if (count === 0) return ''
  return count === 1 ? absent : `${absent}${count}`
}

/** The evidence by name, without target and clock. Throws when the record is not of a plan that reads these names. */
export function decodeEvidence(
  { sources, values, items, lists = [] }: RecordedEvidence,
  names: EvidenceNameIndex,
): ReadonlyMap<string, EvidenceItem> {
  const revisions = new Map(lists)
  const found = new Map<string, EvidenceItem>()
  const add = (name: string, value: RecordedItem[1], source: EvidenceSource): void => {
    const revision = revisions.get(name)
    found.set(name, { value, source, ...(revision !== undefined && { revision }) })
  }
  decodeInOrder({ sources, values }, names, add)
  for (const [name, value, source] of items) add(name, value, source)
  return found
}

function decodeInOrder(
  { sources, values }: Pick<RecordedEvidence, 'sources' | 'values'>,
  names: EvidenceNameIndex,
  add: (name: string, value: RecordedItem[1], source: EvidenceSource) => void,
): void {
  const all = [...names.keys()]
  let at = 0
  let next = 0
  for (const [, letter, count] of sources.matchAll(step)) {
    if (letter === undefined || isUnanswered(letter)) {
      at += Number(count || 1)
      continue
    }
    const [name, value, source] = [all[at], values[next], sourceOf.get(letter)]
    at += 1
    next += 1
    if (name === undefined || value === undefined || !source) throw newWrongPlanError()
    add(name, value, source)
  }
  if (at !== all.length || next !== values.length) throw newWrongPlanError()
}

function newWrongPlanError(): Error {
  return new Error('the evidence on record is not of this plan')
}

/** The names that a plan's rules read, each with its index in their order. */
export type EvidenceNameIndex = ReadonlyMap<string, number>

/**
 * Adds the names that an expression reads or asks for with `has`, and its calls whose answers are evidence, in the
 * order of its text, to those of the rules before it. The names of a plan are those of its rules in the plan's order,
 * each once. Records are read by this order: it never changes.
 */
export function indexEvidenceNames(
  names: Map<string, number>,
  expression: Expression | undefined,
): void {
  if (!expression) return
  visitNodes(expression, (node) => {
    const isName = node.kind === 'read' || node.kind === 'has'
    const name = isName ? node.name : readAskedCall(node)?.name
    if (name !== undefined && !names.has(name)) names.set(name, names.size)
  })
}
