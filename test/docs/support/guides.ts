/** The README and the guides, with what stands between their fences. */

import { readdirSync } from 'node:fs'
import { blocksOf } from './runGuide.ts'

/** Guides whose commands are run by a test that looks at more of their answers. */
export const testedApart: Readonly<Record<string, string>> = {
  'docs/guide/first-flow.md': 'test/journeys/firstFlow.test.ts',
  'docs/guide/front-end-signals.md': 'test/docs/frontEndSignals.test.ts',
  'docs/guide/prelude-sdks.md': 'test/docs/preludeSdks.slow.test.ts',
}

export const pages = ['README.md', ...readdirSync('docs/guide').map((name) => `docs/guide/${name}`)]
  .filter((page) => page.endsWith('.md'))
  .map((page) => ({ page, blocks: blocksOf(page) }))
