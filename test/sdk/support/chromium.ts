/** A real Chromium of this machine, driven from outside. */

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where Linux distributions put it. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The program, as `CHROMIUM` or this machine says; undefined when there is none. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM } = environment
  if (CHROMIUM) return CHROMIUM
  return places.find((place) => existsSync(place))
}

/** Starts it without a window. The page is on this machine, and root may start it as well. */
export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
