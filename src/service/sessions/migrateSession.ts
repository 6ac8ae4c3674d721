/** Legacy sessions become sessions: the customer says whose they are. */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { ApplicationPrincipal } from '../../domain/principal.ts'
import type { SessionMeter } from '../../metrics/sessionMeter.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { Asked } from './askValidation.ts'
import { notAuthenticated } from './authenticateUser.ts'
import { findMigratedUser } from './findMigratedUser.ts'
import type { LegacyToken, MigrationPart } from './migrationPart.ts'
import { ownAppNow } from './ownAppNow.ts'
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
  return async ({ app: { account, appId }, token, requestId }) => {
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
    const { identifiers, device } = said
    const userId = await findMigratedUser(context, create, { call, place, identifiers })
    return (await start(call, { ...place, userId }, device)).value
  }
}

function notConfigured(): Failure {
  return new Failure('not_configured', 'The application takes no sessions of another system.')
}

function resultOf(error: unknown) {
  if (!(error instanceof Failure)) return 'failed'
  if (error.code === 'invalid_api_token' || error.code === 'not_configured') return 'refused'
  return error.code === 'unavailable' ? 'paused' : 'failed'
}
