/** Reads files of the corpus, and replays what they hold. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReplayTotals } from '../../src/events/audit/replay.ts'
import { openRecordReplayer } from '../../src/queries/audit/replays/replayRecords.ts'
import { openRecordedPlanCache } from '../../src/state/evaluation/flowPlanCache.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { load } from '../support/load.ts'
import type { Frozen } from './makeEvaluations.ts'

export const corpusFolder = import.meta.dirname

/** The files of the corpus by their names. */
export const corpusManifest = JSON.parse(
  readFileSync(join(corpusFolder, 'manifest.json'), 'utf8'),
) as Readonly<Record<string, { readonly sha256: string; readonly evaluations: number }>>

export function readCorpus(name: string): Frozen {
  const lines = readFileSync(join(corpusFolder, name), 'utf8').trimEnd().split('\n')
  const { keys } = JSON.parse(lines.pop() ?? '') as Pick<Frozen, 'keys'>
  return { events: lines.map((line) => JSON.parse(line) as RecordedEvent), keys }
}

/** Replays every evaluation of a file. */
export function replayCorpus(name: string): Promise<ReplayTotals> {
  const { events, keys } = readCorpus(name)
  const replay = openRecordReplayer({
    ...load,
    compiledPlans: openRecordedPlanCache(load),
    events: { readStream: async (stream) => events.filter((event) => event.stream === stream) },
    keys: async (ids) =>
      new Map(ids.map((id) => [id, Buffer.from(keys[id] ?? '', 'base64url')] as const)),
  })
  return replay(events, {})
}
