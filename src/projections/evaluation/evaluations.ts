/** Projects evaluations for lists and search: verdict, scores, keyed digests. */

import type { Mutable } from '../../domain/mutable.ts'
import type { RecordedRecipe } from '../../engine/run/recordResult.ts'
import type { Verdict } from '../../engine/run/result.ts'
import type { EvaluationEvent } from '../../events/evaluation/evaluationEvents.ts'
import type { EventMetadata } from '../../events/recording/event.ts'
import {
  defineCollection,
  defineProjection,
  readSubjectDigest,
  targetOnce,
} from '../running/projection.ts'

/** By the evaluation's id. */
export interface EvaluationDocument {
  readonly account: string
  readonly flow_id: string
  /** Position in the log, by which evaluations are in order. */
  readonly at: number
  /** The clock that its rules saw, in milliseconds since the Unix epoch: of an imported one when it occurred. */
  readonly time: number
  /** When it was recorded, likewise: positions follow it. */
  readonly recorded: number
  readonly imported?: true
  readonly verdict: Verdict
  /** Whether missing evidence could turn the verdict. */
  readonly fragile?: true
  /** Digest of the plan that ran, which knows the status of each recipe: a document of `plans`. */
  readonly plan: string
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly EvaluatedRecipe[]
  /** Keyed digests of the target, of the address and the device, and of the correlation id; absent without one. */
  readonly phone_digest?: string
  readonly email_digest?: string
  readonly ip_digest?: string
  readonly device_digest?: string
  readonly correlation_digest?: string
}

type RecordedFields =
  | 'recipe_id'
  | 'verdict'
  | 'score'
  | 'outcomes'
  | 'skipped'
  | 'determined_by'
  | 'bounds'
  | 'fragile'

interface EvaluatedRecipe extends Pick<RecordedRecipe, RecordedFields> {
  /** Whether a rule was not evaluated (spec 2.5). */
  readonly partial: boolean
}

const identity = { name: 'evaluations', version: 8 } as const
export const evaluationCollection = defineCollection<EvaluationDocument>({
  projection: identity,
  // a digest belongs to one account; the correlation id is the most selective
  indexes: [
    ['account', 'time'],
    ['account', 'recorded'],
    ['account', 'at'],
    ['account', 'flow_id', 'at'],
    ['email_digest', 'at'],
    ['phone_digest', 'at'],
    ['ip_digest', 'time'],
    ['device_digest', 'time'],
    ['email_digest', 'time'],
    ['phone_digest', 'time'],
    ['correlation_digest', 'time'],
  ],
})

type Evaluated = Extract<EvaluationEvent, { type: 'FlowEvaluated' }>

export const evaluationsProjection = defineProjection<Evaluated, EvaluationDocument>({
  ...identity,
  collections: [evaluationCollection],
  eventTypes: ['FlowEvaluated'],
  targets: ({ event }) => [targetOnce(evaluationCollection, event.data.evaluation_id)],
  apply: (_, { event: { data }, metadata, position: at }) => {
    const { flow_id, verdict, plan } = data
    const recipes = data.recipes.map(toEvaluatedRecipe)
    const { account, time: recorded } = metadata
    const document: Mutable<EvaluationDocument> = {
      account,
      flow_id,
      at,
      time: data.occurred_at ?? recorded,
      recorded,
      verdict,
      plan,
      recipes,
    }
    if (data.imported) document.imported = true
    if (data.fragile) document.fragile = true
    addDigests(document, data, metadata)
    return document
  },
})

/** Added without copies, since a rebuild does this for every evaluation. */
function addDigests(
  document: Mutable<EvaluationDocument>,
  { phone_number, email_address, counted, sent, correlation }: Evaluated['data'],
  metadata: EventMetadata,
): void {
  const phone = readSubjectDigest(metadata, phone_number)
  const email = readSubjectDigest(metadata, email_address)
  const ip = counted?.ip ?? sent?.ip
  const device = counted?.device ?? sent?.device
  if (phone !== undefined) document.phone_digest = phone
  if (email !== undefined) document.email_digest = email
  if (ip !== undefined) document.ip_digest = ip
  if (device !== undefined) document.device_digest = device
  if (correlation !== undefined) document.correlation_digest = correlation
}

function toEvaluatedRecipe(recorded: RecordedRecipe): EvaluatedRecipe {
  const { recipe_id, verdict, score, outcomes, skipped, determined_by, bounds, fragile } = recorded
  const partial = /[MU]/.test(outcomes)
  const recipe: Mutable<EvaluatedRecipe> = { recipe_id, verdict, score, partial, outcomes }
  if (skipped) recipe.skipped = skipped
  if (determined_by) recipe.determined_by = determined_by
  if (bounds) recipe.bounds = bounds
  if (fragile) recipe.fragile = fragile
  return recipe
}
