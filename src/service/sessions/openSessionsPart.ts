/** Opens the sessions’ part of the service. */

import type { HashCost } from '../../auth/passwordHash.ts'
import { isAppId } from '../../domain/appId.ts'
import type { PrivateHost } from '../../domain/outboundHost.ts'
import type { FindServedApp, PeekServedApp, ServedApp } from '../../domain/servedApp.ts'
import { usualSessionDomain } from '../../domain/sessionHost.ts'
import { usualInFlightMax } from '../../domain/usualInFlightMax.ts'
import { type AppState, appStream, verifyingKeys } from '../../events/sessions/app.ts'
import type { Logger } from '../../log.ts'
import type { PasswordMeter } from '../../metrics/passwordMeter.ts'
import type { SessionMeter } from '../../metrics/sessionMeter.ts'
import { openBoundedLooks } from '../../queries/reading/boundedLooks.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { openAccessTokens } from './accessTokens.ts'
import { openAppCommands } from './appCommands.ts'
import { openAppQueries } from './appQueries.ts'
import { openAskValidation } from './askValidation.ts'
import { openAuthenticateUser } from './authenticateUser.ts'
import { openMigrationConfig } from './changeApp.ts'
import { openChangeOwnPassword } from './changeOwnPassword.ts'
import { openMigrateSession } from './migrateSession.ts'
import { openRefresh } from './openRefresh.ts'
import { openUserSessions } from './openUserSessions.ts'
import { openOwnSessions } from './ownSessions.ts'
import { openPasswordHashing } from './passwordHashing.ts'
import { openCheckPassword, openSetPassword } from './passwords.ts'
import type { OutsideOptions } from './postOutside.ts'
import type { SessionsPart } from './sessionsPart.ts'
import { openSigningKeys } from './signingKeys.ts'
import { openUserCommands } from './userCommands.ts'
import { openUserQueries } from './userQueries.ts'

export interface SessionsOptions {
  /** Hosts that migration URLs may name though they are not public; none unless given. */
  readonly privateMigrationHosts?: readonly PrivateHost[]
  /** What hashing a password costs; as OWASP has it unless given. */
  readonly passwordCost?: HashCost
  /** What the hosts of applications stand below; as usual unless given. */
  readonly sessionDomain?: string
  /** Requests in progress at once in this process; as usual unless given. */
  readonly inFlightMax?: number
  /** How customers are reached, for those who stand in for the public Internet; as usual unless given. */
  readonly outside?: Pick<OutsideOptions, 'certificates' | 'findAddresses'>
  /** Where it is said that a refresh token was used twice, and that a customer did not answer; nowhere unless given. */
  readonly logger?: Pick<Logger, 'warn'>
}

interface SessionsMeters {
  readonly passwords: PasswordMeter
  readonly sessions: SessionMeter
}

export function openSessionsPart(
  context: ServiceContext,
  {
    privateMigrationHosts = [],
    passwordCost: cost,
    sessionDomain = usualSessionDomain,
    inFlightMax = usualInFlightMax,
    outside = {},
    logger,
  }: SessionsOptions,
  { passwords: meter, sessions }: SessionsMeters,
): SessionsPart {
  const { chance } = context
  const hashing = openPasswordHashing({ chance, meter, ...(cost && { cost }) })
  const tools = { hashing, meter }
  const tokens = openAccessTokens(context, sessionDomain)
  const users = { ...openUserQueries(context), ...openUserCommands(context) }
  const userSessions = openUserSessions(context, tokens)
  return {
    findServedApp: openFindServedApp(context),
    peekServedApp: openPeekServedApp(context),
    apps: { ...openAppQueries(context), ...openAppCommands(context) },
    users,
    passwords: {
      set: openSetPassword(context, tools),
      check: openCheckPassword(context, tools),
      changeOwn: openChangeOwnPassword(context, tools),
    },
    userSessions,
    authenticateUser: openAuthenticateUser(context, tokens),
    ownSessions: openOwnSessions(context),
    signingKeys: openSigningKeys(context),
    refresh: openRefresh(context, {
      tokens,
      meter: sessions,
      onReuse: (reuse) =>
        logger?.warn(reuse, 'A refresh token was used twice; its session is over.'),
    }),
    migrateSession: openMigrateSession(context, {
      ask: openAskValidation(context, {
        tokens,
        inFlightMax,
        outside: { ...outside, allowed: privateMigrationHosts },
        onFault: (fault) =>
          logger?.warn(fault, 'A customer did not say whether a legacy session is valid.'),
      }),
      create: users.create,
      start: userSessions.start,
      meter: sessions,
    }),
    migrationConfig: openMigrationConfig(context, privateMigrationHosts),
  }
}

/**
 * Answers the application as this instance holds it, or else after one look into the log; one that is retired is none. Throws
 * `unavailable` when too many that there are not are asked for.
 */
export function openFindServedApp({
  apps,
  clock,
}: Pick<ServiceContext, 'apps' | 'clock'>): FindServedApp {
  const look = openBoundedLooks(clock, { called: 'applications', perSecondMax: 2_000 })
  return async (appId) => {
    if (!isAppId(appId)) return undefined
    const stream = appStream(appId)
    const state = apps.peek(stream)
      ? (await apps.folded(stream)).state
      : await look(appId, async () => (await apps.catchUp(stream)).state)
    return servedApp(appId, state)
  }
}

/** Answers the application as this instance holds it, without a look anywhere: it may be of a moment ago, and there may be more. */
function openPeekServedApp({ apps }: Pick<ServiceContext, 'apps'>): PeekServedApp {
  return (appId) => servedApp(appId, apps.peek(appStream(appId))?.state)
}

function servedApp(appId: string, state: AppState | undefined): ServedApp | undefined {
  if (!state || state.retired_at !== undefined) return undefined
  const { account, settings } = state
  return { appId, account, settings, keys: verifyingKeys(state) }
}
