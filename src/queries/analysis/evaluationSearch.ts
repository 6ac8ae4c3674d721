/** Searches evaluations by person, address or device, each with later reports on its target. */

import type { Page } from '../../domain/call.ts'
import {
  type EvaluationDocument,
  evaluationCollection,
} from '../../projections/evaluation/evaluations.ts'
import {
  type TargetDocument,
  type TargetReport,
  targetCollection,
} from '../../projections/feedback/targets.ts'
import { type EvaluationView, plansOf, viewOf } from '../evaluation/evaluations.ts'
import { getDocument, type Readers } from '../reading/documents.ts'
import { type Search, searchPage } from '../reading/searchPage.ts'

export type EvaluationsSought = Search<EvaluationDocument>

export interface FoundEvaluation extends EvaluationView {
  /** What was reported of its target later than it, the last report of each kind, in the order of the log. */
  readonly followedBy: readonly Omit<TargetReport, 'count'>[]
  /** Whether more kinds may have been reported than are remembered. */
  readonly hasMore: boolean
  /** Whether the person it is about, or one of the two, was erased since. */
  readonly isForgotten: boolean
}

/** The evaluations in the order of time. Throws `Failure` `invalid_request` for an invalid cursor of the search. */
export async function searchEvaluations(
  readers: Readers,
  sought: EvaluationsSought,
): Promise<Page<FoundEvaluation>> {
  const page = await searchPage(readers, evaluationCollection, sought)
  const plans = await plansOf(readers, page.items)
  const targets = await targetsOf(
    readers,
    page.items.flatMap(({ body }) => digestsOf(body)),
  )
  const items = page.items.map((found) => ({
    ...viewOf(found, plans),
    ...joined(found.body, targets),
  }))
  return { ...page, items }
}

function digestsOf({ phone_digest, email_digest }: EvaluationDocument): readonly string[] {
  return [phone_digest, email_digest].filter((digest) => digest !== undefined)
}

type Targets = ReadonlyMap<string, TargetDocument>

async function targetsOf(readers: Readers, digests: readonly string[]): Promise<Targets> {
  const targets = new Map<string, TargetDocument>()
  for (const digest of new Set(digests)) {
    const found = await getDocument(readers, targetCollection, digest)
    if (found) targets.set(digest, found.body)
  }
  return targets
}

type Joined = Pick<FoundEvaluation, 'followedBy' | 'hasMore' | 'isForgotten'>

function joined(evaluation: EvaluationDocument, targets: Targets): Joined {
  const { at } = evaluation
  const own = digestsOf(evaluation).flatMap((digest) => targets.get(digest) ?? [])
  const later = own
    .flatMap(({ reports }) => reports)
    .filter(({ last_at }) => last_at > at)
    .sort((one, other) => one.last_at - other.last_at)
  // of a number and an address the last report of a kind is the one that counts
  const last = new Map(later.map((report) => [`${report.kind} ${report.name}`, report]))
  return {
    followedBy: later.filter((report) => [...last.values()].includes(report)),
    hasMore: own.some(({ dropped_at = 0 }) => dropped_at > at),
    isForgotten: own.some(({ erased_at = 0 }) => erased_at > at),
  }
}
