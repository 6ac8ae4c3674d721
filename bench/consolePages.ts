/** How long who uses the console waits for it, on a log of many evaluations and a processor four times as slow. */

import type { Page } from 'playwright-core'
import { type AnalysedLog, openLog } from './analysedLog.ts'
import type { Benchmark, Size } from './benchmark.ts'
import {
  answered,
  chromiumProgram,
  heldMegabytes,
  openPage,
  openSite,
  type PageTimes,
  press,
  readTimes,
  type Site,
  settled,
} from './consoleBrowser.ts'
import { type Figure, figureOf } from './figure.ts'
import { folderWith, logSizes } from './logs.ts'
import { longRule } from './neighbours/rulebook.ts'
import { send } from './shop.ts'

const slow = { slowdown: 4 }
const fast = { slowdown: 1 }
const counts = {
  full: { loads: 9, keys: 60, jumps: 60, pages: 1_000 },
  quick: { loads: 9, keys: 60, jumps: 30, pages: 200 },
  smallest: { loads: 1, keys: 5, jumps: 5, pages: 5 },
} satisfies Record<Size, object>

/** Measures loads, shifts, interactions, the check of a long rule, jumps in the explorer, and what it holds. */
export const consolePages: Benchmark = async ({ size }) => {
  if (!chromiumProgram) {
    return { notRun: 'there is no Chromium: apt-get install chromium, or name one in CHROMIUM' }
  }
  const { many } = logSizes(size)
  const log = await openLog(await folderWith(many))
  const { loads, keys, jumps, pages } = counts[size]
  try {
    const site = await openSite(log.vigil.port, log.token, chromiumProgram)
    try {
      const ends = await readEnds(log)
      return [
        ...(await measureLoads(site, { log, ends, loads })),
        await measureInteractions(site, loads),
        await measureKeys(site, log, keys),
        await measureJumps(site, ends, { jumps, many }),
        ...(await measurePages(site, pages)),
      ]
    } finally {
      await site.browser.close()
    }
  } finally {
    await log.vigil.stop()
  }
}

interface Ends {
  /** Id of the newest evaluation. */
  readonly id: string
  readonly oldestMs: number
  readonly newestMs: number
}

async function readEnds({ vigil, token }: AnalysedLog): Promise<Ends> {
  const endOf = (order: 'oldest' | 'newest') => {
    const path = `/v2/watch/evaluations/export?order=${order}&limit=1&from=2020-01-01T00:00:00Z`
    return send(vigil.port, { method: 'GET', path, token })
  }
  const [oldest, newest] = [await endOf('oldest'), await endOf('newest')]
  const [oldestMs = 0, newestMs = 0] = [oldest, newest].map((row) =>
    Date.parse(String(row['evaluated_at'])),
  )
  return { id: String(newest['id']), oldestMs, newestMs }
}

const against = 'nothing, in absolute terms'
const atMost = (value: number) => ({ bound: 'at most', value }) as const

interface Loads {
  readonly log: AnalysedLog
  readonly ends: Ends
  readonly loads: number
}

/** In new profiles, after a first one that is not counted. */
async function measureLoads(site: Site, { log, ends, loads }: Loads): Promise<readonly Figure[]> {
  const { port } = log.vigil
  const path = '/v2/watch/management/rules?limit=1'
  const { rules } = await send(port, { method: 'GET', path, token: log.token })
  const screens = [
    ['overview', '/'],
    ['evaluation', `/evaluations/${ends.id}`],
    ['explorer', '/evaluations?range=30d'],
    ['rule', `/rules/${(rules as { readonly id: string }[])[0]?.id}`],
  ] as const
  const seen = new Map<string, PageTimes[]>(screens.map(([name]) => [name, []]))
  for (let round = -1; round < loads; round += 1) {
    for (const [name, at] of screens) {
      const page = await openPage(site, at, slow)
      if (round >= 0) seen.get(name)?.push(await readTimes(page))
      await page.context().close()
    }
  }
  return [...seen].flatMap(([name, times]) => loadFigures(name, times))
}

function loadFigures(screen: string, times: readonly PageTimes[]): readonly Figure[] {
  const name = `${screen} in the console, cold, processor 4 times as slow`
  const shifted = times.map(({ shifts }) => shifts.reduce((sum, { value }) => sum + value, 0))
  const sources = times.flatMap(({ shifts }) => shifts.flatMap((shift) => shift.sources))
  const question = { against, share: 0.75 }
  return [
    figureOf(
      { ...question, name: `${name}: largest paint, p75`, unit: 's', target: atMost(1.5) },
      times.map(({ lcpMs }) => lcpMs / 1_000),
    ),
    figureOf(
      { ...question, name: 'same, layout shift, p75', unit: 'CLS', target: atMost(0.02) },
      shifted,
      [...new Set(sources)].slice(0, 5),
    ),
  ]
}

/** Of each visit the interaction that was painted last. */
async function measureInteractions(site: Site, visits: number): Promise<Figure> {
  const slowest: { readonly ms: number; readonly what: string }[] = []
  for (let visit = -1; visit < visits; visit += 1) {
    const page = await openPage(site, '/', slow)
    await interact(page)
    const seen = Object.values((await readTimes(page)).interactions)
    const [worst] = seen.toSorted((one, other) => other.ms - one.ms)
    // what is painted within 16 ms is not told
    if (visit >= 0) slowest.push(worst ?? { ms: 16, what: 'none' })
    await page.context().close()
  }
  return figureOf(
    {
      name: 'clicks and keys in the console, processor 4 times as slow: slowest of a visit to its next paint (INP), p75',
      ...{ against, unit: 'ms', target: atMost(200), share: 0.75 },
    },
    slowest.map(({ ms }) => ms),
    [...new Set(slowest.map(({ what }) => what))].slice(0, 3),
  )
}

async function interact(page: Page): Promise<void> {
  const tabs = page.locator('nav[aria-label="Screens"] a')
  for (let at = (await tabs.count()) - 1; at >= 0; at -= 1) {
    await press(tabs.nth(at))
    await settled(page)
  }
  await press(page.getByRole('link', { name: 'Evaluations', exact: true }))
  await settled(page)
  await page.getByRole('searchbox', { name: 'Search' }).focus()
  await page.keyboard.type('phone = +33612345678', { delay: 50 })
  await press(page.locator('.explorer tbody a').first())
  await page.locator('.rule-result').first().waitFor()
  await settled(page)
  for (const tree of [0, 1, 2]) {
    await press(page.locator('.rule-result > summary').nth(tree))
    await page.waitForTimeout(200)
  }
}

const ruleChars = 4_096
const typedText = ' || signal.ext.cart_total == "900" || double(signal.ext.a) > 1.5'

/** Each key once what was said of the one before has been painted. */
async function measureKeys(site: Site, log: AnalysedLog, keys: number): Promise<Figure> {
  const typed = typedText.slice(0, keys)
  const text = longRule(7, ruleChars - typed.length - 60)
  const rest = ' || signal.ext.cart == ""'
  const padding = 'x'.repeat(ruleChars - typed.length - text.length - rest.length)
  const made = await send(log.vigil.port, {
    ...{ method: 'POST', path: '/v2/watch/management/rules', token: log.token },
    body: { name: 'Long', expression: `${text}${rest.slice(0, -1)}${padding}"` },
  })
  const page = await openPage(site, `/rules/${made['id']}`, slow)
  await page.locator('.cm-content').focus()
  await page.keyboard.press('Control+End')
  for (const [index, key] of [...typed].entries()) {
    await page.keyboard.type(key)
    await answered(page, index + 1)
  }
  const { waitsMs } = await readTimes(page)
  await page.context().close()
  return figureOf(
    {
      name: `key in a rule of ${ruleChars.toLocaleString('en')} characters, processor 4 times as slow, until what is said of it is painted, p95`,
      ...{ against, unit: 'ms', target: atMost(300), share: 0.95 },
    },
    waitsMs,
  )
}

interface Jumps {
  readonly jumps: number
  readonly many: number
}

/** Typed times all over the log, and from each of them on to its next page and the ends. */
async function measureJumps(
  site: Site,
  { oldestMs, newestMs }: Ends,
  { jumps, many }: Jumps,
): Promise<Figure> {
  const [from, to] = [oldestMs - 1_000, newestMs + 5_000].map((ms) => new Date(ms).toISOString())
  const page = await openPage(site, `/evaluations?range=fixed&from=${from}&to=${to}`, fast)
  const seconds = Math.max(3, Math.floor((newestMs - oldestMs) / 1_000))
  for (let jump = 0; jump < jumps; jump += 1) {
    const button = [undefined, 'Older', 'Oldest', 'Newer', 'Newest'][jump % 5]
    if (button === undefined) {
      // no two in turn are the same
      const second = Math.floor(seconds * ((jump * 0.123_606_8) % 1))
      const time = new Date(newestMs + 3_000 - second * 1_000).toISOString()
      await page.getByLabel('To (UTC)').fill(time.slice(0, 19))
      await page.keyboard.press('Enter')
    } else await press(page.getByRole('button', { name: button, exact: true }))
    await answered(page, jump + 1)
  }
  const { waitsMs } = await readTimes(page)
  await page.context().close()
  return figureOf(
    {
      name: `jump to a typed time, a page or an end among ${many.toLocaleString('en')} evaluations in the console, until it is painted, p95`,
      ...{ against, unit: 'ms', target: atMost(500), share: 0.95 },
    },
    waitsMs,
  )
}

async function measurePages(site: Site, pages: number): Promise<readonly Figure[]> {
  const page = await openPage(site, '/evaluations?range=30d', fast)
  const before = await heldMegabytes(page)
  const older = page.getByRole('button', { name: 'Older', exact: true })
  for (let turned = 0; turned < pages; turned += 1) {
    await press(older)
    await answered(page, turned + 1)
  }
  const { rowsMax } = await readTimes(page)
  const held = await heldMegabytes(page)
  await page.context().close()
  const name = `explorer after ${pages.toLocaleString('en')} pages`
  return [
    figureOf(
      { name: `${name}: rows in the page, at most`, against, unit: 'rows', target: atMost(150) },
      [rowsMax],
    ),
    figureOf(
      { name: 'same, heap of its scripts', against, unit: 'MB', target: atMost(100) },
      [held],
      [`before: ${before.toFixed(1)} MB`],
    ),
  ]
}
