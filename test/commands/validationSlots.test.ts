import { expect, test } from 'vitest'
import {
  openValidationSlots,
  type ValidationSlots,
} from '../../src/commands/sessions/migration/limitCustomerCalls.ts'
import { Failure } from '../../src/domain/failure.ts'

interface Held {
  readonly end: () => void
  readonly outcome: Promise<string>
}

/** Questions that are answered when the test says so. */
function holding(withSlot: ValidationSlots) {
  let begun = 0
  const ask = (account: string): Held => {
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const outcome = withSlot(account, async () => {
      begun += 1
      await ended
      return 'asked'
    }).catch((error: unknown) => (error instanceof Failure ? error.code : String(error)))
    return { end, outcome }
  }
  return { ask, begun: () => begun }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

test('an account may ask so many at a time, and again when one is answered', async () => {
  const { ask } = holding(openValidationSlots(64))
  const held = times(4).map(() => ask('shop'))

  expect(await ask('shop').outcome).toBe('rate_limited')
  held[0]?.end()
  expect(await held[0]?.outcome).toBe('asked')
  const next = ask('shop')
  for (const { end } of [...held, next]) end()
  expect(await next.outcome).toBe('asked')
})

test.each([
  [1, 1, 1],
  [50, 7, 2],
  [1_000, 125, 32],
  [100_000, 128, 32],
])(
  'of %i requests in progress %i may ask, %i of an account, and four of it wait at the most',
  async (inFlightMax, inAll, ofAccount) => {
    const { ask, begun } = holding(openValidationSlots(inFlightMax))
    const flood = (account: string): readonly Held[] => times(48).map(() => ask(account))

    const own = flood('own')
    await turn()
    const ofOne = begun()
    const kept = await stillHeld(own)
    for (const account of times(50)) flood(`slow ${account}`)
    await turn()

    expect(ofOne).toBe(ofAccount)
    expect(kept).toBe(ofAccount + Math.min(ofAccount, 4))
    expect(begun()).toBe(inAll)
  },
)

/** How many of the questions are neither answered nor refused. */
async function stillHeld(questions: readonly Held[]): Promise<number> {
  const held = Symbol('held')
  const outcomes = questions.map(({ outcome }) => Promise.race([outcome, turn().then(() => held)]))
  return (await Promise.all(outcomes)).filter((outcome) => outcome === held).length
}

test('no more questions of all accounts wait than may be asked', async () => {
  const { ask } = holding(openValidationSlots(64))
  const held = times(20).map((account) => ask(`slow ${account}`))

  expect(await stillHeld(held)).toBe(16)
  expect(await held.at(-1)?.outcome).toBe('unavailable')
})

test('a question that cannot be asked gives its place back', async () => {
  const withSlot = openValidationSlots(1_024)
  for (const _ of times(100)) {
    const asked = withSlot('shop', () => {
      throw new Error('no key')
    })
    await expect(asked).rejects.toThrow('no key')
  }

  expect(await withSlot('shop', async () => 'asked')).toBe('asked')
})
