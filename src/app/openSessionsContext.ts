/** Opens what the commands and queries of sessions need beside the stores. */

import type { HashCost } from '../auth/passwordHash.ts'
import { type OutsideOptions, postOutside } from '../commands/sessions/migration/postOutside.ts'
import { circuitBreakers } from '../commands/sessions/migration/validateLegacySession.ts'
import { openValidationSlots } from '../commands/sessions/migration/validationSlots.ts'
import { openPasswordHashing } from '../commands/sessions/passwords/passwordHashing.ts'
import { inFlightMaxDefault } from '../config.ts'
import type { PrivateHost } from '../domain/network/outboundHost.ts'
import { usualSessionDomain } from '../domain/sessions/appId.ts'
import type { Logger } from '../log.ts'
import { openLookupLimits } from '../queries/reading/lookupLimits.ts'
import { findAppsDue, hasApps } from '../queries/sessions/apps.ts'
import type { SessionsQueryContext } from '../queries/sessions/queryContext.ts'
import { findActiveSessions, isSessionParked } from '../queries/sessions/sessions.ts'
import { findChangedPasswords } from '../queries/sessions/users.ts'
import type { ServiceContext } from './serviceContext.ts'

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

export function openSessionsContext(
  context: ServiceContext,
  options: SessionsOptions,
): SessionsQueryContext {
  const { passwordCost: cost, privateMigrationHosts = [], logger } = options
  const { sessionDomain = usualSessionDomain, inFlightMax = inFlightMaxDefault } = options
  const { clock, chance, metrics } = context
  const outside = { ...options.outside, allowed: privateMigrationHosts }
  return {
    ...context,
    reads: {
      hasApps: (asked) => hasApps(context, asked),
      findAppsDue: (asked) => findAppsDue(context, asked),
      findActiveSessions: (asked) => findActiveSessions(context, asked),
      isSessionParked: () => isSessionParked(context),
      findChangedPasswords: (asked) => findChangedPasswords(context, asked),
    },
    hashing: openPasswordHashing({ chance, meter: metrics.passwords, ...(cost && { cost }) }),
    customers: {
      post: (url, body, { authorization }) => postOutside(url, body, { ...outside, authorization }),
      breakers: circuitBreakers(),
      inSlot: openValidationSlots(inFlightMax),
    },
    warn: (facts, message) => logger?.warn(facts, message),
    limitAppReads: openLookupLimits(clock, { called: 'applications', perSecondMax: 2_000 }),
    sessionDomain,
    privateMigrationHosts,
  }
}
