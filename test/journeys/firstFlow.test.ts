import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

type Body = Record<string, unknown>

const guide = readFileSync('docs/guide/first-flow.md', 'utf8')
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
const consoles = [...guide.matchAll(/^```console\n(.*?)^```/gms)].map(([, block = '']) => block)
const mark = '=== next block ==='

/** The command of a console block, its continued lines with it, and what it prints. */
function shown(block: string): { readonly words: string; readonly prints: string } {
  const [, words = '', prints = ''] =
    /^\$ npx vigil ((?:[^\n]*\\\n)*[^\n]*)\n(.*)$/s.exec(block) ?? []
  return { words, prints }
}

/** Every block in order; what the command line prints goes to a file for each of its own. */
function scriptOf(): string {
  const steps = [...guide.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)].map(([, text = '']) => {
    const console = consoles.indexOf(text)
    return console === -1
      ? `${blocks[0] === text ? '' : `echo '${mark}'`}\n${text}`
      : `'${process.execPath}' dist/cli/main.js ${shown(text).words} >"$TMPDIR/console-${console}"\n`
  })
  return `set -euo pipefail\n${steps.join('')}`
}

let folder: string
let vigil: StartedVigil
/** What each block printed, a JSON answer a line. */
let printed: readonly (readonly Body[])[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  vigil = await startVigil(folder)
  const [, token = ''] = /VIGIL_TOKEN=(\S+)/.exec(vigil.printed()) ?? []
  const { stdout } = await promisify(execFile)('bash', ['-c', scriptOf()], {
    timeout: 240_000,
    env: {
      PATH: process.env['PATH'],
      TMPDIR: folder,
      XDG_CONFIG_HOME: folder,
      PORT: new URL(vigil.url).port,
      VIGIL_URL: vigil.url,
      VIGIL_TOKEN: token,
    },
  })
  printed = stdout.split(mark).map((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Body),
  )
}, 300_000)

afterAll(async () => {
  await vigil.stop('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** The answers of the block that holds the text. */
function answersTo(text: string): readonly Body[] {
  const index = blocks.findIndex((block) => block.includes(text))
  return printed[index] ?? []
}

function entriesOf(answer: Body | undefined, field: string): readonly Body[] {
  return (answer?.[field] ?? []) as readonly Body[]
}

test('every block ran and answered', () => {
  expect(blocks.length).toBeGreaterThan(10)
  expect(printed).toHaveLength(blocks.length)
  const silent = printed.flatMap((answers, index) => (answers.length === 0 ? [blocks[index]] : []))
  expect(silent).toEqual([expect.stringContaining('api() {')])
})

test('the command line prints what the guide shows, ids and times apart', () => {
  const printedByCommands = consoles.map((_, index) =>
    readFileSync(join(folder, `console-${index}`), 'utf8'),
  )

  expect(consoles.length).toBeGreaterThan(0)
  for (const [index, block] of consoles.entries()) {
    const parts = shown(block).prints.split('…')
    const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')
    expect(printedByCommands[index]).toMatch(new RegExp(`^${pattern}$`))
  }
})

test('the names are listed and the tried rule triggers', () => {
  const [listed] = answersTo('/management/signals')
  const [tried] = answersTo('/rules/test')

  expect(entriesOf(listed, 'signals').length).toBeGreaterThan(10)
  expect(tried).toMatchObject({ outcome: 'TRIGGERED', parts: { value: true } })
})

test('the first purchase is flagged, the draft flags what the live recipe passes', () => {
  const [first] = answersTo('evaluate() {')
  const [draft] = answersTo('"draft"')

  expect(first).toMatchObject({ verdict: 'FLAG', recipes: [{ score: 60 }] })
  expect(draft).toMatchObject({
    recipes: [{ verdict: 'PASS' }, { recipe_id: 'draft.recipes.1', verdict: 'FLAG', score: 50 }],
  })
})

test('the trial is not seen by callers and is compared as the guide says', () => {
  const purchases = answersTo('"minutes_since_signup": "90000"')
  const [comparison] = answersTo('/comparison?')

  expect(purchases.map(({ verdict }) => verdict)).toEqual(['PASS', 'FLAG', 'PASS', 'PASS'])
  expect(purchases.map(({ recipes }) => (recipes as Body[]).length)).toEqual([1, 1, 1, 1])
  expect(comparison).toMatchObject({
    scanned: 5,
    agreements: 3,
    differences: 1,
    truncated: false,
  })
  const outcomes = entriesOf(comparison, 'outcomes')
  expect(outcomes.map(({ evaluations }) => evaluations)).toEqual([1, 1, 1, 0, 0, 0, 1, 0])
})

test('the usage of the rule names both recipes and every purchase', () => {
  const [usage] = answersTo('/usage?')

  expect(usage).toMatchObject({ recipe_count: 2, flow_count: 1 })
  expect(usage?.['evaluations']).toMatchObject({ triggered: 3, not_triggered: 6 })
})

test('published it flags, restored it passes', () => {
  const published = answersTo(
    '"status": "LIVE", "threshold": 50,\n  "rules": [{"rule_id": "\'$large\'", "weight": 60}, {',
  )
  const [versions, restored, passed] = answersTo('/restore')

  expect(published.at(-1)).toMatchObject({ verdict: 'FLAG' })
  expect(entriesOf(versions, 'versions').map(({ current }) => current)).toEqual([
    true,
    false,
    false,
  ])
  expect(restored?.['recipes']).toHaveLength(1)
  expect(passed).toMatchObject({ verdict: 'PASS' })
})
