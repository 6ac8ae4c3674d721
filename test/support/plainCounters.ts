/** Counts in the plainest way what counters should have answered, from the opened events alone. */

import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { readClock } from '../../src/events/evaluation/evaluationEvents.ts'
import { readRecordedEvidence } from '../../src/queries/evaluation/decryptEvaluation.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Each window with its grain. */
const windows: Readonly<Record<string, readonly [lengthMs: number, grainMs: number]>> = {
  '10m': [10 * minute, 10_000],
  '1h': [hour, minute],
  '24h': [day, 30 * minute],
  '7d': [7 * day, 3 * hour],
  '30d': [30 * day, 12 * hour],
}

/** An evaluation as the log has it. */
export interface PlainEvaluation {
  readonly id: string
  readonly position: number
  readonly timeMs: number
  readonly countedTo: number | undefined
  readonly isFlagged: boolean
  readonly flow: string
  readonly value: (name: string) => string | undefined
  readonly unanswered: readonly (readonly [name: string, reason: string])[]
}

/** A counter with its key as a function of an evaluation. */
export interface PlainCounter {
  readonly name: string
  readonly window: string
  readonly key: (one: PlainEvaluation) => string | undefined
  readonly counts?: (one: PlainEvaluation) => boolean
  /** What is told apart. */
  readonly distinct?: (one: PlainEvaluation) => string | undefined
  /** What is added up. */
  readonly sum?: (one: PlainEvaluation) => number
}

type Stores = Pick<ServiceContext, 'events' | 'keyring'>

/** Every evaluation of the account, in the order of the log. */
export async function readPlainEvaluations(
  stores: Stores,
  account: string,
): Promise<readonly PlainEvaluation[]> {
  const found: PlainEvaluation[] = []
  for (let after = 0; ; ) {
    const page = await stores.events.readAll({ after, limit: 1_000 })
    for (const recorded of page) {
      const one = await readPlainEvaluation(stores, account, recorded)
      if (one) found.push(one)
    }
    const last = page.at(-1)
    if (!last) return found
    after = last.position
  }
}

async function readPlainEvaluation(
  { keyring }: Stores,
  account: string,
  recorded: RecordedEvent,
): Promise<PlainEvaluation | undefined> {
  if (recorded.type !== 'FlowEvaluated') return undefined
  const decoded = decode(recorded)
  const { event } = await openEvent(decoded, keyring)
  if (event.type !== 'FlowEvaluated' || decoded.metadata.account !== account) return undefined
  const { data } = event
  const evidence = readRecordedEvidence(data, readClock({ event, metadata: decoded.metadata }))
  return {
    id: data.evaluation_id,
    position: recorded.position,
    timeMs: decoded.metadata.time,
    countedTo: data.counted_to,
    isFlagged: data.verdict === 'FLAG',
    flow: data.flow_id,
    value: (name) => {
      const item = evidence?.get(name)
      return item && String(item.value)
    },
    unanswered: data.arrived.unanswered ?? [],
  }
}

export interface Compared {
  /** Answers that are what the events come to. */
  same: number
  /** Evaluations of which a counter had no answer. */
  unanswered: number
  readonly differences: string[]
}

/** Compares every answer on record with what the events up to its position come to. */
export function compareCounters(
  evaluations: readonly PlainEvaluation[],
  counters: readonly PlainCounter[],
): Compared {
  const compared: Compared = { same: 0, unanswered: 0, differences: [] }
  for (const counter of counters) {
    for (const { one, expected } of listPlainAnswers(evaluations, counter)) {
      const answer = one.value(counter.name)
      if (answer === undefined) compared.unanswered += 1
      else if (Number(answer) === expected) compared.same += 1
      else {
        const where = `at ${one.position} counted to ${one.countedTo}`
        compared.differences.push(`${counter.name} ${where}: ${answer}, not ${expected}`)
      }
    }
  }
  return compared
}

/** What the counter comes to for each evaluation that has its key: up to where it counted, else to all before it. */
export function listPlainAnswers(evaluations: readonly PlainEvaluation[], counter: PlainCounter) {
  const byKey = new Map<string, PlainEvaluation[]>()
  return evaluations.flatMap((one) => {
    const key = counter.key(one)
    if (key === undefined) return []
    const others = byKey.get(key) ?? []
    byKey.set(key, others)
    const expected = countPlainly(others, counter, one)
    if (counter.counts?.(one) ?? true) others.push(one)
    return [{ one, expected }]
  })
}

function countPlainly(
  others: readonly PlainEvaluation[],
  { window, distinct, sum }: PlainCounter,
  { timeMs, position, countedTo = position - 1 }: PlainEvaluation,
): number {
  const [lengthMs, grainMs] = windows[window] ?? [0, 1]
  const startMs = Math.floor((timeMs - lengthMs) / grainMs) * grainMs
  const held = others.filter((one) => one.position <= countedTo && one.timeMs >= startMs)
  if (distinct) return Math.min(256, new Set(held.flatMap((one) => distinct(one) ?? [])).size)
  return held.reduce((total, one) => total + (sum ? sum(one) : 1), 0)
}
