/** Registers applications, sets them and retires them. */

import { registerApp, retireApp, setAppSettings } from '../../commands/sessions/registerApp.ts'
import { derivedAppId } from '../../domain/appId.ts'
import type { Written } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import type { EventContext } from '../../events/recording/event.ts'
import { appStream, verifyingKeys } from '../../events/sessions/app.ts'
import { hasApps } from '../../queries/sessions/apps.ts'
import {
  accountStream,
  eventContextOf,
  type ServiceContext,
  write,
} from '../opening/serviceContext.ts'
import { appView } from './appQueries.ts'
import { changeApp } from './changeApp.ts'
import type { AppInput, AppView, SessionsPart } from './sessionsPart.ts'
import { destroySigningKeys, newSigningKey } from './signingKeys.ts'

type Apps = SessionsPart['apps']

/** How many applications an account may ever register, since their ids stay taken. */
const appsMax = 500
/** How long a registration waits in all for the read models to show what is in the log. */
const shownMs = 5_000
/** How many ids are made when the ones before are taken: of 78 thousand million, few are. */
const attemptsMax = 5

/** The commands on applications. */
export function openAppCommands(
  context: ServiceContext,
): Pick<Apps, 'register' | 'configure' | 'retire'> {
  return {
    register: openRegister(context),
    configure: async (call, place, input) => {
      const { account, appId } = place
      const decide = setAppSettings(appId, account, input)
      const change = { operation: 'apps.configure', input, decide }
      const written = await changeApp(context, { call, place }, change)
      return { ...written, value: appView(appId, written.value) }
    },
    retire: async (call, place) => {
      const { account, appId } = place
      const written = await changeApp(
        context,
        { call, place },
        {
          operation: 'apps.retire',
          input: null,
          decide: (state, nowMs) => retireApp(appId, account, nowMs)(state),
        },
      )
      // done again when the request is: an application that is retired signs nothing
      await destroySigningKeys(
        context,
        verifyingKeys(written.value).map(({ kid }) => kid),
      )
      return { ...written, value: undefined }
    },
  }
}

function openRegister(context: ServiceContext): Apps['register'] {
  return async (call, account, input) => {
    await assertOpen(context, account)
    const intention = { account, operation: 'apps.register', input, ownStream: true }
    const eventContext = eventContextOf(context, call, intention)
    const { app_id: chosen } = input
    if (await wasRegistered(context, eventContext, chosen)) {
      return registerUnder(context, { eventContext, input })
    }
    const untilMs = context.clock.nowMs() + shownMs
    // beside one another: whoever waits for read models that do not come holds nobody else up
    await assertCountable(context, untilMs)
    // one at a time: those that come at once do not pass the limit together, unless they come to several instances
    return context.oneByOne.run(`${eventContext.account} registers`, async () => {
      await assertCountable(context, untilMs)
      if (await hasApps(context, { account, count: appsMax })) {
        throw new Failure('conflict', `An account has at most ${appsMax} applications.`)
      }
      return registerUnder(context, { eventContext, input })
    })
  }
}

/** Waits until the read models show what was registered before. Throws `unavailable` when they do not by then. */
async function assertCountable(
  { events, projections, clock }: ServiceContext,
  untilMs: number,
): Promise<void> {
  // a clock that was set back lets nobody wait for longer
  const leftMs = Math.min(shownMs, Math.max(0, untilMs - clock.nowMs()))
  if (await projections.waitFor(await events.head(), leftMs)) return
  const message = 'It is not known yet how many applications the account has; try again.'
  throw new Failure('unavailable', message, { retryAfterSeconds: 1 })
}

function registerUnder(
  context: ServiceContext,
  one: Omit<Registration, 'appId'>,
): Promise<Written<AppView>> {
  const { eventContext, input } = one
  if (input.app_id !== undefined) return register(context, { ...one, appId: input.app_id })
  return underFreeId(eventContext.command, (appId) => register(context, { appId, ...one }))
}

/** Whether an earlier call with the same `Idempotency-Key` has registered one: it is answered as it was, however many there are by now. */
async function wasRegistered(
  { apps }: ServiceContext,
  eventContext: EventContext,
  chosen: string | undefined,
): Promise<boolean> {
  const ids = chosen === undefined ? idsTried(eventContext.command) : [chosen]
  const found = await Promise.all(
    ids.map(async (id) => {
      const stream = appStream(id)
      return apps.repeated(stream, await apps.catchUp(stream), eventContext)
    }),
  )
  return found.some((done) => done !== undefined)
}

function idsTried(command: string): readonly string[] {
  return Array.from({ length: attemptsMax + 1 }, (_, attempt) => derivedAppId(command, attempt))
}

/** Tries one id after another until one is not taken. */
async function underFreeId<Value>(
  command: string,
  work: (appId: string) => Promise<Value>,
): Promise<Value> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(derivedAppId(command, attempt))
    } catch (error) {
      const isTaken = error instanceof Failure && error.code === 'conflict'
      if (!isTaken || attempt >= attemptsMax) throw error
    }
  }
}

interface Registration {
  readonly appId: string
  readonly eventContext: EventContext
  readonly input: AppInput
}

async function register(
  context: ServiceContext,
  { appId, eventContext, input: { name, settings = {} } }: Registration,
): Promise<Written<AppView>> {
  const { account, time } = eventContext
  const stream = appStream(appId)
  const written = await write(context, context.apps, {
    stream,
    context: eventContext,
    decide: registerApp({ appId, account, name, settings, key: newSigningKey(context) }, time),
  })
  const { state, repeated, position } = written.value
  const then = repeated ? await context.apps.stateAt(stream, position) : state
  if (!then) throw new Error('a registration has left no application')
  return { ...written, value: appView(appId, then) }
}

/** Throws `not_found` for an account that the operator has not opened. */
async function assertOpen({ accounts }: ServiceContext, account: string): Promise<void> {
  const stream = accountStream(account)
  if ((await accounts.folded(stream)).state.opened) return
  if (!(await accounts.catchUp(stream)).state.opened) throw notFound()
}
