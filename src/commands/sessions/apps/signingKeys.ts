/** Rotates, retires and destroys the signing keys of applications. */

import { derivePublicKey } from '../../../auth/signingKey.ts'
import type { Call, WriteResult } from '../../../domain/call.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Principal } from '../../../domain/principal.ts'
import { uuidV5 } from '../../../domain/uuid.ts'
import {
  type AppEvent,
  type AppState,
  appStream,
  computeRotationDueMs,
  listSupersededKeys,
  listVerifyingKeys,
  type SigningKey,
} from '../../../events/sessions/appEvents.ts'
import { type Readers, readDocumentPages } from '../../../projections/running/documents.ts'
import { appCollection } from '../../../projections/sessions/apps.ts'
import { requireActiveApp } from '../../../state/sessions/findApp.ts'
import type { AppRef } from '../../../state/sessions/sessionStreamTypes.ts'
import { buildSigningKeyViews, type SigningKeyView } from '../../../state/sessions/views.ts'
import type { AppendContext, CommandContext } from '../../handling/commandContext.ts'
import { executeCommand } from '../../handling/executeCommand.ts'
import type { SessionsContext } from '../sessionsContext.ts'
import { type AppWriteContext, changeApp } from './accountApp.ts'

/** How many keys of an application may verify at once. */
const verifyingMax = 10

/** Namespace of the command ids under which due keys are rotated. */
const namespace = '3d5f2a0e-7c1b-5b86-9e44-0a6f1c9d2b57'

/** The event of a key that signs from now on, of those on disk already. Throws `unavailable` when none is left. */
export function takeSigningKey(
  { keyring }: Pick<CommandContext, 'keyring'>,
  appId: string,
  nowMs: number,
): AppEvent {
  const { id: kid, secret } = keyring.take()
  const data = { app_id: appId, kid, public_key: derivePublicKey(secret), added_at: nowMs }
  return { type: 'SigningKeyAdded', data }
}

function buildSigningKeyRetired(appId: string, kid: string, nowMs: number): AppEvent {
  return { type: 'SigningKeyRetired', data: { app_id: appId, kid, retired_at: nowMs } }
}

/** A new key signs, earlier ones verify until retired. Throws `app_not_found`, `conflict` when too many verify. */
export async function rotateSigningKey(
  context: AppWriteContext,
  call: Call<Principal>,
  app: AppRef,
): Promise<WriteResult<SigningKeyView>> {
  return changeApp(context, call, {
    app,
    operation: 'signing_keys.rotate',
    // none is taken for a refusal
    gather: async (state, nowMs) =>
      listVerifyingKeys(state).length < verifyingMax
        ? takeSigningKey(context, app.appId, nowMs)
        : undefined,
    decide: (_, __, added) => {
      if (added) return [added]
      const message = `An application has at most ${verifyingMax} signing keys; retire one first.`
      throw new Failure('conflict', message)
    },
    present: (state) => {
      const signing = buildSigningKeyViews(state).at(-1)
      if (!signing) throw new Error('a signing key was added and is not there')
      return signing
    },
  })
}

/**
 * Repeating it is no error. Throws `app_not_found`, `not_found` for a key that the application has not, `conflict` for
 * the one that signs.
 */
export async function retireSigningKey(
  context: AppWriteContext,
  call: Call<Principal>,
  { app, kid }: { readonly app: AppRef; readonly kid: string },
): Promise<WriteResult<void>> {
  const decide = ({ signing_keys: keys }: AppState, nowMs: number): readonly AppEvent[] => {
    const key = keys.find((known) => known.kid === kid)
    if (!key) throw new Failure('not_found', 'The application has no such signing key.')
    if (key.retired_at !== undefined) return []
    if (key === keys.at(-1)) {
      throw new Failure('conflict', 'This key signs; rotate first, and retire it then.')
    }
    return [buildSigningKeyRetired(app.appId, kid, nowMs)]
  }
  await context.apps.catchUp(appStream(app.appId))
  decide(await requireActiveApp(context, app), context.clock.nowMs())
  // before it is recorded: a key that is retired has no private half anywhere
  await destroySigningKeys(context, [{ kid }])
  const operation = `signing_keys.retire ${kid}`
  return changeApp(context, call, { app, operation, decide, present: () => undefined })
}

/** Destroys private halves permanently; repeating it is no error. None of them may be needed to sign any more. */
export async function destroySigningKeys(
  { keyring, clock }: Pick<CommandContext, 'keyring' | 'clock'>,
  keys: readonly Pick<SigningKey, 'kid'>[],
): Promise<void> {
  const kids = keys.map(({ kid }) => kid)
  if (kids.length > 0) await keyring.destroy(kids, clock.nowMs())
}

type KeysDue = AppendContext & Readers & Pick<SessionsContext, 'apps' | 'keyring' | 'clock'>

/**
 * Rotates the due keys of every application, once. Any number of instances may do it at once: each decides on what is
 * in the log, and finds the work of the others done. Throws what the stores throw.
 */
export async function rotateDueSigningKeys(context: KeysDue): Promise<void> {
  const nowMs = context.clock.nowMs()
  const reading = {
    // the one that is due longest first
    question: { where: { keys_due: { lte: nowMs } }, sort: ['keys_due'] as const },
    readAtOnce: 100,
  }
  for await (const due of readDocumentPages(context, appCollection, reading)) {
    for (const { id } of due) await rotateDueKeysOfApp(context, id, nowMs)
  }
}

/**
 * When its time has come, a key that is too old is followed by another, and those are retired under which no token can
 * be valid any more. An application that is retired gets none, and loses all.
 */
async function rotateDueKeysOfApp(context: KeysDue, appId: string, nowMs: number): Promise<void> {
  const stream = appStream(appId)
  const { state } = await context.apps.catchUp(stream)
  if (!state) return
  // before it is recorded: a key that is retired has no private half anywhere
  await destroySigningKeys(context, listSupersededKeys(state, nowMs))
  // the same for all instances that see the same keys
  const seen = state.signing_keys.map(({ kid, retired_at = 0 }) => `${kid} ${retired_at}`)
  const command = uuidV5(namespace, [appId, ...seen].join(' '))
  await executeCommand(context, context.apps, {
    stream,
    context: { account: state.account, actor: 'service', request: '', command, time: nowMs },
    gather: async (now) => {
      const isOld = now && now.retired_at === undefined && computeRotationDueMs(now) <= nowMs
      return isOld ? [takeSigningKey(context, appId, nowMs)] : []
    },
    decide: (now, _, added) => {
      const retired = now ? listSupersededKeys(now, nowMs) : []
      return [...retired.map(({ kid }) => buildSigningKeyRetired(appId, kid, nowMs)), ...added]
    },
  })
}
