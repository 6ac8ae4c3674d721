/** A thread that serves a few calls, to test the protocol with. */

import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../../src/domain/failure.ts'
import { type GetSignal, serveThread } from '../../../src/stores/embedded/threadCalls.ts'

const calls = {
  double: (value: number): number => 2 * value,
  later: async (value: number): Promise<number> => {
    await pause(20)
    return value
  },
  bytes: (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte + 1),
  refuse: (code: 'not_found' | undefined): never => {
    if (code === undefined) throw new Error('out of order')
    const cause = new Error('for the operator')
    throw new Failure(code, 'There is none.', { param: 'id', retryAfterSeconds: 3, cause })
  },
  untilCancelled: (_: undefined, getSignal: GetSignal): Promise<void> =>
    new Promise((_resolve, reject) => {
      getSignal().addEventListener('abort', () => {
        tell('cancelled')
        reject(new Error('given up'))
      })
    }),
  tell: (text: string): void => tell(text),
  die: (): void => {
    setImmediate(() => {
      throw new Error('out of memory')
    })
  },
}

export type ServingCalls = typeof calls

let tell: (text: string) => void = () => undefined

serveThread<ServingCalls, string>((told) => {
  tell = told
  return { calls, close: () => tell('closed') }
})
