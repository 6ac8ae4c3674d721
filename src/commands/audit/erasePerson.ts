/** Erases a person (evaluations, dispatches, reports, lists, users), and certifies the erasure. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { invalidRequest, notFound } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { subjectKindByListKind } from '../../domain/lists/lists.ts'
import { mayNameSomebody, namesIdentifier } from '../../domain/sessions/namesIdentifier.ts'
import type { Identifier } from '../../domain/sessions/userIdentifiers.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  type PersonErasureEvent,
  personErasureStream,
  personIdKinds,
} from '../../events/audit/erasure.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import { type UserEvent, userStream, userSubject } from '../../events/sessions/user.ts'
import { readPagesOfStream } from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import {
  destroyKeys,
  type EvidenceOfKey,
  eraseSubject,
  findRecordedData,
  readErasures,
  type SubjectData,
} from '../handling/eraseSubject.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'
import type { FoldedStreamCache } from '../handling/foldedStreamCache.ts'
import type { StreamType } from '../handling/streamType.ts'
import type { SessionsContext, UserRef } from '../sessions/sessionsContext.ts'
import { readIdentifiers } from '../sessions/users/findUser.ts'
import { deleteUser, listUserSubjects } from '../sessions/users/users.ts'

export { personIdKinds }

/** The person to erase: a number or an address in canonical form, or a user with all their identifiers. */
export type PersonToErase =
  | { readonly kind: 'phone_number' | 'email_address'; readonly value: string }
  | { readonly kind: 'user'; readonly appId: string; readonly userId: string }

export interface ErasureInput {
  readonly person: PersonToErase
  readonly reason?: string
}

/** The certificate of an erasure: it says what was erased, never the person. */
export const erasureSchema = openObject('Erasure', {
  id: text,
  kind: { type: 'string', enum: personIdKinds, description: 'How the person was identified.' },
  reason: optional(text),
  requested_by: { type: 'string', description: 'Id of the token.' },
  requested_at: { ...timeSchema, description: 'Everything answered before this time is erased.' },
  erased_at: { ...timeSchema, description: 'When the erasure was complete.' },
  keys: {
    ...countSchema,
    description: 'Destroyed sealing keys of the person, including those of earlier erasures.',
  },
  evaluations: {
    ...countSchema,
    description: 'Evaluations whose evidence is erased, each once; the verdicts stay.',
  },
  dispatches: { ...countSchema, description: 'Dispatches that those evaluations named.' },
  users: {
    ...countSchema,
    description:
      'Deleted users who had the number or an address, including those of earlier erasures.',
  },
  position: { type: 'string', description: 'Position of the certificate in the log.' },
  erasures: {
    type: 'array',
    items: { type: 'string', description: 'In the log.' },
    description: "Positions of the events that record the destruction of the person's keys.",
  },
})
export type ErasureView = TypeOf<typeof erasureSchema>

/** What erasing a person takes. */
export interface ErasePersonContext
  extends CommandContext,
    Pick<SessionsContext, 'users' | 'identifiers'>,
    Omit<Parameters<typeof deleteUser>[0], keyof CommandContext | 'users' | 'identifiers'> {
  readonly certificates: FoldedStreamCache<true | undefined, PersonErasureEvent>
}

/** Whom to erase. */
interface Person {
  /** Digest of what they were named by. */
  readonly subject: string
  /** Digests of their numbers and addresses. */
  readonly subjects: readonly string[]
  /** The same in clear; undefined once it is forgotten. */
  readonly identifiers: readonly Identifier[] | undefined
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

export const erasureStreamType: StreamType<true | undefined, PersonErasureEvent> = {
  initial: () => undefined,
  evolve: () => true,
  estimateBytes: () => 0,
}

/**
 * Repeating it is no error, and finishes what an earlier request began. Throws `invalid_request` for a reason that names the
 * person, `not_found` for an unknown user, `unavailable` when it must be repeated.
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
  const erased = isDone ? [] : [await carryOutErasure(context, call, { id, ...input })]
  const written = await executeAndWait(context, context.certificates, {
    stream: personErasureStream(id),
    context: eventContext,
    decide: () => erased,
  })
  const value = await readCertificate(context, { account, id })
  if (!value) throw new Error(`${id} was recorded and cannot be read`)
  return { ...written, value }
}

/** Undefined when the account has no erasure of this id. Throws `unavailable` when the log cannot be read. */
export async function readCertificate(
  { events }: Pick<CommandContext, 'events'>,
  { account, id }: { readonly account: string; readonly id: string },
): Promise<ErasureView | undefined> {
  const [recorded] = await events.readStream(personErasureStream(id), { from: 0, limit: 1 })
  if (!recorded) return undefined
  const decoded = decode(recorded) as DecodedEvent<PersonErasureEvent>
  return decoded.metadata.account === account ? toErasureView(decoded) : undefined
}

/** Each step may be repeated: one that was interrupted is carried out again from the first on. */
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
  if (reason !== undefined) await assertNamesNobody(context, reason, { person, users })

  // 3. Delete the users who have one of their numbers or addresses.
  const subjectsOfUsers: string[] = []
  const eraseUser = async (userId: string): Promise<void> => {
    const { user } = (await context.users.catchUp(userStream(userId))).state
    if (!user) throw new Error(`${userId} was never created`)
    await deleteUser(context, call, { account, appId: user.app, userId })
    subjectsOfUsers.push(...listUserSubjects(context, userId, user))
  }
  for (const userId of users) await eraseUser(userId)

  // 4. Destroy the keys of their numbers and addresses.
  for (const share of shares) await destroyKeys(context, call, { account, ...share })

  // 5. Destroy those of the dispatches that the evaluations named whose evidence is lost by that.
  const evidence = [...(await findErasedEvidence(context, shares)).values()]
  const dispatches = new Set(evidence.flatMap((one) => [...one.dispatches]))
  for (const subject of dispatches) await eraseSubject(context, call, { account, subject })

  // 6. Delete the user who was named: while they are there, nobody else of their application has their number.
  if (named.kind === 'user') await eraseUser(named.userId)

  // 7. Certify what is on record of it.
  const others = [...subjectsOfUsers, ...dispatches].map((subject) => ({ subject }))
  return {
    type: 'PersonErased',
    data: {
      erasure_id: id,
      kind: named.kind,
      subject: person.subject,
      ...(reason !== undefined && { reason }),
      ...(await readDestruction(context, [...shares, ...others])),
      evaluations: evidence.reduce((sum, one) => sum + one.evaluations, 0),
      users: users.length + (named.kind === 'user' ? 1 : 0),
      dispatches: dispatches.size,
      erased_at: context.clock.nowMs(),
    },
  }
}

async function findPerson(
  context: ErasePersonContext,
  account: string,
  person: PersonToErase,
): Promise<Person> {
  if (person.kind === 'user') return findUserById(context, { account, ...person })
  const { kind: type, value } = person
  const subject = context.keyring.subject(account, subjectKindByListKind[type], value)
  return { subject, subjects: [subject], identifiers: [{ type, value }] }
}

/** Deleted or not. Throws `not_found`. */
async function findUserById(
  context: ErasePersonContext,
  { account, appId, userId }: UserRef,
): Promise<Person> {
  const { user: state } = (await context.users.catchUp(userStream(userId))).state
  if (state?.app !== appId || state.account !== account) throw notFound()
  const { created } = await readLifeOfUser(context, userId)
  const { kind, value } = userSubject(userId)
  const subject = context.keyring.subject(account, kind, value)
  const opened = await openEvent(created, context.keyring)
  const { identifiers } = opened.event.data
  const named = (created.metadata.subjects ?? []).map(({ digest }) => digest)
  return {
    ...{ subject, userId },
    subjects: [...new Set(named)].filter((digest) => digest !== subject),
    identifiers: isForgotten(identifiers) ? undefined : (identifiers as readonly Identifier[]),
  }
}

type Created = DecodedEvent<Extract<UserEvent, { type: 'UserCreated' }>>

/** The event that made the user, and the position of the one that deleted them. */
async function readLifeOfUser(context: ErasePersonContext, userId: string) {
  let created: Created | undefined
  let deletedAt: number | undefined
  for await (const page of readPagesOfStream(context.events, userStream(userId))) {
    for (const recorded of page) {
      if (recorded.type === 'UserCreated') created = decode(recorded) as Created
      if (recorded.type === 'UserDeleted') deletedAt = recorded.position
    }
  }
  if (!created) throw new Error(`${userId} was never created`)
  return { created, deletedAt }
}

/**
 * Of a user who is deleted already it is what was erased until then: somebody else may have the number since. Whether they are is looked
 * at last: while they are there, nobody else of their application has it.
 */
async function findShares(
  context: ErasePersonContext,
  { subjects, userId: named }: Person,
): Promise<readonly Share[]> {
  const found = new Map<string, SubjectData>()
  for (const subject of subjects) found.set(subject, await findRecordedData(context, subject))
  const until = named === undefined ? undefined : (await readLifeOfUser(context, named)).deletedAt
  const shares: Share[] = []
  for (const [subject, data] of found) {
    const keys =
      until === undefined
        ? data.keys.filter((key) => named === undefined || data.users.get(key) !== named)
        : (await readRecords(context, { subject, until })).flatMap((one) => one.keys)
    const users = keys.flatMap((key) => data.users.get(key) ?? []).filter((id) => id !== named)
    if (keys.length > 0) shares.push({ subject, keys, users, until })
  }
  return shares
}

/** The erasures of a number or an address that were the person's. */
async function readRecords(
  { events }: Pick<ErasePersonContext, 'events'>,
  { subject, until = Number.POSITIVE_INFINITY }: Pick<Share, 'subject' | 'until'>,
) {
  return (await readErasures(events, subject)).filter(({ position }) => position < until)
}

/** Throws for a reason that tells whom it is about: it stays on record. Of a user who is forgotten, nothing that could tell is taken. */
async function assertNamesNobody(
  context: ErasePersonContext,
  reason: string,
  { person, users }: { readonly person: Person; readonly users: readonly string[] },
): Promise<void> {
  const known = [...(person.identifiers ?? [])]
  for (const userId of users) {
    const identifiers = await readIdentifiers(context, userId)
    if (identifiers !== 'forgotten') known.push(...identifiers)
  }
  const tells =
    known.some((identifier) => namesIdentifier(reason, identifier)) ||
    (person.identifiers === undefined && mayNameSomebody(reason))
  if (!tells) return
  const message = 'Must not name the person: it stays on record.'
  throw invalidRequest([{ path: 'reason', message }])
}

/** By their keys, each once: evidence that a number and an address share is under one key. Also what was recorded while it was erased. */
async function findErasedEvidence(
  context: ErasePersonContext,
  shares: readonly Share[],
): Promise<SubjectData['evidence']> {
  const found = new Map<string, EvidenceOfKey>()
  for (const share of shares) {
    const erased = new Set((await readRecords(context, share)).flatMap(({ keys }) => keys))
    const { evidence } = await findRecordedData(context, share.subject)
    for (const [key, one] of evidence) if (erased.has(key)) found.set(key, one)
  }
  return found
}

/** Which keys were destroyed, and where it is on record. */
async function readDestruction(
  context: ErasePersonContext,
  erased: readonly Pick<Share, 'subject' | 'until'>[],
): Promise<Pick<PersonErasureEvent['data'], 'keys' | 'positions'>> {
  const keys = new Set<string>()
  const positions = new Set<number>()
  for (const one of erased) {
    for (const record of await readRecords(context, one)) {
      positions.add(record.position)
      for (const key of record.keys) keys.add(key)
    }
  }
  return { keys: keys.size, positions: [...positions].sort((a, b) => a - b) }
}

function toErasureView({
  event,
  metadata,
  position,
}: DecodedEvent<PersonErasureEvent>): ErasureView {
  const { erasure_id: id, kind, reason, subject: _, erased_at, positions, ...counts } = event.data
  return {
    id,
    kind,
    ...(reason !== undefined && { reason }),
    requested_by: metadata.actor,
    requested_at: isoTime(metadata.time),
    erased_at: isoTime(erased_at),
    ...counts,
    position: String(position),
    erasures: positions.map(String),
  }
}
