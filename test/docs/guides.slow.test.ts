/**
 * Every command of the README and of every guide, as it stands there, on a started service; and what they show of its
 * output.
 */

import { describe, expect, test } from 'vitest'
import { pages, testedApart } from './support/guides.ts'
import { patternOf, runGuide, shownBy } from './support/runGuide.ts'

const withCommands = pages
  .filter(({ page }) => !(page in testedApart))
  .filter(({ blocks }) => blocks.some(({ kind }) => kind === 'sh' || kind === 'console'))

describe('the commands of', () => {
  test.each(withCommands)('$page', { timeout: 600_000 }, async ({ page }) => {
    // a command that fails rejects
    const ran = await runGuide(page)

    expect(ran).not.toEqual([])
    for (const { kind, text, printed } of ran) {
      if (kind === 'console') expect(printed).toMatch(patternOf(shownBy(text).prints))
    }
  })
})
