/** Gathers an evaluation's evidence with each value's source; builds its `FlowEvaluated`. */

import { hash } from 'node:crypto'
import { findPhoneCountry } from '../../domain/evaluation/phone.ts'
import type { Mutable } from '../../domain/mutable.ts'
import {
  type CallerSignal,
  callerSignals,
  type DeviceSignal,
  deviceSignals,
  type EvaluatedTarget,
  type Signals,
} from '../../domain/signals/signals.ts'
import {
  type Ask,
  type CounterAsk,
  isCounterAsk,
  type ListLookup,
} from '../../engine/compile/compileAskedCall.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import { formatExtName, userAgentSignals } from '../../engine/language/readableNames.ts'
import type {
  CounterAnswer,
  Evidence,
  EvidenceItem,
  ListAnswer,
  ListAnswers,
  NotCounted,
  Unanswered,
  UnansweredReason,
} from '../../engine/run/evidence.ts'
import type { EvaluationToRecord, FlowEvaluated } from '../../events/evaluation/evaluationEvents.ts'
import { encodeEvidence, type RecordedNotCounted } from '../../events/evaluation/evidenceRecord.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  computeLookupDigest,
  signalDigests,
  targetDigests,
} from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { RunnablePlan } from './flowPlanCache.ts'
import { parseUserAgent } from './parseUserAgent.ts'

/** The request of an evaluation; canonical, checked. */
export interface EvaluationRequest {
  readonly flow_id: string
  readonly target: EvaluatedTarget
  readonly signals?: Signals
  readonly dispatch_id?: string
  /** What was sent and can be no evidence, whatever else arrives. */
  readonly notCounted?: readonly NotCounted[]
  /** What the caller knows it by. */
  readonly correlation_id?: string
  /** Whether it answers a prediction. */
  readonly prediction?: true
  /** Of an imported one: when it occurred, the clock of its rules, in milliseconds since the Unix epoch. */
  readonly occurred_at?: number
}

export interface EvidenceInput {
  /** `flow_id` is absent where a rule alone is tried. */
  readonly request: Pick<EvaluationRequest, 'target' | 'signals' | 'notCounted'> &
    Partial<Pick<EvaluationRequest, 'flow_id'>>
  /** The signals of the dispatch; empty for one that is unknown, undefined when none was named. */
  readonly dispatch: Signals | undefined
  readonly lists: ListAnswers
  /** Whether the operator has agreed the trusted-user signal with the account (design 4.8). */
  readonly isTrustedUserAgreed: boolean
  /** Milliseconds since the Unix epoch. */
  readonly time: number
}

export interface GatheredEvidence {
  /** By name. */
  readonly evidence: ReadonlyMap<string, EvidenceItem>
  /** Every signal that was sent and is not in the evidence with its value. */
  readonly notCounted: readonly NotCounted[]
  /** The calls that were asked and have no answer, by name. */
  readonly unanswered: Unanswered
}

/**
 * The evidence, and the signals that did not count. Device and network signals count only with a dispatch, whose values
 * win over the request's (spec 2.1, 2.3); what both leave out is taken from the user agent, when `reads` has it. An
 * empty text counts as absent.
 */
export function gatherEvidence(
  arrived: EvidenceInput,
  reads: ReadonlySet<string>,
): GatheredEvidence {
  const { target, notCounted = [] } = arrived.request
  const gathering: Gathering = {
    evidence: new Map(),
    notCounted: [...notCounted],
    unanswered: new Map(),
  }
  const { evidence } = gathering
  gatherTarget(gathering, target)
  gatherDevice(gathering, arrived)
  if (arrived.dispatch) gatherUserAgent(gathering, reads)
  gatherCaller(gathering, arrived)
  if (arrived.dispatch) addVouchingNotCounted(gathering, arrived.dispatch)
  evidence.set('list.allow', toListEvidence(arrived.lists.allow))
  evidence.set('list.block', toListEvidence(arrived.lists.block))
  evidence.set('request.time', { value: arrived.time, source: 'service' })
  const { flow_id } = arrived.request
  if (flow_id !== undefined && reads.has('flow.id')) {
    evidence.set('flow.id', { value: flow_id, source: 'service' })
  }
  return gathering
}

function toListEvidence({ listed: value, revision }: ListAnswer): EvidenceItem {
  return revision === undefined ? { value, source: 'list' } : { value, source: 'list', revision }
}

/** What the plan asks of lists, and of counters. */
interface AskedEvidence extends GatheredEvidence {
  readonly lookups: readonly ListLookup[]
  readonly counters: readonly CounterAsk[]
}

/** Answers the calls that need no store; finds what the plan asks of lists and counters, also of those answers. */
export function answerCalls(
  gathered: GatheredEvidence,
  { computeAsks }: Pick<CompiledPlan, 'computeAsks'>,
): AskedEvidence {
  let open = computeAsks(gathered.evidence)
  // most plans ask nothing
  if (open.length === 0) return { ...gathered, lookups: [], counters: [] }
  const evidence = new Map(gathered.evidence)
  const unanswered = new Map(gathered.unanswered)
  for (; ; open = computeAsks(evidence)) {
    const asks = open.filter((ask) => isCountry(ask) && !unanswered.has(ask.name))
    if (asks.length === 0) {
      const [lookups, counters] = [open.filter(isLookup), open.filter(isCounterAsk)]
      return { ...gathered, evidence, unanswered, lookups, counters }
    }
    for (const { name, value } of asks) {
      const answer = answerPhoneCountry(value)
      if (typeof answer === 'string') unanswered.set(name, answer)
      else evidence.set(name, answer)
    }
  }
}

function answerPhoneCountry(number: string): EvidenceItem | UnansweredReason {
  if (!/^\+[1-9][0-9]{1,14}$/.test(number)) return 'not_readable'
  const value = findPhoneCountry(number)
  return value === undefined ? 'not_known' : { value, source: 'call' }
}

function isLookup(ask: Ask): ask is ListLookup {
  return ask.list !== undefined
}

function isCountry(ask: Ask): boolean {
  return !isLookup(ask) && !isCounterAsk(ask)
}

/** Same over recorded evidence under another plan. What the plan on record (`reads`) asked is not asked again. */
export function answerNewCalls(
  evidence: Evidence,
  reads: ReadonlySet<string>,
  compiled: Pick<CompiledPlan, 'computeAsks'>,
): AskedEvidence {
  const asked = [...reads].filter((name) => !evidence.has(name))
  const unanswered = new Map(asked.map((name) => [name, 'not_known'] as const))
  return answerCalls({ evidence, notCounted: [], unanswered }, compiled)
}

export function addListAnswers(
  { lookups, counters: _, ...gathered }: AskedEvidence,
  answers: ReadonlyMap<string, ListAnswer>,
): GatheredEvidence {
  if (lookups.length === 0) return gathered
  const evidence = new Map(gathered.evidence)
  const unanswered = new Map(gathered.unanswered)
  for (const { name } of lookups) {
    const answer = answers.get(name)
    if (answer) evidence.set(name, toListEvidence(answer))
    else unanswered.set(name, 'not_readable')
  }
  return { ...gathered, evidence, unanswered }
}

/** Adds the answers of counters, and why there is none. */
export function addCounterAnswers(
  gathered: GatheredEvidence,
  answers: ReadonlyMap<string, CounterAnswer>,
): GatheredEvidence {
  if (answers.size === 0) return gathered
  const evidence = new Map(gathered.evidence)
  const unanswered = new Map(gathered.unanswered)
  for (const [name, answer] of answers) {
    if ('reason' in answer) unanswered.set(name, answer.reason)
    else evidence.set(name, { ...answer, source: 'counter' })
  }
  return { ...gathered, evidence, unanswered }
}

interface Gathering extends GatheredEvidence {
  readonly evidence: Map<string, EvidenceItem>
  readonly notCounted: NotCounted[]
}

type Sent = string | boolean

/** An empty text is the same as nothing (spec 2.3, rule 3). */
function isSent(value: Sent | undefined): value is Sent {
  return value !== undefined && value !== ''
}

function gatherTarget(
  { evidence }: Gathering,
  { phone_number, email_address }: EvaluatedTarget,
): void {
  const source = 'request'
  if (isSent(phone_number)) evidence.set('target.phone_number', { value: phone_number, source })
  if (isSent(email_address)) evidence.set('target.email_address', { value: email_address, source })
}

function gatherDevice(gathering: Gathering, { dispatch, request }: EvidenceInput): void {
  const { evidence } = gathering
  const source = 'request'
  for (const signal of deviceSignals) {
    const name = signalNames[signal]
    const observed = dispatch?.[signal]
    const value = request.signals?.[signal]
    if (isSent(observed)) evidence.set(name, { value: observed, source: 'dispatch' })
    if (!isSent(value)) continue
    if (!dispatch) addNotCounted(gathering, { name, value, source, reason: 'needs_dispatch' })
    else if (!isSent(observed)) evidence.set(name, { value, source })
    else addNotCounted(gathering, { name, value, source, reason: 'dispatch_value_wins' })
  }
}

/** Adds what the plan reads, did not arrive, and the user agent says. */
export function gatherUserAgent(
  { evidence }: Pick<Gathering, 'evidence'>,
  reads: ReadonlySet<string>,
): void {
  const wanted = userAgentSignals.filter(
    (signal) => reads.has(signalNames[signal]) && !evidence.has(signalNames[signal]),
  )
  const text = evidence.get('signal.user_agent')?.value
  if (wanted.length === 0 || typeof text !== 'string') return
  const parsed = parseUserAgent(text)
  for (const signal of wanted) {
    const value = parsed[signal]
    if (isSent(value)) evidence.set(signalNames[signal], { value, source: 'user_agent' })
  }
}

/** These are the caller's word. */
function gatherCaller(gathering: Gathering, { request, isTrustedUserAgreed }: EvidenceInput): void {
  const { evidence } = gathering
  const source = 'request'
  for (const signal of callerSignals) {
    const name = signalNames[signal]
    const value = request.signals?.[signal]
    if (value === undefined) continue
    if (signal !== 'is_trusted_user' || isTrustedUserAgreed) evidence.set(name, { value, source })
    else addNotCounted(gathering, { name, value, source, reason: 'trusted_user_not_agreed' })
  }
  for (const [key, value] of Object.entries(request.signals?.ext ?? {})) {
    if (isSent(value)) evidence.set(formatExtName(key), { value, source })
  }
}

/** What a front end claims of the caller's word does not count (docs/decisions/front-ends-do-not-vouch.md). */
function addVouchingNotCounted(gathering: Gathering, dispatch: Signals): void {
  for (const signal of callerSignals) {
    addClaimNotCounted(gathering, signalNames[signal], dispatch[signal])
  }
  for (const [key, value] of Object.entries(dispatch.ext ?? {})) {
    addClaimNotCounted(gathering, formatExtName(key), value)
  }
}

function addClaimNotCounted(gathering: Gathering, name: string, value: Sent | undefined): void {
  if (!isSent(value)) return
  addNotCounted(gathering, { name, value, source: 'dispatch', reason: 'front_end_cannot_vouch' })
}

/** A value that both sides sent is used, whoever sent it. */
function addNotCounted({ evidence, notCounted }: Gathering, signal: NotCounted): void {
  if (evidence.get(signal.name)?.value !== signal.value) notCounted.push(signal)
}

const signalNames = Object.fromEntries(
  [...deviceSignals, ...callerSignals].map((signal) => [signal, `signal.${signal}`]),
) as Readonly<Record<DeviceSignal | CallerSignal, string>>

/** What was asked, of which plan, what arrived, what ran, and what came out. */
interface RecordInput {
  readonly id: string
  readonly context: EventContext
  /** Position up to which the log was known before the evidence was gathered. */
  readonly asOf: number
  readonly request: EvaluationRequest
  readonly ready: RunnablePlan
  readonly keyring: Pick<Keyring, 'subject'>
  readonly dispatch: {
    readonly state: FlowEvaluated['dispatch']
    readonly subject: string | undefined
  }
  readonly gathered: GatheredEvidence
  readonly run: ReturnType<CompiledPlan['run']>
  /** The answer as JSON text. */
  readonly body: string
}

/** The data of `FlowEvaluated`. */
export function buildFlowEvaluated(input: RecordInput): EvaluationToRecord {
  const { id, context, asOf, request, ready, dispatch, run, body } = input
  const { phone_number, email_address } = request.target
  const data: Mutable<EvaluationToRecord> = {
    evaluation_id: id,
    flow_id: request.flow_id,
    flow_version_id: ready.plan.flow_version_id,
    plan: ready.digest,
    semantics: ready.plan.semantics,
    dispatch: dispatch.state,
    ...encodeGathered(input),
    as_of: asOf,
    verdict: run.verdict,
    ...ready.compiled.encodeRun(run),
    result_hash: hash('sha256', body, 'hex'),
  }
  if (phone_number !== undefined) data.phone_number = phone_number
  if (email_address !== undefined) data.email_address = email_address
  if (dispatch.subject !== undefined) data.dispatch_subject = dispatch.subject
  if (context.digest !== undefined) data.request_digest = context.digest
  if (request.prediction) data.prediction = true
  if (request.occurred_at !== undefined) {
    data.occurred_at = request.occurred_at
    data.imported = true
  }
  addDigests(data, input)
  return data
}

function encodeGathered({
  request,
  ready,
  gathered,
}: RecordInput): Pick<EvaluationToRecord, 'arrived' | 'evidence'> {
  const { dispatch_id, correlation_id } = request
  const { arrived, ...values } = encodeEvidence(
    gathered.evidence,
    ready.shownNames,
    gathered.unanswered,
  )
  const evidence: Mutable<EvaluationToRecord['evidence']> = values
  if (gathered.notCounted.length > 0) {
    evidence.not_counted = gathered.notCounted.map(
      ({ name, value, source, reason }): RecordedNotCounted => [name, value, source, reason],
    )
  }
  if (dispatch_id !== undefined) evidence.dispatch_id = dispatch_id
  if (correlation_id !== undefined) evidence.correlation_id = correlation_id
  return { arrived, evidence }
}

/** Of what the evaluation is found and counted by, beside its target. */
function addDigests(
  data: Mutable<EvaluationToRecord>,
  { request, context: { account }, keyring, gathered }: RecordInput,
): void {
  const { evidence, notCounted } = gathered
  const countedSignals = pickCounted((name) => evidence.get(name)?.value)
  data.counted = {
    ...signalDigests(keyring, account, countedSignals),
    ...targetDigests(keyring, account, request.target),
  }
  const sent = signalDigests(
    keyring,
    account,
    pickCounted((name) => notCounted.find((signal) => signal.name === name)?.value),
  )
  if (sent) data.sent = sent
  const { correlation_id: value } = request
  if (value !== undefined) {
    data.correlation = computeLookupDigest(keyring, account, { kind: 'correlation_id', value })
  }
}

/** The signals that evaluations are counted by, as far as there is a text under their names. */
function pickCounted(find: (name: string) => unknown): Signals {
  const found: Mutable<Signals> = {}
  for (const signal of ['ip', 'device_id', 'ja4_fingerprint'] as const) {
    const value = find(signalNames[signal])
    if (typeof value === 'string') found[signal] = value
  }
  return found
}
