/** Opens the sessions' part of the service. */

import type { PrivateHost } from '../../domain/outboundHost.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { openAppCommands } from './appCommands.ts'
import { openAppQueries } from './appQueries.ts'
import { openFindServedApp } from './findServedApp.ts'
import { openMigrationConfig } from './migrationConfig.ts'
import type { SessionsPart } from './sessionsPart.ts'
import { openSigningKeys } from './signingKeys.ts'
import { openUserCommands } from './userCommands.ts'
import { openUserQueries } from './userQueries.ts'

export interface SessionsOptions {
  /** Hosts that migration URLs may name though they are not public; none unless given. */
  readonly privateMigrationHosts?: readonly PrivateHost[]
}

export function openSessionsPart(
  context: ServiceContext,
  { privateMigrationHosts = [] }: SessionsOptions,
): SessionsPart {
  return {
    findServedApp: openFindServedApp(context),
    apps: { ...openAppQueries(context), ...openAppCommands(context) },
    users: { ...openUserQueries(context), ...openUserCommands(context) },
    signingKeys: openSigningKeys(context),
    migrationConfig: openMigrationConfig(context, privateMigrationHosts),
  }
}
