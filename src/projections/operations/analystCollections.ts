/** Lists the collections that analysts may read in MongoDB directly. */

/*
 * A new collection is added here, with its page in docs/guide/read-models.md, unless it serves only Vigil itself.
 */

import { accountCollection } from '../accounts/accounts.ts'
import {
  planCountsCollection,
  planDayCountsCollection,
  ruleCountsCollection,
  ruleDayCountsCollection,
} from '../analysis/counts.ts'
import { evaluationCollection } from '../evaluation/evaluations.ts'
import { planCollection, planPartCollection } from '../evaluation/plans.ts'
import { feedbackCollection, reportedEventCollection } from '../feedback/feedbackProjections.ts'
import { targetReportsCollection } from '../feedback/targetReports.ts'
import {
  flowCollection,
  managedRecipeCollection,
  managedRuleCollection,
  recipeCollection,
  ruleCollection,
} from '../rulebook/currentVersions.ts'
import { managedUseCollection } from '../rulebook/managedUses.ts'
import { changeCollection, versionCollection } from '../rulebook/versions.ts'
import type { DocumentCollection } from '../running/projection.ts'
import { senderIdCollection } from '../verification/senderIds.ts'
import { templateCollection } from '../verification/templates.ts'

/** No document of these collections contains personal data or a secret. */
export const analystCollections: readonly DocumentCollection<object>[] = [
  accountCollection,
  ruleCollection,
  recipeCollection,
  flowCollection,
  versionCollection,
  changeCollection,
  managedRuleCollection,
  managedRecipeCollection,
  managedUseCollection,
  evaluationCollection,
  planCollection,
  planPartCollection,
  planCountsCollection,
  planDayCountsCollection,
  ruleCountsCollection,
  ruleDayCountsCollection,
  feedbackCollection,
  reportedEventCollection,
  targetReportsCollection,
  senderIdCollection,
  templateCollection,
]

/** What is of no account, of the operator alone, or of several accounts at once. */
const sharedCollections: readonly DocumentCollection<object>[] = [
  accountCollection,
  managedRuleCollection,
  managedRecipeCollection,
  managedUseCollection,
  planPartCollection,
]

/** Each document of these names its `account`; the analysts of one account may see those of that one. */
export const accountCollections = analystCollections.filter(
  (one) => !sharedCollections.includes(one),
)
