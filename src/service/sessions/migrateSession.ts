/** Legacy sessions become sessions: the customer says whose they are. */

import type { Call } from '../../domain/call.ts'
import { Failure, type FailureCode } from '../../domain/failure.ts'
import type { ApplicationPrincipal } from '../../domain/principal.ts'
import type { MigrationResult, SessionMeter } from '../../metrics/sessionMeter.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { type Asked, LeftAlone } from './askValidation.ts'
import { notAuthenticated } from './authenticateUser.ts'
import { findMigratedUser } from './findMigratedUser.ts'
import type { LegacyToken, MigrationPart } from './migrationPart.ts'
import { ownAppNow } from './ownAppNow.ts'
import { AllCrowded } from './questionPlaces.ts'
import type { Validation } from './readValidation.ts'
import type { StartedSession, UserSessionsPart } from './userSessionsPart.ts'
import type { UsersPart } from './usersPart.ts'

interface MigrationOptions {
  readonly ask: (asked: Asked) => Promise<Validation>
  readonly create: UsersPart['users']['create']
  readonly start: UserSessionsPart['userSessions']['start']
  readonly meter: Pick<SessionMeter, 'migrated'>
}

export function openMigrateSession(
  context: ServiceContext,
  options: MigrationOptions,
): MigrationPart['migrateSession'] {
  const migrate = openMigration(context, options)
  return async (legacy) => {
    try {
      const started = await migrate(legacy)
      options.meter.migrated('migrated')
      return started
    } catch (error) {
      options.meter.migrated(resultOf(error))
      throw error
    }
  }
}

function openMigration(
  context: ServiceContext,
  { ask, create, start }: MigrationOptions,
): (legacy: LegacyToken) => Promise<StartedSession> {
  return async ({ app: { account, appId }, token, requestId, countryCode }) => {
    const place = { account, appId }
    const { migration } = await ownAppNow(context, place)
    if (!migration) throw notConfigured()
    const { session_validation_url: url } = migration
    const said = await ask({ ...place, requestId, url, token })
    if (!said.valid) throw notAuthenticated()
    const call: Call<ApplicationPrincipal> = {
      principal: { kind: 'application', accountId: account, appId },
      requestId,
    }
    const { identifiers } = said
    // the connection is of now, what the customer knows of before
    const device = countryCode ? { ...said.device, country_code: countryCode } : said.device
    const userId = await findMigratedUser(context, create, { call, place, identifiers })
    try {
      return (await start(call, { ...place, userId }, device)).value
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') throw userGone()
      throw error
    }
  }
}

/** Who tries again is asked about once more, and is somebody new when the customer still knows them. */
function userGone(): Failure {
  return new Failure('conflict', 'The user was deleted meanwhile; try again.', {
    retryAfterSeconds: 1,
  })
}

function notConfigured(): Failure {
  return new Failure('not_configured', 'The application takes no sessions of another system.')
}

function resultOf(error: unknown): MigrationResult {
  if (error instanceof LeftAlone) return 'paused'
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
