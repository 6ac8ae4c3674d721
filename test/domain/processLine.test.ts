import { type Duplex, duplexPair } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { openProcessLine, type ProcessLine } from '../../src/domain/processLine.ts'
import { connectedSockets } from '../support/connectedSockets.ts'
import { draws } from '../support/draws.ts'

async function openBoth(): Promise<readonly [ProcessLine, ProcessLine]> {
  const [near, far] = await connectedSockets()
  onTestFinished(() => void near.destroy())
  onTestFinished(() => void far.destroy())
  return [openProcessLine(near), openProcessLine(far)]
}

describe('what is asked', () => {
  test('is answered, both ways, whatever it is made of', async () => {
    const [near, far] = await openBoth()
    const value = { map: new Map([['a', 1n]]), bytes: new Uint8Array([1, 2]), none: undefined }
    near.serve({ answers: { same: (given: unknown) => given } })
    far.serve({ answers: { later: async (given: unknown) => [given] } })

    const answers = await Promise.all([far.ask('same', value), near.ask('later', value)])

    expect(answers).toEqual([value, [value]])
    expect(await far.ask('same')).toBeUndefined()
  })

  test('has its own answer, in whatever order they come', async () => {
    const [near, far] = await openBoth()
    const waiting: (() => void)[] = []
    near.serve({
      answers: {
        number: (given: number) =>
          new Promise((resolve) => {
            waiting.unshift(() => resolve(given))
            if (waiting.length === 50) for (const answer of waiting) answer()
          }),
      },
    })
    const numbers = Array.from({ length: 50 }, (_, index) => index)

    const answers = await Promise.all(numbers.map((number) => far.ask('number', number)))

    expect(answers).toEqual(numbers)
  })

  test('under a name that nobody answers is refused, and the line goes on', async () => {
    const [near, far] = await openBoth()
    near.serve({ answers: { known: () => 'answer' } })

    await expect(far.ask('unknown')).rejects.toThrow('nothing on this line answers unknown')

    expect(await far.ask('known')).toBe('answer')
  })
})

test('what is told comes in order, and before the answers to what was asked after it', async () => {
  const [near, far] = await openBoth()
  const heard: number[] = []
  near.serve({
    hears: { number: (given: number) => void heard.push(given) },
    answers: { heard: () => [...heard] },
  })
  const seen: unknown[] = []

  for (let number = 1; number <= 5; number += 1) {
    far.tell('number', number)
    seen.push(far.ask('heard'))
    // in turns of their own, and in one turn
    if (number % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
  }

  const all = [1, 2, 3, 4, 5]
  expect(await Promise.all(seen)).toEqual(all.map((number) => all.slice(0, number)))
})

test('what little is said within one turn leaves in one piece', async () => {
  const [near, far] = await connectedSockets()
  onTestFinished(() => void near.destroy())
  const pieces: unknown[] = []
  const { write } = far
  far.write = ((...said: Parameters<typeof write>) => {
    pieces.push(said[0])
    return write.apply(far, said)
  }) as typeof write
  openProcessLine(near).serve({ answers: { same: (given: unknown) => given } })
  const line = openProcessLine(far)

  await Promise.all(Array.from({ length: 64 }, (_, index) => line.ask('same', index)))

  expect(pieces).toHaveLength(1)
})

describe('a failure', () => {
  test('that is expected crosses with its code, its wait and its cause', async () => {
    const [near, far] = await openBoth()
    const failure = new Failure('unavailable', 'Not now.', {
      retryAfterSeconds: 3,
      cause: new Error('the disk is full'),
    })
    near.serve({ answers: { fail: () => Promise.reject(failure) } })

    const error = await far.ask('fail').catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(Failure)
    const { code, message, retryAfterSeconds, cause } = error as Failure
    expect([code, message, retryAfterSeconds]).toEqual(['unavailable', 'Not now.', 3])
    expect(cause).toEqual(new Error('the disk is full'))
  })

  test('that nobody expected is an error without a code', async () => {
    const [near, far] = await openBoth()
    near.serve({
      answers: {
        fail: () => {
          throw new TypeError('a mistake')
        },
      },
    })

    const error = await far.ask('fail').catch((thrown: unknown) => thrown)

    expect(error).toEqual(new Error('a mistake'))
    expect(error).not.toBeInstanceOf(Failure)
  })
})

describe('the end of the line', () => {
  const unavailable = { code: 'unavailable', retryAfterSeconds: 1 }

  test('makes what was asked unavailable, and whatever is asked then', async () => {
    const [near, far] = await openBoth()
    near.serve({ answers: { never: () => new Promise(() => undefined) } })
    const asked = [far.ask('never'), far.ask('never')].map((one) =>
      one.catch((error: unknown) => error),
    )
    // is there
    await expect(far.ask('unknown')).rejects.toThrow('nothing')

    near.close()
    await far.ended

    expect(await Promise.all(asked)).toEqual([
      expect.objectContaining(unavailable),
      expect.objectContaining(unavailable),
    ])
    await expect(far.ask('never')).rejects.toMatchObject(unavailable)
    far.tell('whatever')
    await near.ended
  })

  test('comes after what was told before it', async () => {
    const [near, far] = await openBoth()
    const heard: number[] = []
    far.serve({ hears: { number: (given: number) => void heard.push(given) } })

    for (let number = 0; number < 1_000; number += 1) near.tell('number', number)
    near.close()
    await far.ended

    expect(heard).toHaveLength(1_000)
  })

  test.each<[string, (far: ProcessLine, socket: Duplex) => void]>([
    ['news that nobody hears', (far) => far.tell('unknown')],
    ['news that whoever hears them fails at', (far) => far.tell('failing')],
    ['bytes that are no message', (_, socket) => void socket.write(Buffer.from([1, 0, 0, 0, 9]))],
  ])('comes with %s, and says why to whoever asks', async (_, send) => {
    const [socket, other] = await connectedSockets()
    const [near, far] = [openProcessLine(other), openProcessLine(socket)]
    near.serve({
      hears: {
        failing: () => {
          throw new Error('a mistake')
        },
      },
    })
    const asked = near.ask('anything').catch((error: unknown) => error)

    send(far, socket)
    await Promise.all([near.ended, far.ended])

    // its own question may have been answered before
    expect(await asked).toBeInstanceOf(Error)
    const { cause } = (await near.ask('anything').catch((error: unknown) => error)) as Failure
    expect((cause as Error).cause).toBeInstanceOf(Error)
  })
})

test('given a line that cuts whatever it carries, then everything arrives all the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 60 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      async (texts, sizes) => {
        const [one, other] = duplexPair()
        const [near, far] = [cutting(one, sizes), cutting(other, sizes)].map(openProcessLine)
        near?.serve({ answers: { same: (given: unknown) => given } })

        const answers = await Promise.all(texts.map((text) => far?.ask('same', text)))

        expect(answers).toEqual(texts)
        one.destroy()
        other.destroy()
      },
    ),
    { numRuns: draws(30) },
  )
})

/** The same end, that writes pieces of these sizes, again and again. */
function cutting(socket: Duplex, sizes: readonly number[]): Duplex {
  let count = 0
  const write = socket.write.bind(socket)
  socket.write = ((bytes: Buffer) => {
    for (let from = 0; from < bytes.length; ) {
      const size = sizes[count % sizes.length] ?? 1
      count += 1
      write(bytes.subarray(from, from + size))
      from += size
    }
    return true
  }) as typeof socket.write
  return socket
}
