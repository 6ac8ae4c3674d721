/** Claims identifiers for users and releases them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../../domain/failure.ts'
import type { Identifier } from '../../../domain/identifiers.ts'
import type { EventContext } from '../../../events/recording/event.ts'
import {
  type IdentifierClaim,
  type IdentifierEvent,
  type IdentifierStream,
  identifierStream,
} from '../../../events/sessions/identifier.ts'
import {
  activeUser,
  noUser,
  type UserEvent,
  type UserStream,
  userStream,
} from '../../../events/sessions/user.ts'
import type { Appending } from '../../handling/context.ts'
import { carryOut, derivedContext } from '../../handling/write.ts'
import type { SessionsContext } from '../sessionsContext.ts'

type Claims = Appending & Pick<SessionsContext, 'identifiers' | 'users' | 'clock' | 'chance'>

/*
 * Each identifier has a stream of its own, whose claim comes before the user. What a creation leaves behind that never ended can be taken
 * over, and the creation finds out should it go on after all; see `UserCreationAbandoned`. A user who is there and was about to be given an
 * identifier is given it by whichever command finds the claim.
 */

/** How long a claim is left to a user who has not come to be. */
const pendingMs = 10_000
/** How often it is looked whether another creation has ended, and after which pauses. */
const attemptsMax = 20
const pauseMs = 50

/** Whose identifiers are claimed, and what that is recorded with. */
export interface Claiming {
  readonly userId: string
  readonly appId: string
  /** Whether the user is there and is to be given them; else they are to be created with them. */
  readonly isName?: boolean
  /** Whether the creation has been abandoned before: what was claimed for it until then may be about to be somebody else's, and is claimed anew. */
  readonly isAnew?: boolean
  /** Of the command that gives them to the user. */
  readonly eventContext: EventContext
}

/** The keyed digest of an identifier in canonical form, in an application. */
export function identifierDigest(
  { keyring }: Pick<SessionsContext, 'keyring'>,
  appId: string,
  { type, value }: Identifier,
): string {
  return keyring.digest('identifier', JSON.stringify([appId, type, value]))
}

/** The user who has the identifier, or is about to. */
export async function claimOf(
  { identifiers }: Pick<SessionsContext, 'identifiers'>,
  digest: string,
): Promise<IdentifierClaim | undefined> {
  return (await identifiers.catchUp(identifierStream(digest))).state.claim
}

/**
 * Claims all of them for a user who is about to have them, or none: in an order that is the same for everybody, so that of two who want the same
 * one gets it. Throws `identifier_already_exists`, and `conflict` when another creation does not end in time.
 */
export async function claimIdentifiers(
  context: Claims,
  claiming: Claiming,
  digests: readonly string[],
): Promise<void> {
  try {
    for (const digest of digests.toSorted()) await claim(context, claiming, digest)
  } catch (error) {
    await giveUp(context, claiming, digests)
    throw error
  }
}

async function claim(context: Claims, claiming: Claiming, digest: string): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const held = await claimOf(context, digest)
    if (held && !claiming.isAnew && hasClaimed(held, claiming)) return
    if (held && !(await isVacant(context, claiming, { digest, held }))) {
      await sleep(pauseMs)
      continue
    }
    const { eventContext } = claiming
    const { state } = await carryOut(context, context.identifiers, {
      stream: identifierStream(digest),
      context: derivedContext(context, eventContext),
      decide: decideClaim(claiming, { seen: held, nowMs: eventContext.time }),
    })
    if (state.claim && hasClaimed(state.claim, claiming)) return
  }
  throw new Failure('conflict', 'Another request claims the same identifiers; try again.', {
    retryAfterSeconds: 1,
  })
}

/**
 * Whether the claim may be replaced: it is the user's own, or for nothing, being of one who was deleted, who has other identifiers, or who was
 * to be created long ago and now will not be with this claim. False while it is to be waited. Throws `identifier_already_exists`.
 */
async function isVacant(
  context: Claims,
  { userId, eventContext }: Claiming,
  { digest, held }: { readonly digest: string; readonly held: IdentifierClaim },
): Promise<boolean> {
  const { user: holder, claimed_at } = held
  if (holder === userId) return true
  if (held.isName) await giveClaimed(context, eventContext, { holder, digest })
  const { state } = await context.users.catchUp(userStream(holder))
  if (activeUser(state)?.identifier_digests.includes(digest)) {
    throw new Failure('identifier_already_exists', 'Another user has one of these identifiers.')
  }
  if (state.user) return true
  if (context.clock.nowMs() - claimed_at < pendingMs) return false
  return abandon(context, eventContext, { userId: holder, seen: state.abandoned })
}

/** Gives the holder what was claimed for them, unless they are gone or have another name. */
async function giveClaimed(
  context: Claims,
  eventContext: EventContext,
  { holder, digest }: { readonly holder: string; readonly digest: string },
): Promise<void> {
  await carryOut(context, context.users, {
    stream: userStream(holder),
    context: derivedContext(context, eventContext),
    decide: decideNaming(holder, { digest, nowMs: eventContext.time }),
  })
}

/** Whether there is no such user, and none will be without claiming anew. */
async function abandon(
  context: Claims,
  eventContext: EventContext,
  { userId, seen }: { readonly userId: string; readonly seen: number },
): Promise<boolean> {
  const { state } = await carryOut(context, context.users, {
    stream: userStream(userId),
    context: derivedContext(context, eventContext),
    decide: decideAbandonment(userId, seen, eventContext.time),
  })
  return state.user === undefined
}

/** Lets go of what was claimed: no other attempt at the same creation may rest on it. What one that came after has claimed anew is left to it. */
async function giveUp(
  context: Claims,
  claiming: Claiming,
  digests: readonly string[],
): Promise<void> {
  const { userId, eventContext } = claiming
  const found = await Promise.all(
    digests.map(async (digest) => ({ digest, seen: await claimOf(context, digest) })),
  )
  const own = found.filter(({ seen }) => seen?.user === userId)
  if (own.length === 0) return
  const { state } = await context.users.catchUp(userStream(userId))
  if (!(await abandon(context, eventContext, { userId, seen: state.abandoned }))) return
  for (const one of own) await release(context, claiming, one)
}

/** For a user who will have them no more, or never. Whoever else has one of them by now keeps it. */
export async function releaseIdentifiers(
  context: Claims,
  claiming: Claiming,
  digests: readonly string[],
): Promise<void> {
  for (const digest of digests) await release(context, claiming, { digest })
}

async function release(
  context: Claims,
  { userId, appId, eventContext }: Claiming,
  { digest, seen }: { readonly digest: string; readonly seen?: IdentifierClaim | undefined },
): Promise<void> {
  await carryOut(context, context.identifiers, {
    stream: identifierStream(digest),
    context: derivedContext(context, eventContext),
    decide: decideRelease({ userId, appId }, seen),
  })
}

interface Claimant {
  readonly userId: string
  readonly appId: string
  /** Whether the user is there and is to be given it; else they are to be created with it. */
  readonly isName?: boolean
}

/**
 * Nothing when somebody has it, unless that is the very claim that may be replaced (`seen`): the user's own, or one that is for
 * nothing. A later claim of the same user is another one, of which it is not known.
 */
function decideClaim(
  { userId, appId, isName = false }: Claimant,
  { seen, nowMs }: { readonly seen: IdentifierClaim | undefined; readonly nowMs: number },
) {
  return ({ claim }: IdentifierStream): readonly IdentifierEvent[] => {
    if (claim && claim.revision !== seen?.revision) return []
    const data = { user_id: userId, app_id: appId, claimed_at: nowMs }
    return [{ type: isName ? 'NameClaimed' : 'IdentifierClaimed', data }]
  }
}

/** Whether it is the user's, and what is wanted of it is said in the claim. */
function hasClaimed(
  claim: IdentifierClaim,
  { userId, isName = false }: Pick<Claimant, 'userId' | 'isName'>,
): boolean {
  return claim.user === userId && (claim.isName || !isName)
}

/** What is somebody else's by now stays so, and so does a later claim of the user than the one that was seen, if one is given. */
function decideRelease({ userId, appId }: Claimant, seen?: IdentifierClaim) {
  return ({ claim }: IdentifierStream): readonly IdentifierEvent[] => {
    if (claim?.user !== userId) return []
    if (seen && claim.revision !== seen.revision) return []
    return [{ type: 'IdentifierReleased', data: { user_id: userId, app_id: appId } }]
  }
}

/** A user who is there is left alone, as is one whose creation nobody has begun since the last time. */
function decideAbandonment(userId: string, seen: number, nowMs: number) {
  return ({ user, abandoned }: UserStream = noUser): readonly UserEvent[] =>
    user || abandoned !== seen
      ? []
      : [{ type: 'UserCreationAbandoned', data: { user_id: userId, abandoned_at: nowMs } }]
}

/** A user for whom a name was claimed is given it, unless they are gone or have one. */
function decideNaming(
  userId: string,
  { digest, nowMs }: { readonly digest: string; readonly nowMs: number },
) {
  return (stream: UserStream = noUser): readonly UserEvent[] => {
    const user = activeUser(stream)
    const isOpen = user && user.name_digest === undefined
    if (!isOpen || user.identifier_digests.includes(digest)) return []
    const data = { user_id: userId, identifier_digest: digest, named_at: nowMs }
    return [{ type: 'UserNamed', data }]
  }
}
