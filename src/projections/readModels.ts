/** Lists every projection of the service. */

/*
 * A new projection is added here, and has its file in the folder of its area.
 */

import { accounts } from './accounts/accounts.ts'
import { ruleUsage } from './analysis/ruleUsage.ts'
import { history } from './audit/history.ts'
import { subjectKeyIds } from './audit/subjectKeyIds.ts'
import { evaluations } from './evaluation/evaluations.ts'
import { plans } from './evaluation/plans.ts'
import { feedbackProjection, reportedEventsProjection } from './feedback/feedbackProjections.ts'
import { targetReports } from './feedback/targetReports.ts'
import { listEntries } from './lists/listEntries.ts'
import { listEntryKeys } from './lists/listEntryKeys.ts'
import { flows, managedRecipes, managedRules, recipes, rules } from './rulebook/currentVersions.ts'
import { managedUses } from './rulebook/managedUses.ts'
import { versions } from './rulebook/versions.ts'
import type { Projection } from './running/projection.ts'
import { apps } from './sessions/apps.ts'
import { passwordKeys } from './sessions/passwordKeys.ts'
import { sessions } from './sessions/sessions.ts'
import { users } from './sessions/users.ts'
import { senderIds } from './verification/senderIds.ts'
import { templates } from './verification/templates.ts'

export const readModels: readonly Projection[] = [
  accounts,
  rules,
  recipes,
  flows,
  plans,
  evaluations,
  feedbackProjection,
  reportedEventsProjection,
  targetReports,
  ruleUsage,
  subjectKeyIds,
  history,
  versions,
  managedRules,
  managedRecipes,
  managedUses,
  listEntries,
  listEntryKeys,
  senderIds,
  apps,
  users,
  passwordKeys,
  sessions,
  templates,
]
