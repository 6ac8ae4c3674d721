/** Opens the sessions' part of the service. */

import type { HashCost } from '../../auth/passwordHash.ts'
import type { PrivateHost } from '../../domain/outboundHost.ts'
import { usualSessionDomain } from '../../domain/sessionHost.ts'
import type { PasswordMeter } from '../../metrics/passwordMeter.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { openAccessTokens } from './accessTokens.ts'
import { openAppCommands } from './appCommands.ts'
import { openAppQueries } from './appQueries.ts'
import { openAuthenticateUser } from './authenticateUser.ts'
import { openFindServedApp } from './findServedApp.ts'
import { openMigrationConfig } from './migrationConfig.ts'
import { openUserSessions } from './openUserSessions.ts'
import { openOwnSessions } from './ownSessions.ts'
import { openPasswordHashing } from './passwordHashing.ts'
import { openCheckPassword, openSetPassword } from './passwords.ts'
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
}

interface SessionsMeters {
  readonly passwords: PasswordMeter
}

export function openSessionsPart(
  context: ServiceContext,
  {
    privateMigrationHosts = [],
    passwordCost: cost,
    sessionDomain = usualSessionDomain,
  }: SessionsOptions,
  { passwords: meter }: SessionsMeters,
): SessionsPart {
  const { chance } = context
  const hashing = openPasswordHashing({ chance, meter, ...(cost && { cost }) })
  const tools = { hashing, meter }
  const tokens = openAccessTokens(context, sessionDomain)
  return {
    findServedApp: openFindServedApp(context),
    apps: { ...openAppQueries(context), ...openAppCommands(context) },
    users: { ...openUserQueries(context), ...openUserCommands(context) },
    passwords: { set: openSetPassword(context, tools), check: openCheckPassword(context, tools) },
    userSessions: openUserSessions(context, tokens),
    authenticateUser: openAuthenticateUser(context, tokens),
    ownSessions: openOwnSessions(context),
    signingKeys: openSigningKeys(context),
    migrationConfig: openMigrationConfig(context, privateMigrationHosts),
  }
}
