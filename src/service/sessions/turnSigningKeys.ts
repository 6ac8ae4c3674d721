/** Signing keys that have become old are followed by others, in time, whoever is there to do it. */

import { turnSigningKeys } from '../../commands/sessions/signingKeys.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import { type AppState, appStream, supersededKeys } from '../../events/sessions/app.ts'
import { type DueApp, findAppsDue } from '../../queries/sessions/apps.ts'
import { carryOut, type ServiceContext } from '../opening/serviceContext.ts'
import { destroySigningKeys, newSigningKey } from './signingKeys.ts'

/** Namespace of the command ids under which keys are turned over. */
const namespace = '3d5f2a0e-7c1b-5b86-9e44-0a6f1c9d2b57'

/** When it is looked for keys whose time has come, after the start and then again. */
const firstMs = 60 * 1_000
const everyMs = 60 * 60 * 1_000
/** Applications looked at in one page. */
const pageMax = 100

/**
 * Turns over the keys of every application whose time has come, once. Any number of instances may do it at once: each decides on what is
 * in the log, and finds the work of the others done. Throws what the stores throw.
 */
export async function turnDueSigningKeys(context: ServiceContext): Promise<void> {
  const nowMs = context.clock.nowMs()
  let after: DueApp | undefined
  for (;;) {
    const due = await findAppsDue(context, { nowMs, limit: pageMax, after })
    for (const { id } of due) await turnKeysOf(context, id, nowMs)
    after = due.at(-1)
    if (due.length < pageMax) return
  }
}

async function turnKeysOf(context: ServiceContext, appId: string, nowMs: number): Promise<void> {
  const stream = appStream(appId)
  const { state } = await context.apps.catchUp(stream)
  if (!state) return
  // before it is said: a key that is retired has no private half anywhere
  const superseded = supersededKeys(state, nowMs).map(({ kid }) => kid)
  await destroySigningKeys(context, superseded)
  await carryOut(context, context.apps, {
    stream,
    context: {
      account: state.account,
      actor: 'service',
      request: '',
      command: commandOf(appId, state),
      time: nowMs,
    },
    decide: turnSigningKeys(appId, newSigningKey(context), nowMs),
  })
}

/** The same for all who see the same keys. */
function commandOf(appId: string, { signing_keys: keys }: AppState): string {
  const seen = keys.map(({ kid, retired_at = 0 }) => `${kid} ${retired_at}`)
  return uuidV5(namespace, [appId, ...seen].join(' '))
}

/** Looks a minute after the start, and every hour, until it is closed. */
export function openKeyTurning(context: ServiceContext): { readonly close: () => void } {
  const turn = (): void => context.background.run(() => turnDueSigningKeys(context))
  const first = setTimeout(turn, firstMs).unref()
  const timer = setInterval(turn, everyMs).unref()
  return {
    close: () => {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}
