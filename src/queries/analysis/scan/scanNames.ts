/** Declares the names that a scan filters and groups by, and reads their values. */

import { extractMailDomain } from '../../../domain/evaluation/email.ts'
import { findPhoneCountry } from '../../../domain/evaluation/phone.ts'
import { findReviewState, reviewStates } from '../../../domain/evaluation/reviews.ts'
import { parseAddress } from '../../../domain/network/cidr.ts'
import { findNameType } from '../../../engine/language/readableNames.ts'
import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import type { Plan, PlannedRuleInfo } from '../../../engine/run/plan.ts'
import type { Verdict } from '../../../engine/run/result.ts'
import type { FlowEvaluated } from '../../../events/evaluation/evaluationEvents.ts'
import type { EvaluationDocument } from '../../../projections/evaluation/evaluations.ts'
import type { PlanDocument } from '../../../projections/evaluation/plans.ts'
import type { RunnablePlan } from '../../../state/evaluation/flowPlanCache.ts'
import type { LaterReports } from '../evaluationSearch.ts'

/** What of an evaluation is read beside its document: each costs more than the one before. */
export interface Needs {
  /** What was reported of it. */
  readonly reports?: boolean
  /** The plan that ran. */
  readonly plan?: boolean
  /** Its event in the log. */
  readonly record?: boolean
  /** The values of its evidence that the account may see, opened with its keys. */
  readonly evidence?: boolean
  /** All of its evidence, with what managed rules alone found out. */
  readonly recorded?: boolean
  /** The plan that ran, ready to run. */
  readonly runnable?: boolean
}

/** The plan that ran, and its rules without their expressions: one object as long as it is in memory. */
export interface ScannedPlan extends Pick<RunnablePlan, 'digest'> {
  readonly plan: Plan<PlannedRuleInfo>
}

/** An evaluation of a scan; what the question does not need is undefined. */
export interface ScannedEvaluation {
  readonly id: string
  readonly body: EvaluationDocument
  /** Undefined while the plans are behind. */
  readonly planDocument: PlanDocument | undefined
  readonly reports: LaterReports | undefined
  readonly record: FlowEvaluated | undefined
  readonly plan: ScannedPlan | undefined
  /** The same, where it is needed. */
  readonly runnable: RunnablePlan | undefined
  /** Undefined also where it is forgotten. */
  readonly evidence: Evidence | undefined
  /** Likewise, with what managed rules alone found out: for running plans over it, never shown. */
  readonly recorded: Evidence | undefined
  /** Whether the person it is about has been erased; known where evidence is needed. */
  readonly isForgotten: boolean
}

/** A recipe that ran in the evaluation. */
export interface ScannedRecipe {
  readonly of: ScannedEvaluation
  readonly index: number
}

/** A rule of a recipe that ran. */
export interface ScannedRule extends ScannedRecipe {
  readonly ruleIndex: number
}

export type ScanValue = EvidenceItem['value']

export interface ScanName<Subject = never> {
  readonly needs: Needs
  /** What values are compared as; `digest` only by equality, with the keyed digest of the text that is asked for. */
  readonly type: 'text' | 'number' | 'boolean' | 'digest'
  /** The only values that there are. */
  readonly values?: readonly string[]
  readonly description: string
  readonly read: (subject: Subject) => ScanValue | readonly ScanValue[] | undefined
}

const document: Needs = {}
const plan: Needs = { plan: true }
const record: Needs = { record: true }
const evidence: Needs = { record: true, evidence: true }
const reports: Needs = { reports: true }

/** Names of the evaluation. */
export const evaluationNames = {
  flow: {
    needs: document,
    type: 'text',
    description: 'the id of the flow',
    read: ({ body }) => body.flow_id,
  },
  verdict: {
    needs: document,
    type: 'text',
    values: ['PASS', 'FLAG'],
    description: 'the verdict that was answered',
    read: ({ body }) => body.verdict,
  },
  flagged_by: {
    needs: document,
    type: 'text',
    description: 'the id of a recipe, live or shadow, whose verdict was FLAG',
    read: ({ body }) => listRecipesOf(body, 'FLAG'),
  },
  passed_by: {
    needs: document,
    type: 'text',
    description: 'the id of a recipe, live or shadow, whose verdict was PASS',
    read: ({ body }) => listRecipesOf(body, 'PASS'),
  },
  imported: {
    needs: document,
    type: 'boolean',
    description: 'whether it was imported',
    read: ({ body }) => body.imported === true,
  },
  phone: {
    needs: document,
    type: 'digest',
    description: 'the phone number of the target',
    read: ({ body }) => body.phone_digest,
  },
  email: {
    needs: document,
    type: 'digest',
    description: 'the email address of the target',
    read: ({ body }) => body.email_digest,
  },
  ip: {
    needs: document,
    type: 'digest',
    description: 'the IP address that was sent, whether it counted or not',
    read: ({ body }) => body.ip_digest,
  },
  device: {
    needs: document,
    type: 'digest',
    description: 'the device id that was sent, whether it counted or not',
    read: ({ body }) => body.device_digest,
  },
  correlation_id: {
    needs: document,
    type: 'digest',
    description: 'the correlation id of the request',
    read: ({ body }) => body.correlation_digest,
  },
  label: {
    needs: reports,
    type: 'text',
    description: 'a label reported of it, or of its target later',
    read: ({ reports: found }) =>
      found?.followed_by.flatMap(({ kind, name }) => (kind === 'event' ? [name] : [])),
  },
  class: {
    needs: reports,
    type: 'text',
    values: ['fraud', 'legitimate'],
    description: "the class of the last label that has one in the account's label classes",
    read: ({ reports: found }) => found?.label_class,
  },
  review: {
    needs: reports,
    type: 'text',
    values: reviewStates,
    description: 'what a person answered in a review; none also where that was withdrawn',
    read: ({ reports: found }) => findReviewState(found?.followed_by.map(({ name }) => name) ?? []),
  },
  prediction: {
    needs: record,
    type: 'boolean',
    description: 'whether it answered a prediction',
    read: ({ record: data }) => data?.prediction ?? false,
  },
  fragile: {
    needs: document,
    type: 'boolean',
    description: 'whether missing evidence could turn the verdict that was answered',
    read: ({ body }) => body.fragile ?? false,
  },
  ran: {
    needs: { plan: true, record: true },
    type: 'text',
    description: 'the id of a version that ran: of the flow, of a live recipe or a rule of it',
    read: listVersionsThatRan,
  },
  missing: {
    needs: record,
    type: 'text',
    description: 'a name that rules waited for and that did not arrive',
    read: ({ record: data }) => data?.missing?.map(([name]) => name) ?? [],
  },
  email_domain: {
    needs: evidence,
    type: 'text',
    description: "the domain of the target's email address",
    read: (one) => withText(one, 'target.email_address', extractMailDomain),
  },
  phone_country: {
    needs: evidence,
    type: 'text',
    description: "the country of the target's phone number, as ISO 3166-1 alpha-2",
    read: (one) => withText(one, 'target.phone_number', findPhoneCountry),
  },
  network: {
    needs: evidence,
    type: 'text',
    description: 'the network of the IP address that counted: /24 of IPv4, /48 of IPv6',
    read: (one) => withText(one, 'signal.ip', findNetwork),
  },
} as const satisfies Readonly<Record<string, ScanName<ScannedEvaluation>>>

/** Names of one recipe of it: those of a question are all about the same one. */
export const recipeNames = {
  recipe: {
    needs: document,
    type: 'text',
    description: 'the id of a recipe that ran',
    read: (one) => recipeDocument(one)?.recipe_id,
  },
  status: {
    needs: document,
    type: 'text',
    values: ['LIVE', 'SHADOW'],
    description: 'the status of the recipe; LIVE unless asked for',
    read: (one) => readStatus(one),
  },
  score: {
    needs: document,
    type: 'number',
    description: 'its score',
    read: (one) => recipeDocument(one)?.score,
  },
  threshold: {
    needs: document,
    type: 'number',
    description: 'its threshold',
    read: (one) => recipePin(one)?.threshold,
  },
  distance: {
    needs: document,
    type: 'number',
    description: 'how far its score is from its threshold, 0 or more',
    read: (one) => {
      const score = recipeDocument(one)?.score
      const threshold = recipePin(one)?.threshold
      return score === undefined || threshold === undefined
        ? undefined
        : Math.abs(score - threshold)
    },
  },
  recipe_verdict: {
    needs: document,
    type: 'text',
    values: ['PASS', 'FLAG'],
    description: 'its verdict',
    read: (one) => recipeDocument(one)?.verdict,
  },
  partial: {
    needs: document,
    type: 'boolean',
    description: 'whether a rule of it was not evaluated',
    read: (one) => recipeDocument(one)?.partial,
  },
  recipe_fragile: {
    needs: document,
    type: 'boolean',
    description: 'whether missing evidence could turn its verdict',
    read: (one) => recipeDocument(one)?.fragile ?? false,
  },
  score_min: {
    needs: document,
    type: 'number',
    description:
      'the smallest score that the rules not evaluated allow; the score where it is certain',
    read: (one) => readBound(one, 0),
  },
  score_max: {
    needs: document,
    type: 'number',
    description: 'the largest score that they allow',
    read: (one) => readBound(one, 1),
  },
  determined_by: {
    needs: document,
    type: 'text',
    description: 'the id of the overriding rule that set its verdict',
    read: (one) => recipeDocument(one)?.determined_by,
  },
} as const satisfies Readonly<Record<string, ScanName<ScannedRecipe>>>

/** Outcomes as they are asked for. */
const outcomeByLetter: Readonly<Record<string, string>> = {
  T: 'TRIGGERED',
  N: 'NOT_TRIGGERED',
  M: 'NOT_EVALUATED',
  U: 'UNAVAILABLE',
  S: 'SKIPPED',
}

/** Names of one rule of that recipe: those of a question are all about the same one. */
export const ruleNames = {
  rule: {
    needs: plan,
    type: 'text',
    description: 'the id of a rule that ran',
    read: (one) => plannedRule(one)?.rule_id,
  },
  version: {
    needs: plan,
    type: 'text',
    description: 'the id of the version of the rule that ran',
    read: (one) => plannedRule(one)?.version_id,
  },
  outcome: {
    needs: document,
    type: 'text',
    values: Object.values(outcomeByLetter),
    description: 'the outcome of the rule',
    read: (one) => outcomeByLetter[recipeDocument(one)?.outcomes.charAt(one.ruleIndex) ?? ''],
  },
} as const satisfies Readonly<Record<string, ScanName<ScannedRule>>>

/** A name of the evidence, such as `signal.ip` or `signal.ext.shop_country`. */
export function evidenceName(name: string): ScanName<ScannedEvaluation> {
  const type = findNameType(name, undefined)
  return {
    needs: evidence,
    type: type === 'bool' ? 'boolean' : type === 'timestamp' ? 'number' : 'text',
    description: 'a value of the evidence',
    read: ({ evidence: found }) => found?.get(name)?.value,
  }
}

function findNetwork(ip: string): string | undefined {
  const address = parseAddress(ip)
  return address?.network(address.version === 4 ? 24 : 48).text
}

function listRecipesOf({ recipes }: EvaluationDocument, verdict: Verdict): readonly string[] {
  return recipes.flatMap((one) => (one.verdict === verdict ? [one.recipe_id] : []))
}

/** Those that the account may know; shadow recipes have no part in the verdict. */
function listVersionsThatRan({ record: data, plan }: ScannedEvaluation): readonly string[] {
  const live = plan?.plan.recipes.filter(({ status }) => status === 'LIVE') ?? []
  return [
    ...(data ? [data.flow_version_id] : []),
    ...live.flatMap(({ version_id, rules }) => [
      version_id,
      ...rules.flatMap((rule) => (rule.type === 'CUSTOM' ? [rule.version_id] : [])),
    ]),
  ]
}

function withText(
  { evidence: found }: ScannedEvaluation,
  name: string,
  read: (text: string) => string | undefined,
): string | undefined {
  const value = found?.get(name)?.value
  return typeof value === 'string' ? read(value) : undefined
}

export function recipeDocument({ of, index }: ScannedRecipe) {
  return of.body.recipes[index]
}

function readBound(one: ScannedRecipe, at: 0 | 1): number | undefined {
  const { bounds, score } = recipeDocument(one) ?? {}
  return bounds ? bounds[at] : score
}

function recipePin({ of, index }: ScannedRecipe) {
  return of.planDocument?.recipes[index]
}

/** A plan is recorded before its first evaluation; it may only be the other projection that is behind. */
export function readStatus(one: ScannedRecipe): 'LIVE' | 'SHADOW' {
  return recipePin(one)?.status ?? 'LIVE'
}

/** Whether a rule of a live recipe was not evaluated. */
export function isAnswerPartial(of: ScannedEvaluation): boolean {
  return of.body.recipes.some(
    ({ partial }, index) => partial && readStatus({ of, index }) === 'LIVE',
  )
}

function plannedRule({ of, index, ruleIndex }: ScannedRule): PlannedRuleInfo | undefined {
  return of.plan?.plan.recipes[index]?.rules[ruleIndex]
}
