import { expect, test } from 'vitest'
import { evalFigures, type LoadedService } from '../../bench/evalFigures.ts'
import { processorTimeOf, spentBetween } from '../../bench/processorTime.ts'

const round = (given: Partial<LoadedService>): LoadedService => ({
  requests: 1_000,
  requestsPerSecond: 1_000,
  p50Ms: 1,
  p99Ms: 10,
  sample: Buffer.alloc(0),
  lagSeconds: 0,
  delayMs: 12,
  processorUs: [100, 50],
  ...given,
})

const measured = {
  reference: [round({ requestsPerSecond: 2_000, p99Ms: 8, processorUs: [40, 0.5] })],
  known: [round({ lagSeconds: 0.2 })],
  fresh: [round({ requestsPerSecond: 800, p99Ms: 16, lagSeconds: 0.4, delayMs: 14 })],
}

const valuesOf = (figures: ReturnType<typeof evalFigures>) =>
  figures.map(({ value, unit }) => `${value.toFixed(3)} ${unit}`)

test('people that were seen before and new ones stand beside the reference', () => {
  const figures = evalFigures(measured)

  expect(valuesOf(figures)).toEqual([
    '0.400 of its requests/s',
    '0.500 of its requests/s',
    '2.000 times its p99',
    '1.250 times its p99',
    '3.704 times its processor time',
    '13.000 ms',
    '0.300 s',
  ])
  expect(figures.flatMap(({ notes }) => notes)).toContain(
    'Vigil 150 µs (100 + 50), of people seen before 150 µs (100 + 50); Koa 41 µs (40)',
  )
})

test('where the system does not tell the processor time there is no figure of it', () => {
  const figures = evalFigures({ ...measured, reference: [round({ processorUs: [] })] })

  expect(figures.map(({ unit }) => unit)).not.toContain('times its processor time')
})

test('of the threads of a process the first stands first, then whichever had most meanwhile', () => {
  const before = new Map([
    ['7', 100],
    ['8', 500],
    ['9', 10],
  ])
  const after = new Map([
    ['7', 103],
    ['8', 501],
    ['9', 20],
    ['10', 4],
  ])

  expect(spentBetween(before, after, 7)).toEqual([3, 10, 4, 1])
})

test('a process that there is not has had nothing', () => {
  expect(processorTimeOf(2 ** 30)).toEqual(new Map())
})
