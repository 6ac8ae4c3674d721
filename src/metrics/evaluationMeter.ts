/** Counts verdicts, rule outcomes, missing signals and unknown fields of requests. */

import type { Registry } from 'prom-client'
import { callerSignals, deviceSignals } from '../domain/signals/signals.ts'
import type { NotCounted } from '../engine/run/evidence.ts'
import type { RecordedRecipe } from '../engine/run/recordResult.ts'
import type { Outcome, Verdict } from '../engine/run/result.ts'
import { openPolledCounter } from './instruments.ts'

/** Counts one evaluation of the account, given as it was recorded. */
export type EvaluationMeter = (
  recorded: {
    readonly verdict: Verdict
    readonly recipes: readonly Pick<RecordedRecipe, 'outcomes' | 'blocked_by'>[]
  },
  account: string,
  notCounted: readonly Pick<NotCounted, 'reason'>[],
) => void

interface Tally {
  readonly verdicts: Record<Verdict, number>
  readonly outcomes: Outcomes
  /** By signal; every caller-defined one under one name, so that callers cannot add series. */
  readonly missing: Map<string, number>
  /** By account, of the first 1,000 that sent any; those of the others under one name. */
  readonly unknownFields: Map<string, number>
}

const accountsMax = 1_000

type Outcomes = Record<Outcome | 'UNAVAILABLE', number>

const extPrefix = 'signal.ext.'
const anyExt = 'signal.ext'
const anyOther = 'other'
const countedNames = [
  ...[...deviceSignals, ...callerSignals].map((name) => `signal.${name}`),
  'target.phone_number',
  'target.email_address',
  anyExt,
  anyOther,
]

/** Opens the meter in the registry. Counting an evaluation is additions; texts are made when the metrics are read. */
export function openEvaluationMeter(registry: Registry): EvaluationMeter {
  const tally: Tally = {
    verdicts: { PASS: 0, FLAG: 0 },
    outcomes: { TRIGGERED: 0, NOT_TRIGGERED: 0, NOT_EVALUATED: 0, UNAVAILABLE: 0, SKIPPED: 0 },
    missing: new Map(countedNames.map((name) => [name, 0])),
    unknownFields: new Map(),
  }
  showTally(registry, tally)

  return ({ verdict, recipes }, account, notCounted) => {
    tally.verdicts[verdict] += 1
    for (const { outcomes, blocked_by } of recipes) {
      countOutcomes(tally.outcomes, outcomes)
      for (const name of blocked_by) countMissing(tally.missing, name)
    }
    for (const { reason } of notCounted) {
      if (reason === 'unknown_field') countUnknown(tally.unknownFields, account)
    }
  }
}

/** Counts the letters of `RecordedRecipe.outcomes`; branches and local numbers, since this runs for every rule of every evaluation. */
function countOutcomes(outcomes: Outcomes, letters: string): void {
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

function countMissing(missing: Map<string, number>, name: string): void {
  const counted = missing.has(name) ? name : name.startsWith(extPrefix) ? anyExt : anyOther
  missing.set(counted, (missing.get(counted) ?? 0) + 1)
}

function countUnknown(unknown: Map<string, number>, account: string): void {
  const counted = unknown.has(account) || unknown.size < accountsMax ? account : anyOther
  unknown.set(counted, (unknown.get(counted) ?? 0) + 1)
}

function showTally(
  registry: Registry,
  { verdicts, outcomes, missing, unknownFields }: Tally,
): void {
  const evaluations = {
    name: 'vigil_evaluations_total',
    help: 'Evaluations recorded.',
    label: 'verdict',
  }
  openPolledCounter(registry, evaluations, () => Object.entries(verdicts))
  const results = {
    name: 'vigil_rule_results_total',
    help: 'What became of the rules of evaluations, shadow recipes included.',
    label: 'outcome',
  }
  openPolledCounter(registry, results, () => Object.entries(outcomes))
  const waiting = {
    name: 'vigil_rules_not_evaluated_total',
    help: 'Rules that were not evaluated, by the signal that did not arrive.',
    label: 'signal',
  }
  openPolledCounter(registry, waiting, () => missing)
  const unknown = {
    name: 'vigil_unknown_fields_total',
    help: 'Fields of evaluations that the service does not know, by account.',
    label: 'account',
  }
  openPolledCounter(registry, unknown, () => unknownFields)
}
