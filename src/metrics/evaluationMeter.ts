/** Counts verdicts, rule outcomes, missing signals and unknown fields of requests. */

import type { Registry } from 'prom-client'
import { callerSignals, deviceSignals } from '../domain/signals/signals.ts'
import type { NotCounted } from '../engine/run/evidence.ts'
import type { RecordedRecipe, RecordedRun } from '../engine/run/recordResult.ts'
import type { Outcome, Verdict } from '../engine/run/result.ts'
import { missingData } from '../engine/run/shownRule.ts'
import { openPolledCounter } from './instruments.ts'

/** Counts one evaluation of the account, given as it was recorded. */
export type EvaluationMeter = (
  recorded: MissingNames & {
    readonly flow_id: string
    readonly verdict: Verdict
    readonly recipes: readonly Pick<RecordedRecipe, 'outcomes' | 'blocked_by'>[]
  },
  account: string,
  notCounted: readonly Pick<NotCounted, 'reason'>[],
) => void

type MissingNames = Pick<RecordedRun, 'missing' | 'missing_managed'>

const noOutcomes: Record<Outcome | 'UNAVAILABLE', number> = {
  TRIGGERED: 0,
  NOT_TRIGGERED: 0,
  NOT_EVALUATED: 0,
  UNAVAILABLE: 0,
  SKIPPED: 0,
}

/** Accounts whose unknown fields are counted by their name; those of the others are under one. */
const accountsMax = 1_000

/** Flows whose verdicts are counted by their id; those of all others are under one. */
const flowsMax = 1_000

const extPrefix = 'signal.ext.'
/** Every caller-defined signal is counted under this name, so that callers cannot add series. */
const anyExt = 'signal.ext'
const anyOther = 'other'
const countedNames = [
  ...[...deviceSignals, ...callerSignals].map((name) => `signal.${name}`),
  'target.phone_number',
  'target.email_address',
  anyExt,
  // whatever a managed rule waits for
  missingData,
  anyOther,
]

interface FlowVerdicts extends Record<Verdict, number> {
  readonly account: string
  /** Whether the metrics have been read since the flow was first seen. */
  shown: boolean
}

/** Opens the meter in the registry. Counting an evaluation is additions; texts are made when the metrics are read. */
export function openEvaluationMeter(registry: Registry): EvaluationMeter {
  const verdicts: Record<Verdict, number> = { PASS: 0, FLAG: 0 }
  const ofFlows = new Map<string, FlowVerdicts>()
  const outcomes = { ...noOutcomes }
  const missing = new Map(countedNames.map((name) => [name, 0]))
  const unknownFields = new Map<string, number>()
  openPolledCounter(registry, {
    name: 'vigil_evaluations_total',
    help: 'Evaluations recorded.',
    labels: ['verdict'],
    counts: () => Object.entries(verdicts),
  })
  openPolledCounter(registry, {
    name: 'vigil_verdicts_total',
    help: 'Evaluations recorded, by account and flow.',
    labels: ['account', 'flow', 'verdict'],
    counts: () => listFlowVerdicts(ofFlows),
  })
  openPolledCounter(registry, {
    name: 'vigil_rule_results_total',
    help: 'What became of the rules of evaluations, shadow recipes included.',
    labels: ['outcome'],
    counts: () => Object.entries(outcomes),
  })
  openPolledCounter(registry, {
    name: 'vigil_rules_not_evaluated_total',
    help: 'Evaluations in which rules were not evaluated, once for each signal that did not arrive.',
    labels: ['signal'],
    counts: () => missing,
  })
  openPolledCounter(registry, {
    name: 'vigil_unknown_fields_total',
    help: 'Fields of evaluations that the service does not know, by account.',
    labels: ['account'],
    counts: () => unknownFields,
  })

  return (recorded, account, notCounted) => {
    verdicts[recorded.verdict] += 1
    countFlow(ofFlows, account, recorded)
    // however many rules wait for a name
    const names = new Set<string>()
    for (const { outcomes: letters, blocked_by = [] } of recorded.recipes) {
      const before = outcomes.NOT_EVALUATED
      countOutcomes(outcomes, letters)
      // of those that follow, the rules were skipped
      const waiting = blocked_by.slice(0, outcomes.NOT_EVALUATED - before)
      for (const index of waiting.flat()) addWaitedName(names, recorded, index)
    }
    for (const name of names) countMissing(missing, name)
    for (const { reason } of notCounted) {
      if (reason === 'unknown_field') countUnknown(unknownFields, account)
    }
  }
}

function countFlow(
  flows: Map<string, FlowVerdicts>,
  account: string,
  { flow_id: flow, verdict }: { readonly flow_id: string; readonly verdict: Verdict },
): void {
  const isNamed = flows.has(flow) || flows.size < flowsMax
  const id = isNamed ? flow : anyOther
  let counts = flows.get(id)
  if (!counts) {
    counts = { account: isNamed ? account : anyOther, PASS: 0, FLAG: 0, shown: false }
    flows.set(id, counts)
  }
  counts[verdict] += 1
}

/** A flow is 0 when it is read first: Prometheus takes no first value for an increase. */
function* listFlowVerdicts(
  flows: ReadonlyMap<string, FlowVerdicts>,
): Generator<readonly [account: string, flow: string, verdict: Verdict, count: number]> {
  for (const [flow, counts] of flows) {
    const { account, shown, PASS, FLAG } = counts
    yield [account, flow, 'PASS', shown ? PASS : 0]
    yield [account, flow, 'FLAG', shown ? FLAG : 0]
    counts.shown = true
  }
}

/** Counts the letters of `RecordedRecipe.outcomes`; with branches and locals, as it runs for every rule. */
function countOutcomes(outcomes: typeof noOutcomes, letters: string): void {
  let [triggered, not, missing, skipped] = [0, 0, 0, 0]
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at]
    if (letter === 'N') not += 1
    else if (letter === 'T') triggered += 1
    else if (letter === 'M') missing += 1
    else if (letter === 'S') skipped += 1
  }
  outcomes.TRIGGERED += triggered
  outcomes.NOT_TRIGGERED += not
  outcomes.NOT_EVALUATED += missing
  outcomes.SKIPPED += skipped
  outcomes.UNAVAILABLE += letters.length - triggered - not - missing - skipped
}

/** Adds the name at the index of `blocked_by`, unless it arrived and a function failed on it. */
function addWaitedName(
  names: Set<string>,
  { missing = [], missing_managed: managed = [] }: MissingNames,
  index: number,
): void {
  const [name, reason] = (index < 0 ? managed[-1 - index] : missing[index]) ?? []
  if (name === undefined || reason === 'function_failed') return
  names.add(index < 0 ? missingData : name)
}

function countMissing(missing: Map<string, number>, name: string): void {
  const counted = missing.has(name) ? name : name.startsWith(extPrefix) ? anyExt : anyOther
  missing.set(counted, (missing.get(counted) ?? 0) + 1)
}

function countUnknown(unknown: Map<string, number>, account: string): void {
  const counted = unknown.has(account) || unknown.size < accountsMax ? account : anyOther
  unknown.set(counted, (unknown.get(counted) ?? 0) + 1)
}
