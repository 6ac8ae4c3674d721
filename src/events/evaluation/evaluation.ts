/** Declares the events of evaluations and of the plans they ran, and encodes evidence. */

import { collect, type Expression } from '../../engine/language/expression.ts'
import type {
  Evidence,
  EvidenceItem,
  EvidenceSource,
  NotCounted,
  NotCountedReason,
} from '../../engine/run/evidence.ts'
import type { Plan, PlannedPlace, PlannedRecipe } from '../../engine/run/plan.ts'
import type { RecordedRecipe } from '../../engine/run/record.ts'
import type { Verdict } from '../../engine/run/result.ts'
import { type Clear, type Definitions, plain, type SubjectOf } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { expression } from '../recording/expressionSchema.ts'
import {
  integer,
  integerFrom,
  list,
  object,
  oneOf,
  type SchemaOf,
  scalar,
  schemaOf,
  time,
  tuple,
  word,
} from '../recording/schema.ts'
import type { Personal } from '../recording/sealing.ts'
import type { ShapeOf } from '../recording/shapeOf.ts'

/** The stream of an evaluation. */
export function evaluationStream(id: string): string {
  return `evaluation-${id}`
}

/** Something of the evidence of one evaluation: name, value, source. */
type RecordedItem = readonly [
  name: string,
  value: string | boolean | number,
  source: EvidenceSource,
]

/** A signal that was sent and did not count: name, value, source, reason. */
export type RecordedNotCounted = readonly [
  name: string,
  value: NotCounted['value'],
  source: NotCounted['source'],
  reason: NotCountedReason,
]

/** Up to which position of the log a list was read for its answer, by the name under which the answer is evidence. */
type RecordedRevision = readonly [name: string, revision: number]

/**
 * The evidence of an evaluation. Values are in the order in which the plan's rules name them, see `namesRead`; the target has fields of its
 * own, and the clock is the evaluation's time.
 */
export interface RecordedEvidence {
  readonly dispatch_id?: string
  /** What the caller knows a prediction by. */
  readonly correlation_id?: string
  /**
   * For each name that the plan's rules read where its value comes from: `D`ispatch, `R`equest, `U`ser agent, `L`ist, `S`ervice; `-`
   * where it did not arrive or stands elsewhere, `-12` for twelve of these behind one another.
   */
  readonly sources: string
  /** The values of those that arrived, in the same order. */
  readonly values: readonly RecordedItem[1][]
  /** What arrived beside it. */
  readonly items: readonly RecordedItem[]
  /** Absent where no list was read. */
  readonly lists?: readonly RecordedRevision[]
  /** Apart from the evidence, which rules never saw it in. */
  readonly not_counted: readonly RecordedNotCounted[]
}

export interface FlowEvaluated {
  readonly evaluation_id: string
  readonly flow_id: string
  readonly flow_version_id: string
  /** Digest of the plan that ran: the pins of every recipe and rule. */
  readonly plan: string
  readonly semantics: number
  /** Whether a dispatch was named and known, and not too old by then. */
  readonly dispatch: 'none' | 'found' | 'expired' | 'unknown'
  /** Keyed digest of the id of the dispatch that was named: with the person its signals are erased, too. */
  readonly dispatch_subject?: string
  /** `target.phone_number`, under the subject of the number. */
  readonly phone_number?: Personal<string>
  /** `target.email_address`, under the subject of the address. */
  readonly email_address?: Personal<string>
  /** Everything else that arrived, the dispatch's id included, under the subject of the number, else of the address. */
  readonly evidence: Personal<RecordedEvidence>
  /**
   * Keyed digests of the address and the device's id, by which the evaluation is found: of those that counted, else of those that the
   * request sent.
   */
  readonly ip?: string
  readonly device?: string
  /** Keyed digest of `evidence.correlation_id`. */
  readonly correlation?: string
  /** The clock the rules saw: milliseconds since the Unix epoch. */
  readonly time: number
  /** Position up to which the instance had followed the log before it gathered the evidence: of what came later it may not have known. */
  readonly as_of: number
  readonly verdict: Verdict
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly RecordedRecipe[]
  /** SHA-256 of the answered body, hexadecimal. */
  readonly result_hash: string
  /** Keyed digest of the request, where the caller gave an `Idempotency-Key`. */
  readonly request_digest?: string
}

/** An evaluation with its personal fields in clear. */
export type WrittenEvaluation = Clear<FlowEvaluated>

/** A rule of a plan with the digest of its expression, where it has one. */
export interface PinnedRule extends PlannedPlace {
  readonly expression?: string
}

/** A chunk of a recipe's rules: the digest of the event that contains them, and their number. */
export type PinnedPart = readonly [digest: string, rules: number]

/** A recipe of a plan with the chunks that contain its rules, in order. */
export interface PinnedRecipe extends Omit<PlannedRecipe, 'rules'> {
  readonly parts: readonly PinnedPart[]
}

/** A plan whose rules and expressions are in events of their own. */
export interface PinnedPlan extends Omit<Plan, 'recipes'> {
  readonly recipes: readonly PinnedRecipe[]
}

export type EvaluationEvent =
  /** An expression that some plan of the account runs; the digest is of both. */
  | DomainEvent<'ExpressionRecorded', { readonly digest: string; readonly expression: Expression }>
  /** A part of the rules of a recipe in some plan of the account, in order. */
  | DomainEvent<
      'PlanRulesRecorded',
      { readonly digest: string; readonly rules: readonly PinnedRule[] }
    >
  /** What a flow runs; the events that it names by their digests are in the log before it. */
  | DomainEvent<'FlowPlanRecorded', { readonly digest: string; readonly plan: PinnedPlan }>
  | DomainEvent<'FlowEvaluated', FlowEvaluated>

/** What `RecordedEvidence.sources` looks like: a name that is absent, or so many behind one another, and letters. */
const sourcesPattern = '^(?:[DRULS]|-[0-9]{0,7})*$'

const verdict = oneOf(['PASS', 'FLAG'])
const place = {
  rule_id: word,
  type: oneOf(['MANAGED', 'CUSTOM']),
  name: word,
  version_id: word,
  weight: integer,
}
const pinnedRule = object(place, { preempts: verdict, expression: word })
const recipe = {
  recipe_id: word,
  version_id: word,
  status: oneOf(['LIVE', 'SHADOW']),
  threshold: integer,
}
const pinnedRecipe = object({ ...recipe, parts: list(tuple(word, integerFrom(1))) })
const flow = { flow_id: word, flow_version_id: word, semantics: integer }
const pinnedPlan = object({ ...flow, recipes: list(pinnedRecipe) })
const recordedRecipe = object(
  {
    recipe_id: word,
    score: integer,
    verdict,
    outcomes: schemaOf<string>({ type: 'string', pattern: '^[TNMUS]*$' }),
    blocked_by: list(word),
  },
  { determined_by: word },
)
const recordedItem = tuple(
  word,
  scalar,
  oneOf(['dispatch', 'request', 'user_agent', 'list', 'service']),
)
const recordedNotCounted = tuple(
  word,
  schemaOf<string | boolean>({ type: ['string', 'boolean'] }),
  oneOf(['request', 'dispatch']),
  oneOf([
    'needs_dispatch',
    'dispatch_value_wins',
    'trusted_user_not_agreed',
    'front_end_cannot_vouch',
    'address_not_public',
    'unknown_field',
  ]),
)
const evidence: SchemaOf<ShapeOf<RecordedEvidence>> = object(
  {
    sources: schemaOf<string>({ type: 'string', pattern: sourcesPattern }),
    values: list(scalar),
    items: list(recordedItem),
    not_counted: list(recordedNotCounted),
  },
  { dispatch_id: word, correlation_id: word, lists: list(tuple(word, integerFrom(0))) },
)
const flowEvaluated = object(
  {
    evaluation_id: word,
    flow_id: word,
    flow_version_id: word,
    plan: word,
    semantics: integer,
    dispatch: oneOf(['none', 'found', 'expired', 'unknown']),
    time,
    verdict,
    recipes: list(recordedRecipe),
    result_hash: word,
    as_of: integerFrom(0),
  },
  { request_digest: word, dispatch_subject: word, ip: word, device: word, correlation: word },
)

export const evaluationEvents: Definitions<EvaluationEvent> = {
  ExpressionRecorded: plain(object({ digest: word, expression })),
  PlanRulesRecorded: plain(object({ digest: word, rules: list(pinnedRule) })),
  FlowPlanRecorded: plain(object({ digest: word, plan: pinnedPlan })),
  FlowEvaluated: {
    schema: flowEvaluated,
    personal: {
      phone_number: { subject: phoneSubject, schema: word, optional: true },
      email_address: { subject: emailSubject, schema: word, optional: true },
      evidence: { subject: targetSubject, schema: evidence },
    },
  },
}

type Evaluated = Clear<FlowEvaluated>

function phoneSubject({ phone_number }: Evaluated): SubjectOf {
  return { kind: 'phone', value: given(phone_number) }
}

function emailSubject({ email_address }: Evaluated): SubjectOf {
  return { kind: 'email', value: given(email_address) }
}

function targetSubject(data: Evaluated): SubjectOf {
  return data.phone_number === undefined ? emailSubject(data) : phoneSubject(data)
}

function given(value: string | undefined): string {
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
  service: 'S',
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
export function recordEvidence(evidence: Evidence, names: NamesRead): Arrived {
  const arrived: { readonly at: number; readonly item: EvidenceItem }[] = []
  const items: RecordedItem[] = []
  const lists: RecordedRevision[] = []
  for (const [name, item] of evidence) {
    if (item.revision !== undefined) lists.push([name, item.revision])
    if (recordedApart.has(name)) continue
    const at = names.get(name)
    if (at === undefined) items.push([name, item.value, item.source])
    else arrived.push({ at, item })
  }
  arrived.sort((one, other) => one.at - other.at)
  let sources = ''
  let next = 0
  for (const { at, item } of arrived) {
    sources += absences(at - next) + letters[item.source]
    next = at + 1
  }
  sources += absences(names.size - next)
  const values = arrived.map(({ item: { value } }) => value)
  return lists.length > 0 ? { sources, values, items, lists } : { sources, values, items }
}

/** So many names behind one another that are absent. */
function absences(count: number): string {
  if (count === 0) return ''
  return count === 1 ? absent : `${absent}${count}`
}

/** The evidence by name, without target and clock. Throws when the record is not of a plan that reads these names. */
export function recordedItems(
  { sources, values, items, lists = [] }: RecordedEvidence,
  names: NamesRead,
): ReadonlyMap<string, EvidenceItem> {
  const revisions = new Map(lists)
  const found = new Map<string, EvidenceItem>()
  const add = (name: string, value: RecordedItem[1], source: EvidenceSource): void => {
    const revision = revisions.get(name)
    found.set(name, { value, source, ...(revision !== undefined && { revision }) })
  }
  inOrder({ sources, values }, names, add)
  for (const [name, value, source] of items) add(name, value, source)
  return found
}

function inOrder(
  { sources, values }: Pick<RecordedEvidence, 'sources' | 'values'>,
  names: NamesRead,
  add: (name: string, value: RecordedItem[1], source: EvidenceSource) => void,
): void {
  const all = [...names.keys()]
  let at = 0
  let next = 0
  for (const [, letter, count] of sources.matchAll(step)) {
    if (letter === undefined) {
      at += count === '' ? 1 : Number(count)
      continue
    }
    const [name, value, source] = [all[at], values[next], sourceOf.get(letter)]
    at += 1
    next += 1
    if (name === undefined || value === undefined || !source) throw notOfThisPlan()
    add(name, value, source)
  }
  if (at !== all.length || next !== values.length) throw notOfThisPlan()
}

function notOfThisPlan(): Error {
  return new Error('the evidence on record is not of this plan')
}

/** The names that a plan's rules read, each with its index in their order. */
export type NamesRead = ReadonlyMap<string, number>

/**
 * Adds the names that an expression reads or asks for with `has`, in the order of its text, to those of the rules before it. The names of
 * a plan are those of its rules in the plan's order, each once. Records are read by this order: it never changes.
 */
export function addNamesRead(names: Map<string, number>, expression: Expression | undefined): void {
  if (!expression) return
  collect(expression, (node) => {
    const isNew = (node.kind === 'read' || node.kind === 'has') && !names.has(node.name)
    if (isNew) names.set(node.name, names.size)
  })
}
