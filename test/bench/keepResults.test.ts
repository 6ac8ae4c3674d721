import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chosenParts, isKept } from '../../bench/chosenParts.ts'
import { type Figure, figureOf, type RecordedFigure } from '../../bench/figure.ts'
import { type Keep, openResults, type Place } from '../../bench/keepResults.ts'
import { markdownTable, withTable } from '../../bench/table.ts'

const machine = { cpu: 'A processor', cores: 2, memoryGiB: 8, node: 'v20.0.0', os: 'Linux 6 x64' }
const other = { ...machine, cpu: 'Another processor' }
const parts = ['engine', 'appends', 'replay']
const marks = '<!-- table: written by npm run bench -->\nold\n<!-- end of table -->'

let folder: string
let place: Place

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  place = { results: join(folder, 'results', 'latest.json'), page: join(folder, 'page.md') }
  writeFileSync(place.page, `# Page\n\n${marks}\n\nafter\n`)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function figure(name: string, value = 1, against = 'that'): Figure {
  const target = { bound: 'at most', value: 4 } as const
  return figureOf({ name, against, unit: 'times', target }, [value])
}

function open(change: Partial<Parameters<typeof openResults>[0]> = {}): Keep {
  return openResults({ machine, parts, ...change }, place)
}

const results = () => JSON.parse(readFileSync(place.results, 'utf8')) as RecordedFigure[]
const names = () => results().map(({ name }) => name)
const page = () => readFileSync(place.page, 'utf8')

describe('results', () => {
  test('are kept as soon as a part has ended, with the part and the machine', () => {
    const keep = open()

    keep('engine', [figure('speed')])

    expect(results()).toEqual([{ ...figure('speed'), part: 'engine', machine }])
    expect(page()).toBe(`# Page\n\n${withTable(marks, markdownTable(results()))}\n\nafter\n`)
    expect(page()).toContain('| speed | that | at most 4 | **1.00 times** |')
  })

  test('of a run that was cut short stay, and so do those of the parts it did not come to', () => {
    const whole = open()
    whole('engine', [figure('speed', 1)])
    whole('replay', [figure('events', 1)])
    const cut = open()

    cut('engine', [figure('speed', 2)])

    expect(results().map(({ name, value }) => [name, value])).toEqual([
      ['speed', 2],
      ['events', 1],
    ])
  })

  test('take the place of all that the part gave before, also under other names', () => {
    const keep = open()
    keep('engine', [figure('speed', 1, 'a'), figure('speed', 1, 'b'), figure('speed of many')])
    keep('appends', [figure('appends')])

    keep('engine', [figure('speed', 2, 'b'), figure('speed of 600')])

    expect(results().map(({ name, against, value }) => `${name} ${against} ${value}`)).toEqual([
      'speed b 2',
      'speed of 600 that 1',
      'appends that 1',
    ])
  })

  test('of two parts under one name both stay, if they are against different things', () => {
    const keep = open()
    keep('engine', [figure('speed', 1, 'a')])

    keep('appends', [figure('speed', 2, 'b')])

    expect(results().map(({ part, against }) => [part, against])).toEqual([
      ['engine', 'a'],
      ['appends', 'b'],
    ])
  })

  test('stand in the order of the parts, however they were measured', () => {
    open()('replay', [figure('events')])
    open()('engine', [figure('speed'), figure('same, of many')])
    open()('appends', [figure('appends')])

    expect(names()).toEqual(['speed', 'same, of many', 'appends', 'events'])
  })

  test('of another machine are told apart in the table', () => {
    open()('engine', [figure('speed')])
    open({ machine: other })('appends', [figure('appends')])

    expect(page()).toContain('- A: Full run on 2 cores of A processor,')
    expect(page()).toContain('- B: Full run on 2 cores of Another processor,')
    expect(page()).toMatch(/^\| speed .* \| A \|$/m)
    expect(page()).toMatch(/^\| appends .* \| B \|$/m)
    expect(results().map((kept) => kept.machine.cpu)).toEqual(['A processor', 'Another processor'])
  })

  test.each([
    ['{"a": 1}', 'holds no list of figures'],
    ['[{"name": "cut', 'JSON'],
    ['[{"name": "speed"}]', 'holds no list of figures'],
    ['[null]', 'holds no list of figures'],
  ])('that read %s are refused before anything is measured', (text, said) => {
    mkdirSync(join(folder, 'results'))
    writeFileSync(place.results, text)

    expect(() => open()).toThrow(said)
    expect(readFileSync(place.results, 'utf8')).toBe(text)
  })
})

describe('the parts of a run', () => {
  const known = { engine: [], appends: [], neighbours: ['changes', 'wideBody'] }
  const neighbours = 'neighbours'

  test.each([
    { only: undefined, chosen: [{ part: 'engine' }, { part: 'appends' }, { part: neighbours }] },
    { only: 'appends', chosen: [{ part: 'appends' }] },
    { only: 'appends, engine,appends', chosen: [{ part: 'appends' }, { part: 'engine' }] },
    { only: 'neighbours:changes', chosen: [{ part: neighbours, pieces: ['changes'] }] },
    {
      only: 'neighbours:wideBody,engine,neighbours:changes,neighbours:wideBody',
      chosen: [{ part: neighbours, pieces: ['wideBody', 'changes'] }, { part: 'engine' }],
    },
    { only: 'neighbours:changes,neighbours', chosen: [{ part: neighbours }] },
    { only: 'neighbours,neighbours:changes', chosen: [{ part: neighbours }] },
  ])('with --only $only are $chosen', ({ only, chosen }) => {
    expect(chosenParts(only, known)).toEqual(chosen)
  })

  test.each(['engines', 'engine,', '', 'toString', 'changes:neighbours'])(
    'do not include %j',
    (only) => {
      expect(() => chosenParts(only, known)).toThrow('there are engine, appends, neighbours')
    },
  )

  test.each(['neighbours:change', 'neighbours:', 'neighbours:changes:wideBody'])(
    'do not include %j, and what there is of that part is said',
    (only) => {
      expect(() => chosenParts(only, known)).toThrow(
        `there is no benchmark ${only}; there are neighbours:changes, neighbours:wideBody`,
      )
    },
  )

  test.each([
    { size: 'full', only: undefined, kept: true },
    { size: 'full', only: 'engine', kept: true },
    { size: 'full', only: 'neighbours', kept: true },
    { size: 'full', only: 'engine,neighbours:changes', kept: false },
    { size: 'quick', only: undefined, kept: false },
    { size: 'quick', only: 'engine', kept: false },
    { size: 'smallest', only: undefined, kept: false },
  ] as const)('of the size $size, only $only, are kept: $kept', ({ size, only, kept }) => {
    expect(isKept({ size, only })).toBe(kept)
  })
})

test('the page of this repository shows what is kept in it', () => {
  const recorded = JSON.parse(readFileSync('bench/results/latest.json', 'utf8')) as RecordedFigure[]
  const shown = readFileSync('docs/performance.md', 'utf8')

  expect(recorded.length).toBeGreaterThan(0)
  expect(withTable(shown, markdownTable(recorded))).toBe(shown)
})
