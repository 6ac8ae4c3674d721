/** Erases a person (evaluations, dispatches, reports, lists, users), and certifies the erasure. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { invalidRequest, notFound } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import { subjectKindByListKind } from '../../domain/lists/lists.ts'
import { mayNameSomebody, namesIdentifier } from '../../domain/sessions/namesIdentifier.ts'
import type { Identifier } from '../../domain/sessions/userIdentifiers.ts'
import {
  type PersonErasureEvent,
  personErasureStream,
  personIdKinds,
} from '../../events/audit/erasure.ts'
import { decode } from '../../events/catalogue.ts'
import { userStream } from '../../events/sessions/user.ts'
import { type ErasureView, readCertificate } from '../../state/audit/erasureCertificate.ts'
import type { EvidenceOfKey, SubjectData } from '../../state/audit/sealingKeys.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import { readIdentifiers } from '../../state/sessions/findUser.ts'
import { readPagesOfStream } from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import {
  destroyKeys,
  eraseSubjects,
  findRecordedData,
  mapInGroups,
  readErasures,
} from '../handling/eraseSubject.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'
import type { SessionsContext } from '../sessions/sessionsContext.ts'
import { deleteUser } from '../sessions/users/users.ts'

export { personIdKinds }

/** The person to erase: a number or an address in canonical form, or a user with all their identifiers. */
export type PersonToErase =
  | { readonly kind: 'phone_number' | 'email_address'; readonly value: string }
  | { readonly kind: 'user'; readonly appId: string; readonly userId: string }

export interface ErasureInput {
  readonly person: PersonToErase
  readonly reason?: string
}

export interface ErasePersonContext
  extends CommandContext,
    Pick<SessionsContext, 'apps' | 'users' | 'identifiers'> {
  readonly certificates: FoldedStreamCache<true | undefined, PersonErasureEvent>
}

/** Whom to erase. */
interface Person {
  /** Digest of what they were named by. */
  readonly subject: string
  /** Digests of their numbers and addresses. */
  readonly subjects: readonly string[]
  /** Id of the user who was named as such. */
  readonly userId?: string
}

/** What is to be erased of a number or an address. */
interface Share {
  readonly subject: string
  readonly keys: readonly string[]
  /** Ids of the users who had it. */
  readonly users: readonly string[]
  /** Position behind which nothing is the person's: of a user who is deleted already. */
  readonly until?: number | undefined
}

/**
 * Repeating it is no error, and finishes what an earlier request began. Throws `invalid_request` for a reason that
 * names the person, `not_found` for an unknown user, `unavailable` when it must be repeated.
 */
export async function erasePerson(
  context: ErasePersonContext,
  call: Call,
  input: ErasureInput,
): Promise<WriteResult<ErasureView>> {
  const { accountId: account } = call.principal
  const intention = { account, operation: 'subjects.erase', input, ownStream: true }
  const eventContext = buildEventContext(context, call, intention)
  const id = deriveId('era', eventContext.command, 'erasure')
  // answered from its record where it was carried out before
  const isDone = (await readCertificate(context, { account, id })) !== undefined
  const certificate = isDone ? [] : [await carryOutErasure(context, call, { id, ...input })]
  // last of all: whatever ends before this is asked for again, and all of it is done
  const written = await executeAndWait(context, context.certificates, {
    stream: personErasureStream(id),
    context: eventContext,
    decide: () => certificate,
  })
  const value = await readCertificate(context, { account, id })
  if (!value) throw new Error(`${id} was recorded and cannot be read`)
  return { ...written, value }
}

/**
 * Answers the certificate to append. Each step is safe to repeat, and after an interruption all are: what is on record
 * of those before, they find again and leave as it is.
 */
async function carryOutErasure(
  context: ErasePersonContext,
  call: Call,
  { id, person: named, reason }: ErasureInput & { readonly id: string },
): Promise<PersonErasureEvent> {
  const { accountId: account } = call.principal
  // 1. Find what is on record of the person: what comes later is not of this erasure.
  const person = await findPerson(context, account, named)
  const shares = await findShares(context, person)
  const users = [...new Set(shares.flatMap((share) => share.users))]

  // 2. Refuse a reason that names them, before anything is destroyed.
  if (reason !== undefined) await assertNamesNobody(context, reason, { person: named, users })

  // 3. Delete the users who have one of their numbers or addresses.
  const subjectsOfUsers = await deleteUsers(context, call, users)

  // 4. Destroy the keys of their numbers and addresses: all at once, since an evaluation in between has some of each.
  const erased = shares.map(({ subject, keys }) => ({ subject, keys }))
  await destroyKeys(context, call, { account, erased })

  // 5. Destroy those of the dispatches that were named by what is lost by that: evaluations, feedback and events.
  const evidence = await findErasedEvidence(context, shares)
  const dispatches = new Set(evidence.flatMap((one) => [...one.dispatches]))
  await eraseSubjects(context, call, { account, subjects: [...dispatches] })

  // 6. Delete the user who was named: while they are there, nobody else of their application has their number.
  const ownSubjects = person.userId ? await deleteUsers(context, call, [person.userId]) : []

  // 7. Certify what is on record of it.
  const others = [...subjectsOfUsers, ...ownSubjects, ...dispatches].map((subject) => ({ subject }))
  const { keys, positions } = await readDestruction(context, [...shares, ...others])
  return {
    type: 'PersonErased',
    data: {
      erasure_id: id,
      kind: named.kind,
      subject: person.subject,
      ...(reason !== undefined && { reason }),
      keys: keys.size,
      positions: [...positions].sort((a, b) => a - b),
      evaluations: evidence.reduce((sum, one) => sum + one.evaluations, 0),
      users: users.length + (person.userId ? 1 : 0),
      dispatches: dispatches.size,
      erased_at: context.clock.nowMs(),
    },
  }
}

/** Answers the subjects that were erased with them. */
async function deleteUsers(
  context: ErasePersonContext,
  call: Call,
  userIds: readonly string[],
): Promise<readonly string[]> {
  const erased: string[] = []
  for (const userId of userIds) {
    const { user } = (await context.users.catchUp(userStream(userId))).state
    if (!user) throw new Error(`${userId} was never created`)
    const { account, app: appId } = user
    erased.push(...(await deleteUser(context, call, { account, appId, userId })).value)
  }
  return erased
}

/** Deleted or not. Throws `not_found`. */
async function findPerson(
  { users, events, keyring }: ErasePersonContext,
  account: string,
  person: PersonToErase,
): Promise<Person> {
  if (person.kind !== 'user') {
    const subject = keyring.subject(account, subjectKindByListKind[person.kind], person.value)
    return { subject, subjects: [subject] }
  }
  const { appId, userId } = person
  const { user } = (await users.catchUp(userStream(userId))).state
  if (user?.app !== appId || user.account !== account) throw notFound()
  const created = await findUserEvent(events, userId, 'UserCreated')
  // their own digest, then those of their numbers and addresses
  const named = created ? (decode(created).metadata.subjects ?? []) : []
  const [subject = '', ...subjects] = new Set(named.map(({ digest }) => digest))
  return { subject, subjects, userId }
}

/** The only event of this type among those of the user. */
async function findUserEvent(
  events: ErasePersonContext['events'],
  userId: string,
  wanted: 'UserCreated' | 'UserDeleted',
) {
  for await (const page of readPagesOfStream(events, userStream(userId))) {
    const found = page.find(({ type }) => type === wanted)
    if (found) return found
  }
  return undefined
}

/**
 * Of a user who is deleted already it is what was erased until then: somebody else may have the number since. Whether
 * they are is looked at last: while they are there, nobody else of their application has it.
 */
async function findShares(
  context: ErasePersonContext,
  { subjects, userId: named }: Person,
): Promise<readonly Share[]> {
  const found = new Map<string, SubjectData>()
  for (const subject of subjects) found.set(subject, await findRecordedData(context, subject))
  const deleted = named ? await findUserEvent(context.events, named, 'UserDeleted') : undefined
  const until = deleted?.position
  const shares: Share[] = []
  for (const [subject, data] of found) {
    const keys =
      until === undefined
        ? data.keys.filter((key) => !named || data.users.get(key) !== named)
        : (await readErasures(context.events, subject, until)).flatMap((one) => one.keys)
    const users = keys.flatMap((key) => data.users.get(key) ?? []).filter((id) => id !== named)
    if (keys.length > 0) shares.push({ subject, keys, users, until })
  }
  return shares
}

/**
 * Throws for a reason that tells whom it is about: it stays on record. Of a user who is forgotten, nothing that could
 * tell is taken.
 */
async function assertNamesNobody(
  context: ErasePersonContext,
  reason: string,
  { person, users }: { readonly person: PersonToErase; readonly users: readonly string[] },
): Promise<void> {
  const isUser = person.kind === 'user'
  const known: Identifier[] = isUser ? [] : [{ type: person.kind, value: person.value }]
  let tells = false
  for (const userId of isUser ? [person.userId, ...users] : users) {
    const identifiers = await readIdentifiers(context, userId)
    if (identifiers !== 'forgotten') known.push(...identifiers)
    else if (isUser && userId === person.userId) tells = mayNameSomebody(reason)
  }
  if (!tells && !known.some((identifier) => namesIdentifier(reason, identifier))) return
  const message = 'Must not name the person: it stays on record.'
  throw invalidRequest([{ path: 'reason', message }])
}

/** By keys, so that what a number and an address share is counted once. With what was recorded while it was erased. */
async function findErasedEvidence(
  context: ErasePersonContext,
  shares: readonly Share[],
): Promise<readonly EvidenceOfKey[]> {
  const { keys } = await readDestruction(context, shares)
  const found = new Map<string, EvidenceOfKey>()
  for (const { subject } of shares) {
    const { evidence } = await findRecordedData(context, subject)
    for (const [key, one] of evidence) if (keys.has(key)) found.set(key, one)
  }
  return [...found.values()]
}

/** Which keys were destroyed, and where it is on record. */
async function readDestruction(
  context: ErasePersonContext,
  erased: readonly Pick<Share, 'subject' | 'until'>[],
) {
  const found = await mapInGroups(erased, ({ subject, until }) =>
    readErasures(context.events, subject, until),
  )
  const records = found.flat()
  const positions = new Set(records.map(({ position }) => position))
  return { keys: new Set(records.flatMap(({ keys }) => keys)), positions }
}
