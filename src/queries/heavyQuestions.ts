/** Declares the heavy queries, which run outside the thread of the verdicts; see `HeavyReads`. */

import { accountPage } from './accounts/accounts.ts'
import { searchEvaluations } from './analysis/namedEvaluations.ts'
import { compareRecipes } from './analysis/recipeComparison.ts'
import { findRuleUsage } from './analysis/ruleUsage.ts'
import { findHistory } from './audit/historyIndex.ts'
import { listEvaluations } from './evaluation/evaluations.ts'
import { searchFeedback, searchReportedEvents } from './feedback/reports.ts'
import { entryPage } from './lists/entries.ts'
import type { Readers } from './reading/documents.ts'
import { interleave } from './reading/interleave.ts'
import {
  authoredFlows,
  authoredRecipes,
  authoredRules,
  managedRecipes,
  managedRules,
  offeredRecipes,
  offeredRules,
} from './rulebook/resources.ts'
import { listChanges } from './rulebook/versions.ts'
import { listAppDocuments } from './sessions/apps.ts'
import { listUserDocuments } from './sessions/users.ts'
import { senderIdPage } from './verification/senderIds.ts'
import { templateReader } from './verification/templates.ts'

/** What is asked and answered is plain data, since it may go to another thread and back. */
const heavyQuestions = {
  compareRecipes,
  findHistory,
  findRuleUsage,
  listAccounts: accountPage,
  listApps: listAppDocuments,
  listChanges,
  listEvaluations,
  listFlows: authoredFlows.list,
  listManagedRecipes: managedRecipes.list,
  listManagedRules: managedRules.list,
  listOfferedRecipes: offeredRecipes.list,
  listOfferedRules: offeredRules.list,
  listListEntries: entryPage,
  listSenderIds: senderIdPage,
  listUsers: listUserDocuments,
  listTemplates: templateReader.list,
  searchEvaluations,
  searchFeedback,
  searchReportedEvents,
  listRecipes: authoredRecipes.list,
  listRules: authoredRules.list,
}

type Questions = typeof heavyQuestions
export type QuestionName = keyof Questions
export type Asked<Name extends QuestionName> = Parameters<Questions[Name]>[1]
export type Answered<Name extends QuestionName> = Awaited<ReturnType<Questions[Name]>>

const names = new Map<unknown, QuestionName>(
  Object.entries(heavyQuestions).map(([name, question]) => [question, name as QuestionName]),
)

/** Under which a question goes to another thread. */
export function nameOf(question: unknown): QuestionName {
  const name = names.get(question)
  if (name === undefined) throw new Error('a question that is not in the table was asked')
  return name
}

/** Answers the heavy queries, in this thread or another. */
export interface Answering {
  /**
   * Throws what the question throws, and `unavailable` when it cannot be answered now, or was given up: the signal tells that nobody
   * waits for the answer any more.
   */
  readonly answer: <Name extends QuestionName>(
    name: Name,
    asked: Asked<Name>,
    signal: AbortSignal,
  ) => Promise<Answered<Name>>
}

/** Answers in the caller's thread, for tests. */
export function answerHere(readers: Readers): Answering {
  return {
    answer: (name, asked, signal) => {
      const documents = interleave(readers.documents, () => signal.aborted)
      return answerOf({ ...readers, documents }, name, asked)
    },
  }
}

/** A question with what it asks, as one value: TypeScript does not see that the two belong together. */
export function answerOf<Name extends QuestionName>(
  readers: Readers,
  name: Name,
  asked: Asked<Name>,
): Promise<Answered<Name>> {
  const question = heavyQuestions[name] as (
    readers: Readers,
    asked: Asked<Name>,
  ) => Promise<Answered<Name>>
  return question(readers, asked)
}
