/** Starts a session in exchange for a legacy one, for the user that the customer names. */

import type { Call } from '../../../domain/call.ts'
import { Failure, type FailureCode } from '../../../domain/failure.ts'
import type { ApplicationPrincipal } from '../../../domain/principal.ts'
import type { ServedApp } from '../../../domain/sessions/appSettings.ts'
import type { MigrationResult } from '../../../metrics/meters.ts'
import { findOwnApp } from '../apps/ownApp.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import { type StartedSession, type StartingContext, startSession } from '../startSession.ts'
import type { Creating } from '../users/createUser.ts'
import { notAuthenticated } from '../users/findUser.ts'
import { findMigratedUser } from './findMigratedUser.ts'
import {
  type Validating,
  ValidationPaused,
  validateLegacySession,
} from './validateLegacySession.ts'
import { AllCrowded } from './validationSlots.ts'

/** A token of the system before, as a user has presented it. */
export interface LegacyToken {
  /** The application whose host was asked. */
  readonly app: ServedApp
  readonly requestId: string
  readonly token: string
  /** Where the connection comes from, two upper-case letters; undefined leaves it to what the customer says. */
  readonly countryCode: string | undefined
}

type Migrating = Validating & Creating & StartingContext & Pick<SessionsContext, 'metrics'>

/**
 * Asks the customer whether the legacy session is valid, and starts a session of the user that the customer names, created when
 * new. Throws `not_configured` while the application names no URL, `invalid_api_token` for a session that is not valid,
 * `session_validation_failed` when the answer does not follow the contract, and while the URL is paused, `rate_limited` when too many
 * questions of the application or the account are under way, `unavailable` when too many of all are, and `conflict` when the identifiers
 * belong to different users, or the user is deleted meanwhile.
 */
export async function migrateSession(
  context: Migrating,
  legacy: LegacyToken,
): Promise<StartedSession> {
  const { sessions: meter } = context.metrics
  try {
    const started = await migrate(context, legacy)
    meter.migrated('migrated')
    return started
  } catch (error) {
    meter.migrated(resultOf(error))
    throw error
  }
}

async function migrate(
  context: Migrating,
  { app: { account, appId }, token, requestId, countryCode }: LegacyToken,
): Promise<StartedSession> {
  const app = { account, appId }
  const { migration } = await findOwnApp(context, app)
  if (!migration) throw notConfigured()
  const { session_validation_url: url } = migration
  const said = await validateLegacySession(context, { ...app, requestId, url, token })
  if (!said.valid) throw notAuthenticated()
  const call: Call<ApplicationPrincipal> = {
    principal: { kind: 'application', accountId: account, appId },
    requestId,
  }
  const { identifiers } = said
  // the connection is of now, what the customer knows of before
  const device = countryCode ? { ...said.device, country_code: countryCode } : said.device
  const userId = await findMigratedUser(context, { call, app, identifiers })
  try {
    return (await startSession(context, call, { user: { ...app, userId }, input: device })).value
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') throw userGone()
    throw error
  }
}

/** The next try asks the customer once more, and creates a new user when the customer still knows them. */
function userGone(): Failure {
  return new Failure('conflict', 'The user was deleted meanwhile; try again.', {
    retryAfterSeconds: 1,
  })
}

function notConfigured(): Failure {
  return new Failure('not_configured', 'The application takes no sessions of another system.')
}

function resultOf(error: unknown): MigrationResult {
  if (error instanceof ValidationPaused) return 'paused'
  if (error instanceof AllCrowded) return 'crowded'
  return error instanceof Failure ? (results.get(error.code) ?? 'faulted') : 'faulted'
}

/** What is not here is nobody's fault but the service's own. */
const results = new Map<FailureCode, MigrationResult>([
  ['invalid_api_token', 'refused'],
  ['not_configured', 'unconfigured'],
  ['app_not_found', 'unconfigured'],
  ['session_validation_failed', 'failed'],
  ['conflict', 'conflict'],
  ['identifier_already_exists', 'conflict'],
  ['rate_limited', 'crowded'],
])
