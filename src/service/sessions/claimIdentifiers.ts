/**
 * Identifiers belong to one user of an application: each has a stream of its own, whose claim comes before the user. What a creation leaves
 * behind that never ended can be taken over, and the creation finds out should it go on after all; see `UserCreationAbandoned`. A user who
 * is there and was about to be given an identifier is given it by whoever comes upon the claim.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  claimIdentifier,
  hasClaimed,
  releaseIdentifier,
} from '../../commands/sessions/claimIdentifier.ts'
import { abandonCreation, endNaming } from '../../commands/sessions/createUser.ts'
import { Failure } from '../../domain/failure.ts'
import type { Identifier } from '../../domain/identifiers.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { type IdentifierClaim, identifierStream } from '../../events/sessions/identifier.ts'
import { standingUser, userStream } from '../../events/sessions/user.ts'
import { carryOut, type ServiceContext } from '../opening/serviceContext.ts'
import { ownContext } from './ownContext.ts'

/** How long a claim is left to a user who has not come to be. */
const pendingMs = 10_000
/** How often it is looked whether another creation has ended, and after which pauses. */
const looksMax = 20
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
  { keyring }: Pick<ServiceContext, 'keyring'>,
  appId: string,
  { type, value }: Identifier,
): string {
  return keyring.digest('identifier', JSON.stringify([appId, type, value]))
}

/** The user who has the identifier, or is about to. */
export async function claimOf(
  { identifiers }: Pick<ServiceContext, 'identifiers'>,
  digest: string,
): Promise<IdentifierClaim | undefined> {
  return (await identifiers.catchUp(identifierStream(digest))).state.claim
}

/**
 * Claims all of them for a user who is about to have them, or none: in an order that is the same for everybody, so that of two who want the same
 * one gets it. Throws `identifier_already_exists`, and `conflict` when another creation does not end in time.
 */
export async function claimIdentifiers(
  context: ServiceContext,
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

async function claim(context: ServiceContext, claiming: Claiming, digest: string): Promise<void> {
  for (let look = 0; look < looksMax; look += 1) {
    const held = await claimOf(context, digest)
    if (held && !claiming.isAnew && hasClaimed(held, claiming)) return
    if (held && !(await isVacant(context, claiming, { digest, held }))) {
      await sleep(pauseMs)
      continue
    }
    const { eventContext } = claiming
    const { state } = await carryOut(context, context.identifiers, {
      stream: identifierStream(digest),
      context: ownContext(context, eventContext),
      decide: claimIdentifier(claiming, { seen: held, nowMs: eventContext.time }),
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
  context: ServiceContext,
  { userId, eventContext }: Claiming,
  { digest, held }: { readonly digest: string; readonly held: IdentifierClaim },
): Promise<boolean> {
  const { user: holder, claimed_at } = held
  if (holder === userId) return true
  if (held.isName) await giveClaimed(context, eventContext, { holder, digest })
  const { state } = await context.users.catchUp(userStream(holder))
  if (standingUser(state)?.identifier_digests.includes(digest)) {
    throw new Failure('identifier_already_exists', 'Another user has one of these identifiers.')
  }
  if (state.user) return true
  if (context.clock.nowMs() - claimed_at < pendingMs) return false
  return abandon(context, eventContext, { userId: holder, seen: state.abandoned })
}

/** Gives the holder what was claimed for them, unless they are gone or have another name. */
async function giveClaimed(
  context: ServiceContext,
  eventContext: EventContext,
  { holder, digest }: { readonly holder: string; readonly digest: string },
): Promise<void> {
  await carryOut(context, context.users, {
    stream: userStream(holder),
    context: ownContext(context, eventContext),
    decide: endNaming(holder, { digest, nowMs: eventContext.time }),
  })
}

/** Whether there is no such user, and none will be without claiming anew. */
async function abandon(
  context: ServiceContext,
  eventContext: EventContext,
  { userId, seen }: { readonly userId: string; readonly seen: number },
): Promise<boolean> {
  const { state } = await carryOut(context, context.users, {
    stream: userStream(userId),
    context: ownContext(context, eventContext),
    decide: abandonCreation(userId, seen, eventContext.time),
  })
  return state.user === undefined
}

/** Lets go of what was claimed: no other attempt at the same creation may rest on it. What one that came after has claimed anew is left to it. */
async function giveUp(
  context: ServiceContext,
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
  context: ServiceContext,
  claiming: Claiming,
  digests: readonly string[],
): Promise<void> {
  for (const digest of digests) await release(context, claiming, { digest })
}

async function release(
  context: ServiceContext,
  { userId, appId, eventContext }: Claiming,
  { digest, seen }: { readonly digest: string; readonly seen?: IdentifierClaim | undefined },
): Promise<void> {
  await carryOut(context, context.identifiers, {
    stream: identifierStream(digest),
    context: ownContext(context, eventContext),
    decide: releaseIdentifier({ userId, appId }, seen),
  })
}
