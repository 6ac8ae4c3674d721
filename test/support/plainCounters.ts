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

/** What counts, and has answers if it is an evaluation, as the log has it. */
export interface PlainEvent {
  /** Of an evaluation. */
  readonly id?: string
  readonly account: string
  readonly position: number
  readonly timeMs: number
  /** As rules name it; evaluations that flagged are `flagged`, too. */
  readonly source: string
  readonly isFlagged?: boolean
  readonly countedTo?: number | undefined
  readonly value: (name: string) => string | undefined
}

/** A counter with its key as a function of an event. */
export interface PlainCounter {
  readonly name: string
  readonly source: string
  readonly window: string
  readonly key: (one: PlainEvent) => string | undefined
  /** What is told apart. */
  readonly distinct?: (one: PlainEvent) => string | undefined
  /** What is added up. */
  readonly sum?: (one: PlainEvent) => number
}

type Stores = Pick<ServiceContext, 'events' | 'keyring'>

/** Everything that counts, in the order of the log. */
export async function readPlainEvents(stores: Stores): Promise<readonly PlainEvent[]> {
  const found: PlainEvent[] = []
  for (let after = 0; ; ) {
    const page = await stores.events.readAll({ after, limit: 1_000 })
    const read = await Promise.all(page.map((recorded) => readPlainEvent(stores, recorded)))
    found.push(...read.filter((one) => one !== undefined))
    const last = page.at(-1)
    if (!last) return found
    after = last.position
  }
}

async function readPlainEvent(
  { keyring }: Stores,
  recorded: RecordedEvent,
): Promise<PlainEvent | undefined> {
  const decoded = decode(recorded)
  const { event } = await openEvent(decoded, keyring)
  const { account, time: timeMs } = decoded.metadata
  const found = { account, timeMs, position: recorded.position }
  if (event.type === 'SignalsDispatched') {
    return { ...found, source: 'dispatches', value: valueIn(event.data.signals) }
  }
  if (event.type === 'FeedbackReceived') {
    const { type: source, target_type, target } = event.data
    return { ...found, source, value: valueIn({}, { [`target.${target_type}`]: target }) }
  }
  if (event.type !== 'FlowEvaluated') return undefined
  const { data } = event
  const evidence = readRecordedEvidence(data, readClock({ event, metadata: decoded.metadata }))
  return {
    ...found,
    id: data.evaluation_id,
    source: 'evaluations',
    isFlagged: data.verdict === 'FLAG',
    countedTo: data.counted_to,
    value: (name) => {
      if (name === 'flow.id') return data.flow_id
      const item = evidence?.get(name)
      return item && String(item.value)
    },
  }
}

function valueIn(signals: object, others: object = {}): PlainEvent['value'] {
  const named = Object.entries(signals).map(([name, value]) => [`signal.${name}`, value] as const)
  const values = new Map<string, unknown>([...named, ...Object.entries(others)])
  return (name) => (values.has(name) ? String(values.get(name)) : undefined)
}

export interface Compared {
  /** Answers that are what the events come to. */
  same: number
  /** Counters of an evaluation that had a key and no answer. */
  unanswered: number
  readonly differences: string[]
}

/** Compares every answer on record with what the events of its account up to its position come to. */
export function compareCounters(
  events: readonly PlainEvent[],
  counters: readonly PlainCounter[],
): Compared {
  const compared: Compared = { same: 0, unanswered: 0, differences: [] }
  for (const counter of counters) {
    for (const { one, expected } of listPlainAnswers(events, counter)) {
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
export function listPlainAnswers(events: readonly PlainEvent[], counter: PlainCounter) {
  const byKey = new Map<string, Counted>()
  return events.flatMap((one) => {
    const key = counter.key(one)
    if (key === undefined) return []
    const others = byKey.get(`${one.account} ${key}`) ?? { positions: [], timesMs: [], added: [] }
    byKey.set(`${one.account} ${key}`, others)
    const answers =
      one.source === 'evaluations' ? [{ one, expected: countPlainly(others, counter, one) }] : []
    const added = findAdded(counter, one)
    if (added !== undefined) {
      others.positions.push(one.position)
      others.timesMs.push(one.timeMs)
      others.added.push(added)
    }
    return answers
  })
}

/** What the event adds to the counter, or what is told apart; undefined where it does not count. */
function findAdded(
  { source, distinct, sum }: PlainCounter,
  one: PlainEvent,
): number | string | undefined {
  const counts = one.source === source || (source === 'flagged' && one.isFlagged === true)
  if (!counts) return undefined
  return distinct ? distinct(one) : (sum?.(one) ?? 1)
}

/** What counts under a key, in the order of the log; in columns, as every answer goes over all of it. */
interface Counted {
  readonly positions: number[]
  readonly timesMs: number[]
  readonly added: (number | string)[]
}

function countPlainly(
  { positions, timesMs, added }: Counted,
  { window, distinct }: PlainCounter,
  { timeMs, position, countedTo = position - 1 }: PlainEvent,
): number {
  const [lengthMs, grainMs] = windows[window] ?? [0, 1]
  const startMs = Math.floor((timeMs - lengthMs) / grainMs) * grainMs
  const seen = new Set<number | string>()
  let total = 0
  for (let at = 0; at < positions.length && Number(positions[at]) <= countedTo; at += 1) {
    if (Number(timesMs[at]) < startMs) continue
    if (!distinct) total += Number(added[at])
    else if (seen.add(added[at] ?? '').size === 256) break
  }
  return distinct ? seen.size : total
}
