/**
 * What replay is measured against: the texts of 256 evaluations of the sixty rules over made-up people, as the log had
 * them when `FlowEvaluated` had version 6. They never change, so that a record that becomes narrower counts as the gain
 * that it is.
 */

import { readFileSync } from 'node:fs'

/** Data and metadata in turn, a line for each. */
const file = new URL('./frozenEvaluations.jsonl', import.meta.url)

export interface FrozenEvaluation {
  readonly data: string
  readonly metadata: string
}

/** The evaluations, in the order in which they were made. */
export function frozenEvaluations(): readonly FrozenEvaluation[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return Array.from({ length: lines.length / 2 }, (_, index) => ({
    data: lines[2 * index] as string,
    metadata: lines[2 * index + 1] as string,
  }))
}

/**
 * The texts of so many events, the frozen ones again and again. Each is a text of its own: as little of them is in the
 * processor's caches as of texts that were read from a log.
 */
export function frozenTexts(events: number): readonly string[] {
  const frozen = frozenEvaluations().map(({ data, metadata }) => [
    Buffer.from(data),
    Buffer.from(metadata),
  ])
  const texts: string[] = []
  for (let event = 0; event < events; event += 1) {
    for (const text of frozen[event % frozen.length] ?? []) texts.push(text.toString('latin1'))
  }
  return texts
}
