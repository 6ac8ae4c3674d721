/** Declares the heavy queries by name, and runs one, yielding to other work before each read. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from '../domain/failure.ts'
import type { Readers } from '../projections/running/documents.ts'
import { listAccountDocuments } from './accounts/accounts.ts'
import { searchEvaluationDocuments } from './analysis/evaluationSearch.ts'
import { compareRecipes } from './analysis/recipeComparison.ts'
import { countRuleOutcomes } from './analysis/ruleUsage.ts'
import { findEventLocations } from './audit/eventLocations.ts'
import { listRecordedEvaluations } from './evaluation/evaluationsByPosition.ts'
import { searchFeedback, searchReportedEvents } from './feedback/reports.ts'
import { findEntryPage } from './lists/entries.ts'
import type { HeavyQuery } from './reading/queryContext.ts'
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
  compareRecipes,
  findHistory: findEventLocations,
  findRuleUsage: countRuleOutcomes,
  listAccounts: listAccountDocuments,
  listApps: listAppDocuments,
  listChanges: listVersionChanges,
  listEvaluations: listRecordedEvaluations,
  listFlows: authoredFlows.list,
  listManagedRecipes: managedRecipes.list,
  listManagedRules: managedRules.list,
  listOfferedRecipes: offeredRecipes.list,
  listOfferedRules: offeredRules.list,
  listListEntries: findEntryPage,
  listSenderIds: listSenderIdDocuments,
  listUsers: listUserDocuments,
  listTemplates: templateReader.list,
  searchEvaluations: searchEvaluationDocuments,
  searchFeedback,
  searchReportedEvents,
  listRecipes: authoredRecipes.list,
  listRules: authoredRules.list,
}

export type HeavyQueryName = keyof typeof heavyQueries

const names = new Map<unknown, HeavyQueryName>(
  Object.entries(heavyQueries).map(([name, question]) => [question, name as HeavyQueryName]),
)

/** Under which a question goes to another thread. */
export function requireHeavyQueryName(question: unknown): HeavyQueryName {
  const name = names.get(question)
  if (name === undefined) throw new Error('a question that is not in the table was asked')
  return name
}

/** Answers the heavy queries, in this thread or another. */
export interface HeavyQueryRunner {
  /**
   * Throws what the question throws, and `unavailable` when it cannot be answered now, or was given up: the signal tells that nobody
   * waits for the answer any more.
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
  { documents: { get, find }, projections }: Readers,
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
  }
  return (heavyQueries[name] as HeavyQuery<object, unknown>)({ documents, projections }, asked)
}
