/** Lists every projection of the service. */

/*
 * A new projection is added here, and has its file in the folder of its area.
 */

import { accountsProjection } from './accounts/accounts.ts'
import { arrivedKeysProjection } from './analysis/arrivedKeys.ts'
import { countsProjection } from './analysis/counts.ts'
import { historyProjection } from './audit/history.ts'
import { subjectKeyIdsProjection } from './audit/subjectKeyIds.ts'
import { countersProjection } from './evaluation/counters.ts'
import { evaluationsProjection } from './evaluation/evaluations.ts'
import { plansProjection } from './evaluation/plans.ts'
import { feedbackProjection, reportedEventsProjection } from './feedback/feedbackProjections.ts'
import { targetReportsProjection } from './feedback/targetReports.ts'
import { listEntriesProjection } from './lists/listEntries.ts'
import { listEntryKeysProjection } from './lists/listEntryKeys.ts'
import {
  flowsProjection,
  managedRecipesProjection,
  managedRulesProjection,
  recipesProjection,
  rulesProjection,
} from './rulebook/currentVersions.ts'
import { managedUsesProjection } from './rulebook/managedUses.ts'
import { versionsProjection } from './rulebook/versions.ts'
import type { Projection } from './running/projection.ts'
import { appsProjection } from './sessions/apps.ts'
import { passwordKeysProjection } from './sessions/passwordKeys.ts'
import { sessionsProjection } from './sessions/sessions.ts'
import { usersProjection } from './sessions/users.ts'
import { senderIdsProjection } from './verification/senderIds.ts'
import { templatesProjection } from './verification/templates.ts'

export const allProjections: readonly Projection[] = [
  accountsProjection,
  rulesProjection,
  recipesProjection,
  flowsProjection,
  plansProjection,
  evaluationsProjection,
  countersProjection,
  feedbackProjection,
  reportedEventsProjection,
  targetReportsProjection,
  countsProjection,
  arrivedKeysProjection,
  subjectKeyIdsProjection,
  historyProjection,
  versionsProjection,
  managedRulesProjection,
  managedRecipesProjection,
  managedUsesProjection,
  listEntriesProjection,
  listEntryKeysProjection,
  senderIdsProjection,
  appsProjection,
  usersProjection,
  passwordKeysProjection,
  sessionsProjection,
  templatesProjection,
]
