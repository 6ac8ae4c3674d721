import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { Failure, invalidRequest } from '../../src/domain/failure.ts'
import { type AnsweringThread, askThread } from '../../src/queries/reading/askThread.ts'
import type { FromAnswering, ToAnswering } from '../../src/queries/reading/questionMessages.ts'
import { type ServingQuestions, serveQuestions } from '../../src/queries/reading/serveQuestions.ts'
import type { Collection } from '../../src/stores/readStore.ts'
import { eventually } from '../support/eventually.ts'

const collection: Collection = { name: 'things', version: 1, indexes: [] }
const never = new AbortController().signal

/** A thread that is none, over a real line: it ends when the test says so. */
function startedThread(serving: Pick<ServingQuestions, 'answer'>) {
  const { port1, port2 } = new MessageChannel()
  const listeners: ((error?: unknown) => void)[] = []
  let finds = 0
  const die = (error?: unknown): void => {
    port1.close()
    for (const listener of listeners.splice(0)) listener(error)
  }
  serveQuestions(
    {
      postMessage: (message: FromAnswering) => port2.postMessage(message),
      on: (event, listener: (message: ToAnswering) => void) => port2.on(event, listener),
    },
    {
      ...serving,
      documents: {
        get: async () => undefined,
        find: async () => {
          finds += 1
          return []
        },
      },
      close: async () => undefined,
    },
  )
  const thread: AnsweringThread = {
    postMessage: (message) => port1.postMessage(message),
    on: (event, listener) => port1.on(event, listener),
    onEnd: (listener) => listeners.push(listener),
    terminate: async () => die(),
  }
  return { thread, die, finds: () => finds }
}

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Longer than a busy machine takes, unless the test is about what is late. */
const patientMs = 60_000

function asking(
  serving: Pick<ServingQuestions, 'answer'>,
  { restartMs = 0, graceMs = patientMs } = {},
) {
  const started: ReturnType<typeof startedThread>[] = []
  const lost: string[] = []
  let time = 0
  const { ask, close } = askThread({
    start: () => {
      const one = startedThread(serving)
      started.push(one)
      return one.thread
    },
    active: () => ({ rules: 3 }),
    onLost: (why) => lost.push(why),
    nowMs: () => time,
    restartMs,
    graceMs,
    closeMs: 200,
  })
  closers.push(close)
  const pass = (ms: number): void => {
    time += ms
  }
  return { ask, close, started, lost, pass }
}

describe('a question to a thread', () => {
  test('is answered there, over the versions that readers use now', async () => {
    const { ask } = asking({
      answer: async ({ projections }, name, asked) => [name, asked, projections.active('rules')],
    })

    const answer = await ask('listRules', { limit: 2 }, never)

    expect(answer).toEqual(['listRules', { limit: 2 }, 3])
  })

  test('fails as it would here', async () => {
    const details = [{ path: 'cursor', message: 'is not a cursor of this list' }]
    const { ask } = asking({
      answer: async () => {
        throw invalidRequest(details)
      },
    })

    const failure = await ask('listRules', {}, never).catch((error: Failure) => error)

    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ code: 'invalid_request', param: 'request', details })
  })

  test('that fails unexpectedly is no expected failure', async () => {
    const { ask } = asking({
      answer: async () => {
        throw new TypeError('no index')
      },
    })

    const failure = await ask('listRules', {}, never).catch((error: Error) => error)

    expect(failure).not.toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ message: 'no index' })
  })

  test('that nobody waits for goes no step further, and the others go on', async () => {
    const stop = new AbortController()
    const { ask, started } = asking({
      answer: async ({ documents }, name) => {
        for (;;) {
          await documents.find(collection, { where: {}, limit: 1 })
          if (name === 'short') return 'done'
        }
      },
    })
    const endless = ask('endless', {}, stop.signal).catch((error: Failure) => error)
    await ask('short', {}, never)

    stop.abort()
    const failure = await endless
    await ask('short', {}, never)
    const finds = started[0]?.finds() ?? 0
    await new Promise((resolve) => setTimeout(resolve, 40))

    expect(failure).toMatchObject({ code: 'unavailable' })
    expect(started[0]?.finds()).toBe(finds)
    expect(started).toHaveLength(1)
  })
})

describe('a thread that dies', () => {
  const hanging: Pick<ServingQuestions, 'answer'> = {
    answer: (_, name) => (name === 'hang' ? new Promise(() => undefined) : Promise.resolve('ok')),
  }

  test('fails what it was asked, is told of, and another answers what comes next', async () => {
    const { ask, started, lost, pass } = asking(hanging, { restartMs: 1_000 })
    const hangs = ask('hang', {}, never).catch((error: Failure) => error)

    started[0]?.die(new Error('out of memory'))
    const failure = await hangs
    const early = await ask('fine', {}, never).catch((error: Failure) => error)
    pass(1_000)
    const next = await ask('fine', {}, never)

    expect(failure).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    expect(early).toMatchObject({ code: 'unavailable' })
    expect(next).toBe('ok')
    expect(lost).toEqual(['out of memory'])
    expect(started).toHaveLength(2)
  })

  test('is ended by force when it does not let go of what was given up', async () => {
    const stop = new AbortController()
    const { ask, started, lost } = asking(hanging, { graceMs: 20 })
    const hangs = ask('hang', {}, stop.signal).catch((error: Failure) => error)

    stop.abort()
    await hangs
    await eventually(() => lost.length > 0)
    const next = await ask('fine', {}, never)

    expect(lost).toHaveLength(1)
    expect(started).toHaveLength(2)
    expect(next).toBe('ok')
  })
})

test('closing gives up what is under way, and nothing is asked any more', async () => {
  const { ask, close, lost } = asking({
    answer: async ({ documents }) => {
      for (;;) await documents.find(collection, { where: {}, limit: 1 })
    },
  })
  const endless = ask('endless', {}, never).catch((error: Failure) => error)

  await close()
  const failure = await endless
  const after = await ask('endless', {}, never).catch((error: Failure) => error)

  expect(failure).toMatchObject({ code: 'unavailable' })
  expect(after).toMatchObject({ code: 'unavailable' })
  expect(lost).toEqual([])
})
