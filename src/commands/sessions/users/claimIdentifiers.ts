/** Claims identifiers for users and releases them, so that no two users have the same. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../../domain/failure.ts'
import type { EventContext } from '../../../events/recording/event.ts'
import {
  type IdentifierClaim,
  type IdentifierEvent,
  identifierStream,
} from '../../../events/sessions/identifier.ts'
import {
  findActiveUser,
  type UserEvent,
  type UserStreamState,
  userStream,
} from '../../../events/sessions/user.ts'
import { findClaim } from '../../../state/sessions/findUser.ts'
import type { AppendContext } from '../../handling/commandContext.ts'
import { buildFollowUpContext, executeCommand } from '../../handling/executeCommand.ts'
import type { SessionsContext } from '../sessionsContext.ts'

type ClaimContext = AppendContext &
  Pick<SessionsContext, 'identifiers' | 'users' | 'clock' | 'random'>

/**
 * Each identifier has a stream of its own, and is claimed before the user is created. Claims of a creation that never
 * finished can be taken over; a creation that continues after that notices it by `UserCreationAbandoned`. A claim for
 * an existing user is completed by the next command that finds it.
 */

/** How long the claim of an unfinished creation is respected. */
const pendingMs = 10_000
/** How often an unfinished creation is waited for, and how long each time. */
const attemptsMax = 20
const pauseMs = 50

/** The user for whom identifiers are claimed, and the context of the events. */
export interface ClaimInput {
  readonly userId: string
  readonly appId: string
  /** Whether the user exists and is given them; else the user is created with them. */
  readonly isName?: boolean
  /** Whether the creation was abandoned before: another user may have its claims, so all are claimed again. */
  readonly wasAbandoned?: boolean
  /** Of the command that gives them to the user. */
  readonly eventContext: EventContext
}

/**
 * Claims all of them or none. Always in the same order, so that of two requests for the same identifiers one succeeds.
 * Throws `identifier_already_exists`, and `conflict` when another creation does not end in time.
 */
export async function claimIdentifiers(
  context: ClaimContext,
  claiming: ClaimInput,
  digests: readonly string[],
): Promise<void> {
  try {
    for (const digest of digests.toSorted()) await claimIdentifier(context, claiming, digest)
  } catch (error) {
    await releaseClaims(context, claiming, digests)
    throw error
  }
}

async function claimIdentifier(
  context: ClaimContext,
  claiming: ClaimInput,
  digest: string,
): Promise<void> {
  const { userId, appId, isName } = claiming
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const seen = await findClaim(context, digest)
    if (seen && !claiming.wasAbandoned && hasClaimed(seen, claiming)) return
    if (seen && !(await isVacant(context, claiming, { digest, seen }))) {
      await sleep(pauseMs)
      continue
    }
    const { state } = await executeCommand(context, context.identifiers, {
      stream: identifierStream(digest),
      context: buildFollowUpContext(context, claiming.eventContext),
      decide: (current, nowMs): readonly IdentifierEvent[] => {
        // only the claim that was seen may be replaced: a later one, even of the same user, counts as another one
        if (current.claim && current.claim.revision !== seen?.revision) return []
        const data = { user_id: userId, app_id: appId, claimed_at: nowMs }
        return [{ type: isName ? 'NameClaimed' : 'IdentifierClaimed', data }]
      },
    })
    if (state.claim && hasClaimed(state.claim, claiming)) return
  }
  throw claimConflict()
}

/** The refusal while another request is about to take the same identifiers. */
export function claimConflict(): Failure {
  return new Failure('conflict', 'Another request claims the same identifiers; try again.', {
    retryAfterSeconds: 1,
  })
}

/**
 * Whether the claim may be replaced: it is the user's own, its user was deleted or has other identifiers, or its
 * creation did not finish in time and is abandoned. False while the other creation is to be waited for. Throws
 * `identifier_already_exists`.
 */
async function isVacant(
  context: ClaimContext,
  { userId, eventContext }: ClaimInput,
  { digest, seen }: { readonly digest: string; readonly seen: IdentifierClaim },
): Promise<boolean> {
  const { user: owner } = seen
  if (owner === userId) return true
  if (seen.isName) {
    // complete the naming that another command has begun
    await nameUser(context, eventContext, { userId: owner, digest })
  }
  const { state } = await context.users.catchUp(userStream(owner))
  if (findActiveUser(state)?.identifier_digests.includes(digest)) {
    throw new Failure('identifier_already_exists', 'Another user has one of these identifiers.')
  }
  if (state.user) return true
  if (context.clock.nowMs() - seen.claimed_at < pendingMs) return false
  return abandonCreation(context, eventContext, { userId: owner, seen: state.abandoned })
}

/** Gives a claimed name to a user who has none; a deleted or named one stays as they are. Answers the user's state. */
export async function nameUser(
  context: ClaimContext,
  eventContext: EventContext,
  { userId, digest }: { readonly userId: string; readonly digest: string },
): Promise<UserStreamState> {
  const { state } = await executeCommand(context, context.users, {
    stream: userStream(userId),
    context: buildFollowUpContext(context, eventContext),
    decide: (stream, nowMs): readonly UserEvent[] => {
      const user = findActiveUser(stream)
      const isOpen = user && user.name_digest === undefined
      if (!isOpen || user.identifier_digests.includes(digest)) return []
      const data = { user_id: userId, identifier_digest: digest, named_at: nowMs }
      return [{ type: 'UserNamed', data }]
    },
  })
  return state
}

/** Records that the creation is abandoned, unless it was begun again since; false when the user exists by now. */
async function abandonCreation(
  context: ClaimContext,
  eventContext: EventContext,
  { userId, seen }: { readonly userId: string; readonly seen: number },
): Promise<boolean> {
  const { state } = await executeCommand(context, context.users, {
    stream: userStream(userId),
    context: buildFollowUpContext(context, eventContext),
    decide: ({ user, abandoned }, nowMs): readonly UserEvent[] =>
      user || abandoned !== seen
        ? []
        : [{ type: 'UserCreationAbandoned', data: { user_id: userId, abandoned_at: nowMs } }],
  })
  return state.user === undefined
}

/** Releases these claims, so that no other attempt at the same creation relies on them; later claims stay. */
async function releaseClaims(
  context: ClaimContext,
  claiming: ClaimInput,
  digests: readonly string[],
): Promise<void> {
  const { userId, eventContext } = claiming
  const found = await Promise.all(
    digests.map(async (digest) => ({ digest, seen: await findClaim(context, digest) })),
  )
  const own = found.filter(({ seen }) => seen?.user === userId)
  if (own.length === 0) return
  const { state } = await context.users.catchUp(userStream(userId))
  if (!(await abandonCreation(context, eventContext, { userId, seen: state.abandoned }))) return
  for (const one of own) await releaseIdentifier(context, claiming, one)
}

/** Releases the identifiers of a user; those that another user has by now stay. */
export async function releaseIdentifiers(
  context: ClaimContext,
  claiming: ClaimInput,
  digests: readonly string[],
): Promise<void> {
  for (const digest of digests) await releaseIdentifier(context, claiming, { digest })
}

/** Claims of other users stay, and so do later claims of the user than `seen`, if one is given. */
async function releaseIdentifier(
  context: ClaimContext,
  { userId, appId, eventContext }: ClaimInput,
  { digest, seen }: { readonly digest: string; readonly seen?: IdentifierClaim | undefined },
): Promise<void> {
  await executeCommand(context, context.identifiers, {
    stream: identifierStream(digest),
    context: buildFollowUpContext(context, eventContext),
    decide: ({ claim }): readonly IdentifierEvent[] =>
      claim?.user !== userId || (seen && claim.revision !== seen.revision)
        ? []
        : [{ type: 'IdentifierReleased', data: { user_id: userId, app_id: appId } }],
  })
}

/** Whether the claim is the user's, and of the kind that is wanted. */
function hasClaimed(claim: IdentifierClaim, { userId, isName = false }: ClaimInput): boolean {
  return claim.user === userId && (claim.isName || !isName)
}
