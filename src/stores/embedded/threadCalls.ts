/** Calls functions in worker threads, serves such calls, and shares the log's end position. */

/*
 * A thread is never restarted: its starter is told when it dies, and decides.
 */

import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from 'node:worker_threads'
import { Failure } from '../../domain/failure.ts'

/**
 * Gives the signal of a call, which is made when it is first asked for: that takes longer than handing over what is
 * asked.
 */
export type GetSignal = () => AbortSignal

/**
 * What a thread can be asked, by name. What goes in and out is plain data; one that can be cancelled takes a signal.
 */
export type Calls = Readonly<Record<string, (asked: never, getSignal: GetSignal) => unknown>>

/** What a call is given: a signal only where it can be cancelled. */
type Given<Call> = Call extends (asked: infer Asked) => unknown
  ? [asked: Asked]
  : Call extends (asked: infer Asked, getSignal: GetSignal) => unknown
    ? [asked: Asked, signal?: AbortSignal]
    : never
type Answered<Call> = Call extends (...asked: never) => infer Answer ? Awaited<Answer> : never

/** A request; without a name the request of this number is cancelled. */
interface ToThread {
  readonly id: number
  readonly name?: string
  readonly asked?: unknown
}

/** An answer or why there is none; without a number what is told unasked. */
type FromThread =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: PlainFailure }
  | { readonly told: unknown }

/** Asked by the protocol itself, when nothing is under way any more. */
const closing = 'close'

/** The asking end of a thread that serves these calls. */
export interface CallableThread<Served extends Calls> {
  /** Rejects with what the call throws, and `unavailable` when it is cancelled or the thread has ended. */
  readonly call: <Name extends keyof Served & string>(
    name: Name,
    ...given: Given<Served[Name]>
  ) => Promise<Answered<Served[Name]>>
  /** Cancels what is under way and settles when the thread has ended. */
  readonly close: () => Promise<void>
}

export interface ThreadOptions<Told> {
  /** The module that serves, beside that of this URL. */
  readonly beside: string
  readonly module: string
  readonly onTold?: (told: Told) => void
  /** Told why, when the thread ended without being asked to. */
  readonly onDied?: ((why: string) => void) | undefined
}

interface PendingCall {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
  /** Lets go of the signal. */
  readonly done: () => void
}

/** Starts a thread. */
export function startThread<Served extends Calls, Told = never>(
  options: ThreadOptions<Told>,
): CallableThread<Served> {
  const { port1: port, port2: threadPort } = new MessageChannel()
  const waiting = new Map<number, PendingCall>()
  let asks = 0
  let end: string | undefined

  const settled = (id: number): PendingCall | undefined => {
    const one = waiting.get(id)
    waiting.delete(id)
    one?.done()
    return one
  }
  const take = (message: FromThread): void => {
    if ('told' in message) options.onTold?.(message.told as Told)
    else if ('value' in message) settled(message.id)?.resolve(message.value as never)
    else settled(message.id)?.reject(thrownFor(message.failure))
  }
  const call = (name: string, asked: unknown, signal?: AbortSignal): Promise<never> =>
    new Promise((resolve, reject) => {
      if (end !== undefined) return reject(threadUnavailable(end))
      asks += 1
      const id = asks
      const cancel = (): void => {
        port.postMessage({ id } satisfies ToThread)
        settled(id)?.reject(threadUnavailable('it took too long'))
      }
      waiting.set(id, { resolve, reject, done: () => signal?.removeEventListener('abort', cancel) })
      signal?.addEventListener('abort', cancel, { once: true })
      port.postMessage({ id, name, asked } satisfies ToThread)
    })

  port.on('message', take)
  const ended = run(options, threadPort).then((died) => {
    for (let come = receiveMessageOnPort(port); come; come = receiveMessageOnPort(port)) {
      take(come.message)
    }
    port.close()
    end = died ?? 'it was closed'
    for (const id of [...waiting.keys()]) settled(id)?.reject(threadUnavailable(end))
    if (died !== undefined) options.onDied?.(died)
  })
  let closed: Promise<void> | undefined
  return {
    call,
    close: () => {
      closed ??= call(closing, undefined)
        .catch(() => undefined)
        .then(() => ended)
      return closed
    },
  }
}

/** Settles when the thread has ended: with why, when nobody asked it to. */
function run(
  { beside, module }: ThreadOptions<never>,
  port: MessagePort,
): Promise<string | undefined> {
  const extension = beside.endsWith('.ts') ? '.ts' : '.js'
  const thread = threadAt(new URL(`./${module}${extension}`, beside), port)
  return new Promise((resolve) => {
    thread.on('error', (error) => resolve(error instanceof Error ? error.message : String(error)))
    thread.on('exit', (code) => resolve(code === 0 ? undefined : `it ended with ${code}`))
  })
}

function threadAt(module: URL, port: MessagePort): Worker {
  // what a thread has opened when it ends is not closed under others: closing any handle of a database takes the locks
  // of all
  const options = { workerData: port, transferList: [port], trackUnmanagedFds: false }
  if (!module.pathname.endsWith('.ts')) return new Worker(module, options)
  // From source, a thread on Node 20 does not inherit the loader of its parent and has to register it first.
  const load = `import('tsx/esm/api').then(({ register }) => {
    register()
    return import(${JSON.stringify(module.href)})
  })`
  return new Worker(load, { ...options, eval: true })
}

/** What a thread serves. */
interface Serving<Served extends Calls> {
  /** They begin in the order in which they are asked. */
  readonly calls: Served
  /** Called last. */
  readonly close?: () => unknown
}

/** What serves, given how to tell the other end something unasked. */
type Server<Served extends Calls, Told> = (tell: (told: Told) => void) => Serving<Served>

/** Same in the calling thread, which every call blocks: for tests and tools. */
export function runInline<Served extends Calls, Told = never>(
  serve: Server<Served, Told>,
  onTold: (told: Told) => void = () => undefined,
): CallableThread<Served> {
  const { calls, close } = serve(onTold)
  return {
    call: async (name, ...[asked, signal]) =>
      calls[name]?.(asked as never, () => signal ?? new AbortController().signal) as never,
    close: async () => void (await close?.()),
  }
}

/** The answering end, in a thread that `startThread` has started. */
export function serveThread<Served extends Calls, Told = never>(serve: Server<Served, Told>): void {
  const port = workerData as MessagePort
  const underWay = new Map<number, { readonly cancel: () => void; readonly done: Promise<void> }>()
  const post = (message: FromThread): void => port.postMessage(message)
  const { calls, close } = serve((told) => post({ told }))

  const answer = async (id: number, call: () => unknown): Promise<void> => {
    try {
      post({ id, value: await call() })
    } catch (error) {
      post({ id, failure: plainFailure(error) })
    }
  }
  const begin = ({ id, name = '', asked }: ToThread): void => {
    let controller: AbortController | undefined
    const getController = (): AbortController => {
      controller ??= new AbortController()
      return controller
    }
    const done = answer(id, () => calls[name]?.(asked as never, () => getController().signal))
    underWay.set(id, {
      cancel: () => getController().abort(),
      done: done.then(() => void underWay.delete(id)),
    })
  }
  const end = async ({ id }: ToThread): Promise<void> => {
    for (const { cancel } of underWay.values()) cancel()
    await Promise.all([...underWay.values()].map(({ done }) => done))
    await answer(id, () => close?.())
    port.close()
  }
  port.on('message', (message: ToThread) => {
    if (message.name === undefined) underWay.get(message.id)?.cancel()
    else if (message.name === closing) void end(message)
    else begin(message)
  })
}

/**
 * A failure as plain data; with the words of its cause, which are for the operator. What is no `Failure` keeps nothing
 * but its words.
 */
type PlainFailure = { readonly message: string; readonly cause?: string | undefined } & Partial<
  Pick<Failure, 'code' | 'details' | 'param' | 'retryAfterSeconds' | 'isDamage'>
>

function plainFailure(thrown: unknown): PlainFailure {
  if (!(thrown instanceof Failure)) return { message: wordsOf(thrown) }
  const { code, message, details, param, retryAfterSeconds, isDamage, cause } = thrown
  const words = cause instanceof Error ? cause.message : undefined
  return { code, message, details, param, retryAfterSeconds, isDamage, cause: words }
}

/** What is to be thrown for it. */
function thrownFor({ code, message, cause, ...options }: PlainFailure): Error {
  if (code === undefined) return new Error(message)
  return new Failure(code, message, {
    ...options,
    cause: cause === undefined ? cause : new Error(cause),
  })
}

function threadUnavailable(why: string): Failure {
  return new Failure('unavailable', 'This cannot be answered right now; try again.', {
    retryAfterSeconds: 1,
    cause: new Error(why),
  })
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Longest wait before a waiter looks again by itself, should a wake-up be lost. */
const waitMaxMs = 1_000

/** `Atomics.waitAsync` as of ES2024, which the library of the language version used here does not declare. */
interface AsyncAtomics {
  readonly waitAsync: (
    cells: BigInt64Array,
    index: number,
    value: bigint,
    timeoutMs: number,
  ) => { readonly value: Promise<string> | string }
}

const { waitAsync } = Atomics as unknown as AsyncAtomics

export type SharedHead = ReturnType<typeof openSharedHead>

/** The end of the log, shared between threads; the buffer of another one makes the same head of it. */
export function openSharedHead(buffer = new SharedArrayBuffer(8)) {
  const cells = new BigInt64Array(buffer)
  return {
    /** Can be handed to another thread. */
    buffer,
    position: () => Number(Atomics.load(cells, 0)),
    /** Called by the writer alone, after the commit. */
    publish: (position: number): void => {
      Atomics.store(cells, 0, BigInt(position))
      Atomics.notify(cells, 0)
    },
    /** Settles when the head is beyond `position`, when `signal` is aborted, or after a second. */
    waitForChange: (position: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done)
          resolve()
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', done)
        const { value } = waitAsync(cells, 0, BigInt(position), waitMaxMs)
        void Promise.resolve(value).then(done)
      }),
  }
}
