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
import { findSubjectKind, type Identifier } from '../../domain/sessions/userIdentifiers.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  type PersonErasureEvent,
  personErasureStream,
  personIdKinds,
} from '../../events/audit/erasure.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import { type UserEvent, type UserState, userStream } from '../../events/sessions/user.ts'
import { readPagesOfStream } from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import { type ErasureResult, eraseSubject } from '../handling/eraseSubject.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'
import type { FoldedStreamCache } from '../handling/foldedStreamCache.ts'
import type { StreamType } from '../handling/streamType.ts'
import type { SessionsContext } from '../sessions/sessionsContext.ts'
import { findClaim, identifierDigest } from '../sessions/users/claimIdentifiers.ts'
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
    description: 'Evaluations whose evidence is erased; the verdicts stay.',
  },
  dispatches: { ...countSchema, description: 'Dispatches that those evaluations named.' },
  users: { ...countSchema, description: 'Users deleted with the person.' },
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
  /** The next ids of an account's applications after a cursor, retired ones among them: answered by the queries. */
  readonly listAppIds: (
    account: string,
    cursor: string | undefined,
  ) => Promise<{ readonly ids: readonly string[]; readonly nextCursor?: string | undefined }>
}

/** Who is to be erased, as far as it is known yet. */
interface Person {
  /** Digest of what they were named by. */
  readonly subject: string
  /** Digests of all their numbers and addresses. */
  readonly subjects: readonly string[]
  /** The same in clear, and what else a user was known by; none where it is forgotten already. */
  readonly identifiers: readonly Identifier[]
  /** Named as such: erased behind everything that is found by their identifiers. */
  readonly user?: FoundUser
}

interface FoundUser {
  readonly userId: string
  readonly state: UserState
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
  const written = await executeAndWait(context, context.certificates, {
    stream: personErasureStream(id),
    context: eventContext,
    // again is no error: what an earlier request had begun is finished, and another one's counted
    decide: async () => [await eraseFoundPerson(context, call, { id, ...input })],
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

async function eraseFoundPerson(
  context: ErasePersonContext,
  call: Call,
  { id, person, reason }: ErasureInput & { readonly id: string },
): Promise<PersonErasureEvent> {
  const { accountId: account } = call.principal
  const found = await findPerson(context, account, person)
  assertNamesNobody(reason, found.identifiers)
  const erased: ErasureResult[] = []
  const eraseData = async (subjects: Iterable<string>): Promise<void> => {
    for (const subject of subjects) {
      erased.push(await eraseSubject(context, call, { account, subject }))
    }
  }
  const eraseUser = async ({ userId, state }: FoundUser): Promise<void> => {
    await deleteUser(context, call, { account, appId: state.app, userId })
    await eraseData(listUserSubjects(context, userId, state))
  }
  // what is found by the number comes before what makes the number unreadable
  const users = await findUsersByIdentifiers(context, account, found)
  for (const user of users) await eraseUser(user)
  await eraseData(found.subjects)
  const dispatches = new Set(erased.flatMap((one) => one.dispatchSubjects))
  await eraseData(dispatches)
  if (found.user) await eraseUser(found.user)
  const records = erased.flatMap((one) => one.records)
  return {
    type: 'PersonErased',
    data: {
      erasure_id: id,
      kind: person.kind,
      subject: found.subject,
      ...(reason !== undefined && { reason }),
      erased_at: context.clock.nowMs(),
      keys: new Set(records.flatMap(({ keys }) => keys)).size,
      evaluations: erased.reduce((sum, { evaluationCount }) => sum + evaluationCount, 0),
      users: users.length + (found.user ? 1 : 0),
      dispatches: dispatches.size,
      positions: records.map(({ position }) => position).sort((a, b) => a - b),
    },
  }
}

/** Digits at the end of a phone number by which it is known, however it is written: +33 6 12 34 56 78 and 06 12 34 56 78. */
const toldDigits = 8

/** Throws `invalid_request` for a reason that tells whom it is about: it stays on record. */
function assertNamesNobody(reason: string | undefined, identifiers: readonly Identifier[]): void {
  if (reason === undefined) return
  const text = reason.normalize('NFC').toLowerCase()
  const digits = reason.replace(/\D/g, '')
  const tells = identifiers.some(({ type, value }) =>
    findSubjectKind(type) === 'phone'
      ? digits.includes(value.slice(1).slice(-toldDigits))
      : findSubjectKind(type) === 'email' && text.includes(value.toLowerCase()),
  )
  if (!tells) return
  const message = 'Must not name the person: it stays on record.'
  throw invalidRequest([{ path: 'reason', message }])
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

/** Deleted or not: what is left of them is erased. Throws `not_found`. */
async function findUserById(
  context: ErasePersonContext,
  { account, appId, userId }: { account: string; appId: string; userId: string },
): Promise<Person> {
  const stream = userStream(userId)
  const { user: state } = (await context.users.catchUp(stream)).state
  if (state?.app !== appId || state.account !== account) throw notFound()
  const created = await readUserCreation(context, stream)
  const { identifiers } = created.event.data
  const [subject = ''] = listUserSubjects(context, userId, state)
  const named = (created.metadata.subjects ?? []).map(({ digest }) => digest)
  return {
    subject,
    subjects: [...new Set(named)].filter((digest) => digest !== subject),
    identifiers: isForgotten(identifiers) ? [] : (identifiers as readonly Identifier[]),
    user: { userId, state },
  }
}

type Created = Extract<UserEvent, { type: 'UserCreated' }>

/** The event that made the user, behind those of creations that were abandoned. */
async function readUserCreation(context: ErasePersonContext, stream: string) {
  for await (const page of readPagesOfStream(context.events, stream)) {
    const created = page.find(({ type }) => type === 'UserCreated')
    if (created) {
      return (await openEvent(decode(created), context.keyring)) as DecodedEvent<Created>
    }
  }
  throw new Error(`${stream} has no user`)
}

/** The users of the account's applications, retired ones among them, that have one of the identifiers, but for the one who was named. */
async function findUsersByIdentifiers(
  context: ErasePersonContext,
  account: string,
  { identifiers, user: named }: Person,
): Promise<readonly FoundUser[]> {
  const shared = identifiers.filter(({ type }) => findSubjectKind(type))
  const found = new Map<string, UserState>()
  for await (const appId of shared.length > 0 ? listAllAppIds(context, account) : []) {
    for (const identifier of shared) {
      const claim = await findClaim(context, identifierDigest(context, appId, identifier))
      if (!claim || claim.user === named?.userId) continue
      const { user } = (await context.users.catchUp(userStream(claim.user))).state
      if (user) found.set(claim.user, user)
    }
  }
  return [...found].map(([userId, state]) => ({ userId, state }))
}

async function* listAllAppIds(
  context: ErasePersonContext,
  account: string,
): AsyncGenerator<string, void, undefined> {
  let cursor: string | undefined
  do {
    const page = await context.listAppIds(account, cursor)
    yield* page.ids
    cursor = page.nextCursor
  } while (cursor !== undefined)
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
