/** Declares the heavy queries by name, and runs one, yielding to other work before each read. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from '../domain/failure.ts'
import type { Readers } from '../projections/running/documents.ts'
import { listAccountDocuments } from './accounts/accounts.ts'
import { searchEvaluationDocuments } from './analysis/evaluationSearch.ts'
import { sumCounts } from './analysis/statistics/sumCounts.ts'
import { findEventLocations } from './audit/eventLocations.ts'
import { listRecordedEvaluations } from './evaluation/evaluationsByPosition.ts'
import { searchFeedback, searchReportedEvents } from './feedback/reports.ts'
import { findEntryPage } from './lists/entries.ts'
import {
  authoredFlows,
  authoredRecipes,
  authoredRules,
  managedRecipes,
  managedRules,
  offeredRecipes,
  offeredRules,
} from './rulebook/resources.ts'
import { listVersionChanges } from './rulebook/versions.ts'
import { listAppDocuments } from './sessions/apps.ts'
import { listUserDocuments } from './sessions/users.ts'
import { listSenderIdDocuments } from './verification/senderIds.ts'
import { templateReader } from './verification/templates.ts'

/** What is asked and answered is plain data, since it may go to another thread and back. */
const heavyQueries = {
  findEntryPage,
  findEventLocations,
  listAccountDocuments,
  listAppDocuments,
  listRecordedEvaluations,
  listSenderIdDocuments,
  listUserDocuments,
  listVersionChanges,
  searchEvaluationDocuments,
  searchFeedback,
  searchReportedEvents,
  sumCounts,
  listTemplates: templateReader.list,
  listRules: authoredRules.list,
  listRecipes: authoredRecipes.list,
  listFlows: authoredFlows.list,
  listManagedRules: managedRules.list,
  listManagedRecipes: managedRecipes.list,
  listOfferedRules: offeredRules.list,
  listOfferedRecipes: offeredRecipes.list,
}

export type HeavyQueryTable = typeof heavyQueries
export type HeavyQueryName = keyof HeavyQueryTable

export const heavyQueryNames = Object.keys(heavyQueries) as readonly HeavyQueryName[]

/** Answers the heavy queries, in this thread or another. */
export interface HeavyQueryRunner {
  /**
   * Throws what the question throws, and `unavailable` when it cannot be answered now, or was given up: the signal
   * tells that nobody waits for the answer any more.
   */
  readonly run: (name: HeavyQueryName, asked: object, signal: AbortSignal) => Promise<unknown>
}

/** Answers in the caller's thread, for tests. */
export function createInlineQueryRunner(readers: Readers): HeavyQueryRunner {
  return {
    run: (name, asked, signal) => runHeavyQuery(readers, { name, asked }, signal),
  }
}

interface NamedQuery {
  readonly name: HeavyQueryName
  /** What the question of this name asks, and nothing else. */
  readonly asked: object
}

/** Answers the question: other work comes before each read, and none is begun once the signal is aborted. */
export function runHeavyQuery(
  { documents: { get, find, load }, projections }: Readers,
  { name, asked }: NamedQuery,
  signal: AbortSignal,
): Promise<unknown> {
  const yieldToOthers = async (): Promise<void> => {
    await nextTurn()
    if (signal.aborted) throw unavailable('The question was given up.')
  }
  const documents: Readers['documents'] = {
    get: async (collection, id) => {
      await yieldToOthers()
      return get(collection, id)
    },
    find: async (collection, query) => {
      await yieldToOthers()
      return find(collection, query)
    },
    load: async (collection, ids) => {
      await yieldToOthers()
      return load(collection, ids)
    },
  }
  return heavyQueries[name]({ documents, projections }, asked as never)
}
